import { fail } from '../errors.js';
import { toSafeInteger } from '../value/numbers.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { Double, isArray, isNumber, typeNumber, typeNumbersByName } from '../value/value.js';
import type { Test } from './condition.js';

const known: ReadonlySet<number> = new Set(typeNumbersByName.values());
const numbers: readonly number[] = [1, 16, 18, 19];

/** Formats a double in C++'s default format, as mongod's messages about `$type` do. */
const showCode = (code: Value): string =>
  code instanceof Double && !Number.isInteger(code.value)
    ? show(code).replace(/\.0$/, '')
    : String(code instanceof Double ? code.value : show(code));

const typesOf = (alias: Value): readonly number[] => {
  if (typeof alias === 'string') {
    if (alias === 'number') return numbers;
    const number = typeNumbersByName.get(alias);
    if (number !== undefined) return [number];
    if (alias === 'missing') {
      throw fail(
        'BadValue',
        `'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}.`,
      );
    }
    throw fail('BadValue', `Unknown type name alias: ${alias}`);
  }
  if (!isNumber(alias)) throw fail('TypeMismatch', 'type must be represented as a number or a string');
  const code = toSafeInteger(alias);
  if (code === 0) throw fail('BadValue', 'Invalid numerical type code: 0. Instead use {$exists:false}.');
  if (code === undefined || !known.has(code)) throw fail('BadValue', `Invalid numerical type code: ${showCode(alias)}`);
  return [code];
};

/**
 * Reads the argument of `$type` or `bsonType`, a type name, a type number or an array of them, and returns the type
 * numbers.
 */
export const readTypes = (field: string, argument: Value): ReadonlySet<number> => {
  if (!isArray(argument)) return new Set(typesOf(argument));
  if (argument.length === 0) throw fail('FailedToParse', `${field} must match at least one type`);
  return new Set(argument.flatMap(typesOf));
};

/** Returns a test for existing values of the types. */
export const typeTest = (types: ReadonlySet<number>): Test => {
  const [only] = types;
  if (types.size === 1) return value => value !== undefined && typeNumber(value) === only;
  return value => value !== undefined && types.has(typeNumber(value));
};
