import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Test } from './condition.js';
import { schemaKey } from './json-schema-equality.js';
import type { Keyword } from './json-schema-keyword.js';
import { readCount } from './json-schema-scalars.js';

const ofArrays =
  (passes: (items: readonly Value[]) => boolean): Test =>
  value => {
    if (!isArray(value)) return true;
    spend(value.length);
    return passes(value);
  };

const itemTests = (items: readonly Value[], nested: (schema: Value, where: string) => Test): readonly Test[] =>
  items.map(item => {
    if (isDoc(item)) return nested(item, `'items'`);
    throw fail(
      'TypeMismatch',
      `$jsonSchema keyword 'items' requires that each element of the array is an object, but found a ${typeName(item)}`,
    );
  });

/**
 * Returns the index of the first item that `additionalItems` describes. It is infinite unless `items` is a list of
 * schemas.
 */
const additional = (schema: Doc): number => {
  const items = schema.get('items');
  return isArray(items) ? items.length : Number.POSITIVE_INFINITY;
};

/** Keywords that apply to arrays. */
export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  items: (argument, _schema, nested) => {
    if (isArray(argument)) {
      const tests = itemTests(argument, nested);
      return ofArrays(items => tests.every((test, i) => i >= items.length || test(items[i])));
    }
    if (!isDoc(argument)) {
      throw fail(
        'TypeMismatch',
        `$jsonSchema keyword 'items' must be an array or an object, not ${typeName(argument)}`,
      );
    }
    const test = nested(argument, `'items'`);
    return ofArrays(items => items.every(test));
  },
  additionalItems: (argument, schema, nested) => {
    const from = additional(schema);
    if (typeof argument === 'boolean') return ofArrays(items => argument || items.length <= from);
    if (!isDoc(argument)) {
      throw fail(
        'TypeMismatch',
        `$jsonSchema keyword 'additionalItems' must be either an object or a boolean, but got a ${typeName(argument)}`,
      );
    }
    const test = nested(argument, `'additionalItems'`);
    return ofArrays(items => items.every((item, i) => i < from || test(item)));
  },
  minItems: argument => {
    const least = readCount('minItems', argument);
    return ofArrays(items => items.length >= least);
  },
  maxItems: argument => {
    const most = readCount('maxItems', argument);
    return ofArrays(items => items.length <= most);
  },
  uniqueItems: argument => {
    if (typeof argument !== 'boolean') {
      throw fail('TypeMismatch', `$jsonSchema keyword 'uniqueItems' must be a boolean`);
    }
    return ofArrays(items => !argument || new Set(items.map(schemaKey)).size === items.length);
  },
};
