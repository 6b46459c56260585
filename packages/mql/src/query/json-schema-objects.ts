import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import type { Test } from './condition.js';
import type { Keyword } from './json-schema-keyword.js';
import { readCount } from './json-schema-scalars.js';
import type { TextPattern } from './regex.js';
import { compileRegex } from './regex.js';

const ofDocs =
  (passes: (doc: Doc) => boolean): Test =>
  value =>
    !isDoc(value) || passes(value);

const requireDoc = (name: string, argument: Value): Doc => {
  if (!isDoc(argument)) throw fail('TypeMismatch', `$jsonSchema keyword '${name}' must be an object`);
  return argument;
};

const readNames = (name: string, argument: Value): readonly string[] => {
  if (!isArray(argument)) {
    throw fail('TypeMismatch', `$jsonSchema keyword '${name}' must be an array, but found ${typeName(argument)}`);
  }
  if (argument.length === 0) throw fail('FailedToParse', `$jsonSchema keyword '${name}' cannot be an empty array`);
  const names = argument.map(item => {
    if (typeof item !== 'string') {
      throw fail(
        'TypeMismatch',
        `$jsonSchema keyword '${name}' must be an array of strings, but found an element of type ${typeName(item)}`,
      );
    }
    if (item.includes('\0')) {
      throw fail(9867600, `$jsonSchema keyword '${name}' cannot contain a property name with an embedded null byte`);
    }
    return item;
  });
  const twice = names.find((item, i) => names.indexOf(item) !== i);
  if (twice !== undefined) {
    throw fail('FailedToParse', `$jsonSchema keyword '${name}' array cannot contain duplicate values: ${twice}`);
  }
  return names;
};

const patternsOf = (schema: Doc): readonly TextPattern[] => {
  const patterns = schema.get('patternProperties');
  return isDoc(patterns) ? patterns.keys().map(pattern => compileRegex(pattern)) : [];
};

const namesOf = (schema: Doc): ReadonlySet<string> => {
  const properties = schema.get('properties');
  return new Set(isDoc(properties) ? properties.keys() : []);
};

const dependency = (name: string, argument: Value, nested: (schema: Value, where: string) => Test): Test => {
  if (isArray(argument)) {
    const names = readNames('dependencies', argument);
    return ofDocs(doc => !doc.has(name) || names.every(other => doc.has(other)));
  }
  if (!isDoc(argument)) {
    throw fail('TypeMismatch', `$jsonSchema dependency '${name}' must be either an object or an array of strings`);
  }
  const test = nested(argument, `dependency '${name}'`);
  return ofDocs(doc => !doc.has(name) || test(doc));
};

/** Keywords that apply to documents. */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required: argument => {
    const names = readNames('required', argument);
    return ofDocs(doc => names.every(name => doc.has(name)));
  },
  properties: (argument, _schema, nested) => {
    const tests = requireDoc('properties', argument)
      .entries()
      .map(([name, schema]) => ({ name, test: nested(schema, `property '${name}'`) }));
    return ofDocs(doc =>
      tests.every(({ name, test }) => {
        const value = doc.get(name);
        return value === undefined || test(value);
      }),
    );
  },
  patternProperties: (argument, _schema, nested) => {
    const tests = requireDoc('patternProperties', argument)
      .entries()
      .map(([pattern, schema]) => ({ regex: compileRegex(pattern), test: nested(schema, `property '${pattern}'`) }));
    return ofDocs(doc =>
      doc.entries().every(([name, value]) => tests.every(({ regex, test }) => !regex.test(name) || test(value))),
    );
  },
  additionalProperties: (argument, schema, nested) => {
    if (typeof argument !== 'boolean' && !isDoc(argument)) {
      throw fail('TypeMismatch', `$jsonSchema keyword 'additionalProperties' must be an object or a boolean`);
    }
    const test = typeof argument === 'boolean' ? () => argument : nested(argument, `'additionalProperties'`);
    const names = namesOf(schema);
    const patterns = patternsOf(schema);
    return ofDocs(doc =>
      doc
        .entries()
        .every(([name, value]) => names.has(name) || patterns.some(pattern => pattern.test(name)) || test(value)),
    );
  },
  minProperties: argument => {
    const least = readCount('minProperties', argument);
    return ofDocs(doc => doc.size >= least);
  },
  maxProperties: argument => {
    const most = readCount('maxProperties', argument);
    return ofDocs(doc => doc.size <= most);
  },
  dependencies: (argument, _schema, nested) => {
    const tests = requireDoc('dependencies', argument)
      .entries()
      .map(([name, value]) => dependency(name, value, nested));
    return value => tests.every(test => test(value));
  },
};
