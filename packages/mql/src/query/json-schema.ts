import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import type { Condition, Test } from './condition.js';
import { opaque } from './condition.js';
import { arrayKeywords } from './json-schema-arrays.js';
import type { Keyword } from './json-schema-keyword.js';
import { objectKeywords } from './json-schema-objects.js';
import { scalarKeywords } from './json-schema-scalars.js';

const passesAll = (tests: readonly Test[]): Test => {
  if (tests.length === 1) return tests[0]!;
  return value => tests.every(test => test(value));
};

const describes: Keyword = argument => {
  if (typeof argument !== 'string') {
    throw fail('TypeMismatch', `$jsonSchema keyword 'title' and 'description' must be of type string`);
  }
  return () => true;
};

const schemaList = (name: string, argument: Value, nested: (schema: Value, where: string) => Test): readonly Test[] => {
  if (!isArray(argument)) throw fail('TypeMismatch', `$jsonSchema keyword '${name}' must be an array`);
  if (argument.length === 0) throw fail('BadValue', `$jsonSchema keyword '${name}' must be a non-empty array`);
  return argument.map(item => {
    if (!isDoc(item)) {
      throw fail(
        'TypeMismatch',
        `$jsonSchema keyword '${name}' must be an array of objects, but found an element of type ${typeName(item)}`,
      );
    }
    return nested(item, name);
  });
};

const logicalKeywords: Readonly<Record<string, Keyword>> = {
  allOf: (argument, _schema, nested) => passesAll(schemaList('allOf', argument, nested)),
  anyOf: (argument, _schema, nested) => {
    const tests = schemaList('anyOf', argument, nested);
    return value => tests.some(test => test(value));
  },
  oneOf: (argument, _schema, nested) => {
    const tests = schemaList('oneOf', argument, nested);
    return value => tests.filter(test => test(value)).length === 1;
  },
  not: (argument, _schema, nested) => {
    if (!isDoc(argument)) throw fail('TypeMismatch', `$jsonSchema keyword 'not' must be an object`);
    const test = nested(argument, 'not');
    return value => !test(value);
  },
};

const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...Object.entries(scalarKeywords),
  ...Object.entries(arrayKeywords),
  ...Object.entries(objectKeywords),
  ...Object.entries(logicalKeywords),
  ['title', describes],
  ['description', describes],
]);

/** Keywords of JSON Schema that MongoDB does not support. */
const unsupported: ReadonlySet<string> = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id']);

/** Keywords whose argument has a schema for each of its names. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependencies']);

const schemaEncrypts = (schema: Doc): boolean =>
  schema.has('encrypt') ||
  schema.has('encryptMetadata') ||
  schema.entries().some(([name, value]) => {
    if (name === 'enum') return false;
    if (isDoc(value))
      return named.has(name)
        ? value.entries().some(([, one]) => isDoc(one) && schemaEncrypts(one))
        : schemaEncrypts(value);
    return isArray(value) && value.some(one => isDoc(one) && schemaEncrypts(one));
  });

/** Whether a validator has a `$jsonSchema` with keywords of encryption. */
export const usesEncryption = (validator: Doc): boolean =>
  validator.entries().some(([name, value]) => {
    if (name === '$jsonSchema') return isDoc(value) && schemaEncrypts(value);
    return isArray(value) && value.some(one => isDoc(one) && usesEncryption(one));
  });

const parseSchema = (schema: Value, where: string): Test => {
  if (!isDoc(schema)) throw fail('TypeMismatch', `Nested schema for $jsonSchema ${where} must be an object`);
  if (schema.has('type') && schema.has('bsonType')) {
    throw fail('FailedToParse', `Cannot specify both $jsonSchema keywords 'bsonType' and 'type'`);
  }
  const tests = schema.entries().map(([name, argument]) => {
    const keyword = keywords.get(name);
    if (keyword !== undefined) return keyword(argument, schema, parseSchema);
    if (unsupported.has(name)) {
      throw fail('FailedToParse', `$jsonSchema keyword '${name}' is not currently supported`);
    }
    throw fail('FailedToParse', `Unknown $jsonSchema keyword: ${name}`);
  });
  return passesAll(tests);
};

/**
 * Returns the test of one keyword of a schema, for a value that exists. Other keywords of the schema are considered
 * where they change its meaning.
 */
export const keywordTest = (name: string, schema: Doc): Test =>
  keywords.get(name)!(schema.get(name)!, schema, parseSchema);

/**
 * Returns the test of a whole schema.
 * @throws CommandError if the schema is malformed
 */
export const schemaTest = (schema: Value): Test => parseSchema(schema, '');

/**
 * Compiles `$jsonSchema`: MongoDB's variant of JSON Schema draft 4. Only `items` looks into arrays.
 * @throws CommandError if the schema is malformed
 */
export const parseJsonSchema = (schema: Value): Condition => {
  if (!isDoc(schema)) throw fail('TypeMismatch', '$jsonSchema must be an object');
  return opaque(schemaTest(schema));
};
