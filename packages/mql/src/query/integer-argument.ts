import { isNaNValue, toExactLong, toLong } from '../value/numbers.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { Double, isNumber } from '../value/value.js';

/** An integer, or the message with which MongoDB rejects the argument. */
export type Integer = { readonly value: bigint } | { readonly refusal: string };

const minInt32 = -0x80000000n;
const maxInt32 = 0x7fffffffn;

/** Reads an argument that must be an integer of any number type. `name` is the name of its field. */
export const readLong = (name: string, argument: Value): Integer => {
  const shown = `${name}: ${show(argument)}`;
  if (!isNumber(argument)) return { refusal: `Expected a number in: ${shown}` };
  if (isNaNValue(argument) && argument instanceof Double) {
    return { refusal: `Expected an integer, but found NaN in: ${shown}` };
  }
  const value = toExactLong(argument);
  if (value !== undefined) return { value };
  if (argument instanceof Double && toLong(argument) !== undefined) return { refusal: `Expected an integer: ${shown}` };
  return { refusal: `Cannot represent as a 64-bit integer: ${shown}` };
};

export const readNonNegativeLong = (name: string, argument: Value): Integer => {
  const integer = readLong(name, argument);
  if ('refusal' in integer || integer.value >= 0n) return integer;
  return { refusal: `Expected a non-negative number in: ${name}: ${show(argument)}` };
};

const asInt = (integer: Integer, name: string, argument: Value): Integer => {
  if ('refusal' in integer || (integer.value >= minInt32 && integer.value <= maxInt32)) return integer;
  return { refusal: `Cannot represent ${name}: ${show(argument)} in an int` };
};

export const readInt = (name: string, argument: Value): Integer => asInt(readLong(name, argument), name, argument);

export const readNonNegativeInt = (name: string, argument: Value): Integer =>
  asInt(readNonNegativeLong(name, argument), name, argument);
