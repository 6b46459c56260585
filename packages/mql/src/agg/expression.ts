import type { CommandError } from '../errors.js';
import type { Scripts } from '../script/scripts.js';
import type { Value } from '../value/value.js';
import type { Names } from './names.js';
import type { Scope } from './scope.js';

/** Evaluates an expression. A missing value is undefined. */
export type Evaluate = (scope: Scope) => Value | undefined;

/** A compiled expression, and what is known about it at compile time. */
export type Expression =
  | { readonly kind: 'constant'; readonly value: Value | undefined; readonly evaluate: Evaluate }
  /** A path in the root document; `[]` is the document itself. */
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly evaluate: Evaluate }
  | {
      readonly kind: 'object';
      readonly fields: readonly (readonly [string, Expression])[];
      readonly evaluate: Evaluate;
    }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate };

/** Parses expressions with the variables in scope. */
export interface Parser {
  readonly names: Names;
  /** Errors of constant folding. They are thrown after the whole pipeline has been parsed. */
  readonly deferred: CommandError[];
  /** The names of the metadata that `$meta` reads. */
  readonly metadata: Set<string>;
  /** Runs the scripts of `$function` and `$accumulator`, which are rejected if undefined. */
  readonly scripts: Scripts | undefined;
  /**
   * Parses a value as an operand.
   * @throws CommandError if it is not a valid expression
   */
  operand(spec: Value): Expression;
  /** Returns the same parser with other variables. */
  naming(names: Names): Parser;
  /** Creates a constant if all operands are constants, otherwise a computed expression. */
  fold(operands: readonly Expression[], evaluate: Evaluate): Expression;
}

/** Compiles an operator's argument. */
export type Operator = (spec: Value, parser: Parser, name: string) => Expression;
export type Operators = ReadonlyMap<string, Operator>;

export const constant = (value: Value | undefined): Expression => ({ kind: 'constant', value, evaluate: () => value });
export const computed = (evaluate: Evaluate): Expression => ({ kind: 'computed', evaluate });
