import { fail } from '../errors.js';
import { toExactLong } from '../value/numbers.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { BinaryValue, isArray, isNumber } from '../value/value.js';
import type { Test } from './condition.js';
import { readNonNegativeInt, readNonNegativeLong } from './integer-argument.js';

export type BitsOperator = '$bitsAllSet' | '$bitsAllClear' | '$bitsAnySet' | '$bitsAnyClear';

const positionsInMask = (mask: bigint): readonly number[] => {
  const positions: number[] = [];
  for (let i = 0; i < 64; i++) if ((mask >> BigInt(i)) & 1n) positions.push(i);
  return positions;
};

/** Returns the bytes as they are stored: the deprecated subtype 2 repeats the length before the data. */
const storedBytes = ({ subtype, bytes }: BinaryValue): Uint8Array => {
  if (subtype !== 2) return bytes;
  const { length } = bytes;
  return Uint8Array.of(length & 255, (length >> 8) & 255, (length >> 16) & 255, length >> 24, ...bytes);
};

const positionsInBytes = (bytes: Uint8Array): readonly number[] => {
  const positions: number[] = [];
  for (let i = 0; i < bytes.length * 8; i++) if ((bytes[i >> 3]! >> (i & 7)) & 1) positions.push(i);
  return positions;
};

const positionInList = (item: Value, index: number): number => {
  const integer = readNonNegativeInt(String(index), item);
  if ('refusal' in integer) throw fail('BadValue', `Failed to parse bit position. ${integer.refusal}`);
  return Number(integer.value);
};

const readPositions = (operator: BitsOperator, field: string, argument: Value): readonly number[] => {
  if (isArray(argument)) return argument.map(positionInList);
  if (argument instanceof BinaryValue) return positionsInBytes(storedBytes(argument));
  if (!isNumber(argument)) {
    throw fail(
      'BadValue',
      `${field} takes an Array, a number, or a BinData but received: ${operator}: ${show(argument)}`,
    );
  }
  const integer = readNonNegativeLong(operator, argument);
  if ('refusal' in integer) throw fail('FailedToParse', integer.refusal);
  return positionsInMask(integer.value);
};

/**
 * Returns whether the bit at a position is set. An integer is read in two's complement with an infinite sign extension;
 * binary data is followed by zeros.
 */
type Bits = (position: number) => boolean;

const bitsOf = (value: Value | undefined): Bits | undefined => {
  if (value instanceof BinaryValue) {
    const bytes = storedBytes(value);
    return position => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  }
  if (!isNumber(value)) return undefined;
  const long = toExactLong(value);
  return long === undefined ? undefined : position => ((long >> BigInt(Math.min(position, 63))) & 1n) === 1n;
};

/**
 * Compiles a bit operator. It tests numbers that are exact int64s, and binary data.
 * @throws CommandError BadValue, FailedToParse
 */
export const bitsTest = (operator: BitsOperator, field: string, argument: Value): Test => {
  const positions = readPositions(operator, field, argument);
  const wanted = operator === '$bitsAllSet' || operator === '$bitsAnySet';
  const everyOne = operator === '$bitsAllSet' || operator === '$bitsAllClear';
  return value => {
    const bits = bitsOf(value);
    if (bits === undefined) return false;
    return everyOne
      ? positions.every(position => bits(position) === wanted)
      : positions.some(position => bits(position) === wanted);
  };
};
