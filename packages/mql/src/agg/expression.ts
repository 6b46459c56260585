import type { CommandError } from '../errors.js';
import type { Value } from '../value/value.js';
import type { Names } from './names.js';
import type { Scope } from './scope.js';

/** Missing is JavaScript's undefined. */
export type Evaluate = (scope: Scope) => Value | undefined;

/** An expression compiled to a closure, and what the parser knows of it beforehand. */
export type Expression =
  | { readonly kind: 'constant'; readonly value: Value | undefined; readonly evaluate: Evaluate }
  /** A path of the root document; `[]` is the document itself. */
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly evaluate: Evaluate }
  | {
      readonly kind: 'object';
      readonly fields: readonly (readonly [string, Expression])[];
      readonly evaluate: Evaluate;
    }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate };

/** Turns values into expressions, with the variables that are in reach. */
export interface Parser {
  readonly names: Names;
  /** Errors met while folding constants: they are raised after everything has been parsed. */
  readonly deferred: CommandError[];
  /** A value in an operand's place. @throws CommandError */
  operand(spec: Value): Expression;
  /** The same parser with other names. */
  naming(names: Names): Parser;
  /** A constant if all operands are constants, else a computed expression. */
  fold(operands: readonly Expression[], evaluate: Evaluate): Expression;
}

/** Reads an operator's argument. */
export type Operator = (spec: Value, parser: Parser, name: string) => Expression;
export type Operators = ReadonlyMap<string, Operator>;

export const constant = (value: Value | undefined): Expression => ({ kind: 'constant', value, evaluate: () => value });
export const computed = (evaluate: Evaluate): Expression => ({ kind: 'computed', evaluate });
