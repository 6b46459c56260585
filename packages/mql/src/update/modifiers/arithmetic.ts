import { fail } from '../../errors.js';
import { addExactly, compareNumbers, isNaNValue, multiplyExactly } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { Double, isDoc, isNumber, typeName, typeNumber } from '../../value/value.js';
import type { Place } from '../place.js';
import { nameOf, showId } from '../place.js';
import type { Modifier } from '../tree.js';
import { showArgument } from './fields.js';

/** Formats a number with its type, as in messages: `(NumberLong)9223372036854775807`. */
const showTyped = (value: NumberValue): string => {
  if (typeof value === 'number') return `(NumberInt)${value}`;
  if (typeof value === 'bigint') return `(NumberLong)${value}`;
  return value instanceof Double ? `(NumberDouble)${value.value}` : `(NumberDecimal)${value.toString()}`;
};

/**
 * Returns whether two numbers have the same type and value. -0 equals 0; NaN never equals itself. mongod:
 * SafeNum::isIdentical.
 */
const isUnchanged = (a: NumberValue, b: NumberValue): boolean =>
  typeNumber(a) === typeNumber(b) && !isNaNValue(a) && compareNumbers(a, b) === 0;

interface Arithmetic {
  readonly name: '$inc' | '$mul';
  readonly verb: 'increment' | 'multiply';
  /** Returns undefined if an int64 overflows. */
  readonly apply: (a: NumberValue, b: NumberValue) => NumberValue | undefined;
  readonly initial: (operand: NumberValue) => NumberValue;
}

const createArithmetic =
  ({ name, verb, apply, initial }: Arithmetic) =>
  (operand: Value, path: string): Modifier => {
    if (!isNumber(operand)) {
      throw fail('TypeMismatch', `Cannot ${verb} with non-numeric argument: ${showArgument(path, operand)}`);
    }
    return {
      update: (existing, place) => {
        if (!isNumber(existing)) {
          throw fail(
            'TypeMismatch',
            `Cannot apply ${name} to a value of non-numeric type. ${showId(place.run)} has the field '${nameOf(place)}' of non-numeric type ${typeName(existing)}`,
          );
        }
        const result = apply(existing, operand);
        if (result === undefined) {
          throw fail(
            'BadValue',
            `Failed to apply ${name} operations to current value (${showTyped(existing)}) for document ${showId(place.run)}`,
          );
        }
        return isUnchanged(existing, result) ? existing : result;
      },
      create: () => initial(operand),
    };
  };

/** Creates `$inc`. An int32 that overflows becomes an int64; an int64 that overflows is an error. */
export const inc: (operand: Value, path: string) => Modifier = createArithmetic({
  name: '$inc',
  verb: 'increment',
  apply: addExactly,
  initial: operand => operand,
});

export const mul: (operand: Value, path: string) => Modifier = createArithmetic({
  name: '$mul',
  verb: 'multiply',
  apply: multiplyExactly,
  // Zero of the operand's type, with its sign and scale; NaN if the product with zero is not defined.
  initial: operand => multiplyExactly(operand, 0)!,
});

type Integer = number | bigint;

type Operation = (a: bigint, b: bigint) => bigint;

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['and', (a, b) => a & b],
  ['or', (a, b) => a | b],
  ['xor', (a, b) => a ^ b],
]);

const isInteger = (value: Value): value is Integer => typeof value === 'number' || typeof value === 'bigint';

const readOperation = (name: string, operand: Value): ((value: Integer) => Integer) => {
  const operation = operations.get(name);
  const shown = showArgument(name, operand);
  if (operation === undefined) {
    throw fail(
      'BadValue',
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: ${shown}`,
    );
  }
  if (!isInteger(operand)) {
    throw fail(
      'BadValue',
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here: ${shown}`,
    );
  }
  return value => {
    const result = operation(BigInt(value), BigInt(operand));
    return typeof value === 'number' && typeof operand === 'number' ? Number(result) : result;
  };
};

/**
 * Creates `$bit` from `{ and: 5, or: 8 }`. The operations are applied in order. The result is an int64 if any of the
 * integers is one.
 */
export const bit = (argument: Value): Modifier => {
  if (!isDoc(argument)) {
    throw fail(
      'BadValue',
      `The $bit modifier is not compatible with a ${typeName(argument)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  const steps = argument.entries().map(([name, operand]) => readOperation(name, operand));
  if (steps.length === 0) {
    throw fail(
      'BadValue',
      'You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}',
    );
  }
  const apply = (value: Integer): Integer => steps.reduce((result, step) => step(result), value);
  return {
    update: (existing, place: Place) => {
      if (isInteger(existing)) return apply(existing);
      throw fail(
        'BadValue',
        `Cannot apply $bit to a value of non-integral type.${show(place.run.original.get('_id'))} has the field ${nameOf(place)} of non-integer type ${typeName(existing)}`,
      );
    },
    create: () => apply(0),
  };
};
