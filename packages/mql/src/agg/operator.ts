import { type CommandError, fail } from '../errors.js';
import { show } from '../value/show.js';
import type { NumberValue, Value } from '../value/value.js';
import { isArray, isDoc, isNullish, isNumber, typeName } from '../value/value.js';
import type { Evaluate, Expression, Operator, Parser } from './expression.js';

type Maybe = Value | undefined;

/** An operator's operands: the elements of an array, else the one value. */
export const operandsOf = (spec: Value, parser: Parser): readonly Expression[] =>
  isArray(spec) ? spec.map(item => parser.operand(item)) : [parser.operand(spec)];

/** @throws CommandError 16020 unless there are that many operands. */
export const exactly = (arity: number, spec: Value, parser: Parser, name: string): readonly Expression[] => {
  const operands = operandsOf(spec, parser);
  if (operands.length === arity) return operands;
  throw fail(16020, `Expression ${name} takes exactly ${arity} arguments. ${operands.length} were passed in.`);
};

const fixed =
  (arity: number, make: (operands: readonly Expression[], name: string) => Evaluate): Operator =>
  (spec, parser, name) => {
    const operands = exactly(arity, spec, parser, name);
    return parser.fold(operands, make(operands, name));
  };

export const unary = (apply: (a: Maybe, name: string) => Maybe): Operator =>
  fixed(
    1,
    ([a], name) =>
      scope =>
        apply(a!.evaluate(scope), name),
  );

export const binary = (apply: (a: Maybe, b: Maybe, name: string) => Maybe): Operator =>
  fixed(
    2,
    ([a, b], name) =>
      scope =>
        apply(a!.evaluate(scope), b!.evaluate(scope), name),
  );

export const ternary = (apply: (a: Maybe, b: Maybe, c: Maybe, name: string) => Maybe): Operator =>
  fixed(
    3,
    ([a, b, c], name) =>
      scope =>
        apply(a!.evaluate(scope), b!.evaluate(scope), c!.evaluate(scope), name),
  );

/** The same under another name, as `$substr` is `$substrBytes`. */
export const aliasOf =
  (operator: Operator, name: string): Operator =>
  (spec, parser) =>
    operator(spec, parser, name);

/** One operand that must be a number; null and missing give null. */
export const numeric = (apply: (a: NumberValue, name: string) => Maybe): Operator =>
  unary((a, name) => {
    if (isNullish(a)) return null;
    if (!isNumber(a)) throw fail(28765, `${name} only supports numeric types, not ${typeName(a)}`);
    return apply(a, name);
  });

/** From so many to so many operands, all evaluated. */
export const ranged =
  (least: number, most: number, apply: (operands: readonly Maybe[], name: string) => Maybe): Operator =>
  (spec, parser, name) => {
    const operands = operandsOf(spec, parser);
    if (operands.length < least || operands.length > most) {
      throw fail(
        28667,
        `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${operands.length} were passed in.`,
      );
    }
    return parser.fold(operands, scope =>
      apply(
        operands.map(operand => operand.evaluate(scope)),
        name,
      ),
    );
  };

/** Any number of operands, evaluated one after the other as the operator wishes. */
export const variadic =
  (make: (operands: readonly Expression[], name: string) => Evaluate): Operator =>
  (spec, parser, name) => {
    const operands = operandsOf(spec, parser);
    return parser.fold(operands, make(operands, name));
  };

/** What an operator with named arguments accepts, and how it complains. */
export interface Signature {
  readonly fields: readonly string[];
  /** The argument is no object. */
  readonly notObject: (spec: Value) => CommandError;
  readonly unknown: (field: string) => CommandError;
}

/** The named arguments, unparsed. @throws CommandError as the signature says. */
export const namedArguments = (spec: Value, signature: Signature): ReadonlyMap<string, Value> => {
  if (!isDoc(spec)) throw signature.notObject(spec);
  const found = new Map<string, Value>();
  for (const [key, value] of spec) {
    if (!signature.fields.includes(key)) throw signature.unknown(key);
    found.set(key, value);
  }
  return found;
};

/** The named arguments, all parsed as expressions. */
export const namedOperands = (spec: Value, parser: Parser, signature: Signature): ReadonlyMap<string, Expression> =>
  new Map([...namedArguments(spec, signature)].map(([key, value]) => [key, parser.operand(value)]));

/** A constant's place in messages that print the specification: `$op: 5`. */
export const showField = (name: string, value: Value): string => `${name}: ${show(value)}`;
