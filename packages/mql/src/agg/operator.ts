import { type CommandError, fail } from '../errors.js';
import { show } from '../value/show.js';
import type { NumberValue, Value } from '../value/value.js';
import { isArray, isDoc, isNullish, isNumber, typeName } from '../value/value.js';
import type { Evaluate, Expression, Operator, Parser } from './expression.js';

type Maybe = Value | undefined;

/** Returns an operator's operands: the elements of an array, or the single value. */
export const operandsOf = (spec: Value, parser: Parser): readonly Expression[] =>
  isArray(spec) ? spec.map(item => parser.operand(item)) : [parser.operand(spec)];

/**
 * Returns the operands of an operator with a fixed number of operands.
 * @throws CommandError 16020 for another number of operands
 */
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

/** Creates an operator under another name: `$substr` is `$substrBytes`. */
export const aliasOf =
  (operator: Operator, name: string): Operator =>
  (spec, parser) =>
    operator(spec, parser, name);

/** Creates an operator with one operand that must be a number. Null and missing values give null. */
export const numeric = (apply: (a: NumberValue, name: string) => Maybe): Operator =>
  unary((a, name) => {
    if (isNullish(a)) return null;
    if (!isNumber(a)) throw fail(28765, `${name} only supports numeric types, not ${typeName(a)}`);
    return apply(a, name);
  });

/** Creates an operator with a range of operand counts. All operands are evaluated. */
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

/** Creates an operator with any number of operands, which evaluates them as it needs them. */
export const variadic =
  (make: (operands: readonly Expression[], name: string) => Evaluate): Operator =>
  (spec, parser, name) => {
    const operands = operandsOf(spec, parser);
    return parser.fold(operands, make(operands, name));
  };

/** The named arguments of an operator, and its errors. */
export interface Signature {
  readonly fields: readonly string[];
  /** Creates the error for an argument that is not an object. */
  readonly notObject: (spec: Value) => CommandError;
  readonly unknown: (field: string) => CommandError;
}

/**
 * Returns the named arguments unparsed.
 * @throws CommandError from the signature
 */
export const namedArguments = (spec: Value, signature: Signature): ReadonlyMap<string, Value> => {
  if (!isDoc(spec)) throw signature.notObject(spec);
  const found = new Map<string, Value>();
  for (const [key, value] of spec) {
    if (!signature.fields.includes(key)) throw signature.unknown(key);
    found.set(key, value);
  }
  return found;
};

/** Returns the named arguments, parsed as expressions. */
export const namedOperands = (spec: Value, parser: Parser, signature: Signature): ReadonlyMap<string, Expression> =>
  new Map([...namedArguments(spec, signature)].map(([key, value]) => [key, parser.operand(value)]));

/** Formats an argument as messages do: `$op: 5`. */
export const showField = (name: string, value: Value): string => `${name}: ${show(value)}`;
