import { fail } from '../errors.js';
import { compare } from '../value/compare.js';
import { isZero, mod } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { BinaryValue, isArray, isDoc, isNumber, typeName } from '../value/value.js';
import type { Test } from './condition.js';
import { readNonNegativeLong } from './integer-argument.js';
import { schemaKey } from './json-schema-equality.js';
import type { Keyword } from './json-schema-keyword.js';
import { compileRegex } from './regex.js';
import { readTypes, typeTest } from './type-test.js';

const requireNumber = (name: string, argument: Value): NumberValue => {
  if (!isNumber(argument)) throw fail('TypeMismatch', `$jsonSchema keyword '${name}' must be a number`);
  return argument;
};

/** Reads a length or count of zero or more. */
export const readCount = (name: string, argument: Value): number => {
  requireNumber(name, argument);
  const integer = readNonNegativeLong(name, argument);
  if ('refusal' in integer) throw fail('FailedToParse', integer.refusal);
  return Number(integer.value);
};

const readExclusive = (name: string, of: string, argument: Value, present: boolean): boolean => {
  if (typeof argument !== 'boolean') throw fail('TypeMismatch', `$jsonSchema keyword '${name}' must be a boolean`);
  if (!present) {
    throw fail('FailedToParse', `$jsonSchema keyword '${of}' must be a present if ${name} is present`);
  }
  return argument;
};

const ofNumbers =
  (passes: (value: NumberValue) => boolean): Test =>
  value =>
    !isNumber(value) || passes(value);

/** Tests the length of a string in code points. */
const ofLengths =
  (passes: (length: number) => boolean): Test =>
  value =>
    typeof value !== 'string' || passes(value.length === 0 ? 0 : Array.from(value).length);

/** JSON Schema's names of types. MongoDB does not support `integer`. */
const jsonTypes: ReadonlySet<string> = new Set(['object', 'array', 'number', 'boolean', 'string', 'null']);

const jsonType = (alias: Value): Value => {
  if (typeof alias !== 'string') {
    throw fail('TypeMismatch', `$jsonSchema keyword 'type' must be either a string or an array of strings`);
  }
  if (alias === 'integer') throw fail('FailedToParse', `$jsonSchema type 'integer' is not currently supported.`);
  if (!jsonTypes.has(alias)) throw fail('BadValue', `Unknown type name alias: ${alias}`);
  return alias === 'boolean' ? 'bool' : alias;
};

const requireAliases = (argument: Value): void => {
  if ((isArray(argument) ? argument : [argument]).every(alias => typeof alias === 'string')) return;
  throw fail('TypeMismatch', `$jsonSchema keyword 'bsonType' must be either a string or an array of strings`);
};

const requireUnique = (name: string, items: readonly Value[]): void => {
  if (new Set(items.map(schemaKey)).size < items.length) {
    throw fail('FailedToParse', `$jsonSchema keyword '${name}' array cannot contain duplicate values`);
  }
};

/** Keywords that apply to numbers, strings, types and whole values. */
export const scalarKeywords: Readonly<Record<string, Keyword>> = {
  type: argument => {
    const aliases = isArray(argument) ? argument.map(jsonType) : jsonType(argument);
    if (isArray(argument)) requireUnique('type', argument);
    return typeTest(readTypes('type', aliases));
  },
  bsonType: argument => {
    requireAliases(argument);
    if (isArray(argument)) requireUnique('bsonType', argument);
    return typeTest(readTypes('bsonType', argument));
  },
  encryptMetadata: argument => {
    if (!isDoc(argument)) throw fail('TypeMismatch', `$jsonSchema keyword 'encryptMetadata' must be an object`);
    return () => true;
  },
  encrypt: (argument, schema) => {
    if (!isDoc(argument)) throw fail('TypeMismatch', `$jsonSchema keyword 'encrypt' must be an object`);
    if (schema.has('type') || schema.has('bsonType'))
      throw fail(
        'FailedToParse',
        `$jsonSchema keyword 'encrypt' cannot be used in conjunction with 'type' or 'bsonType'`,
      );
    return value => value instanceof BinaryValue && value.subtype === 6;
  },
  enum: argument => {
    if (!isArray(argument)) {
      throw fail('TypeMismatch', `$jsonSchema keyword 'enum' must be an array, but found ${typeName(argument)}`);
    }
    if (argument.length === 0) throw fail('FailedToParse', `$jsonSchema keyword 'enum' cannot be an empty array`);
    requireUnique('enum', argument);
    const keys = new Set(argument.map(schemaKey));
    return value => value !== undefined && keys.has(schemaKey(value));
  },
  minimum: (argument, schema) => {
    const bound = requireNumber('minimum', argument);
    const exclusive = schema.get('exclusiveMinimum') === true;
    return ofNumbers(value => (exclusive ? compare(value, bound) > 0 : compare(value, bound) >= 0));
  },
  maximum: (argument, schema) => {
    const bound = requireNumber('maximum', argument);
    const exclusive = schema.get('exclusiveMaximum') === true;
    return ofNumbers(value => (exclusive ? compare(value, bound) < 0 : compare(value, bound) <= 0));
  },
  exclusiveMinimum: (argument, schema) => {
    readExclusive('exclusiveMinimum', 'minimum', argument, schema.has('minimum'));
    return () => true;
  },
  exclusiveMaximum: (argument, schema) => {
    readExclusive('exclusiveMaximum', 'maximum', argument, schema.has('maximum'));
    return () => true;
  },
  multipleOf: argument => {
    const divisor = requireNumber('multipleOf', argument);
    if (compare(divisor, 0) <= 0) {
      throw fail('FailedToParse', `$jsonSchema keyword 'multipleOf' must have a positive value`);
    }
    return ofNumbers(value => isZero(mod(value, divisor)));
  },
  minLength: argument => {
    const least = readCount('minLength', argument);
    return ofLengths(length => length >= least);
  },
  maxLength: argument => {
    const most = readCount('maxLength', argument);
    return ofLengths(length => length <= most);
  },
  pattern: argument => {
    if (typeof argument !== 'string') throw fail('TypeMismatch', `$jsonSchema keyword 'pattern' must be a string`);
    const regex = compileRegex(argument);
    return value => typeof value !== 'string' || regex.test(value);
  },
};
