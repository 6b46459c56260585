import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explainMismatch } from '../src/query/explain.js';
import { parseQuery } from '../src/query/parse.js';
import { anyFilter, anySmallDoc } from './query-arbitrary.js';
import type { Shorthand } from './shorthand.js';
import { d, text } from './shorthand.js';

type Fields = { readonly [key: string]: Shorthand };

const check = (filter: Fields, doc: Fields, expected: Fields): void => {
  expect(parseQuery(d(filter), { expression: () => () => false }).matches(d(doc))).toBe(false);
  expect(text(explainMismatch(d(filter), d(doc), { expression: () => () => false }))).toBe(text(d(expected)));
};

const schema = (rules: Fields): Fields => ({ $jsonSchema: rules });
const unsatisfied = (...rules: readonly Fields[]): Fields => ({
  operatorName: '$jsonSchema',
  schemaRulesNotSatisfied: rules,
});
const property = (propertyName: string, ...details: readonly Fields[]): Fields => ({ propertyName, details });
const properties = (...propertiesNotSatisfied: readonly Fields[]): Fields => ({
  operatorName: 'properties',
  propertiesNotSatisfied,
});
const type = (rule: Fields, consideredValue: Shorthand, consideredType: string): Fields => ({
  operatorName: Object.keys(rule)[0]!,
  specifiedAs: rule,
  reason: 'type did not match',
  consideredValue,
  consideredType,
});

describe('errInfo.details of query operators', () => {
  const comparison = (specifiedAs: Fields, operatorName: string, consideredValue: Shorthand): Fields => ({
    operatorName,
    specifiedAs,
    reason: 'comparison failed',
    consideredValue,
  });

  test.each<readonly [Fields, Fields, Fields]>([
    [{ a: 1 }, { a: 2 }, comparison({ a: 1 }, '$eq', 2)],
    [{ a: { $gt: 5 } }, { a: 2 }, comparison({ a: { $gt: 5 } }, '$gt', 2)],
    [{ a: { $gt: 5 } }, {}, { operatorName: '$gt', specifiedAs: { a: { $gt: 5 } }, reason: 'field was missing' }],
    [
      { 'a.b': 1 },
      { a: [{ b: 2 }, { b: 3 }] },
      { operatorName: '$eq', specifiedAs: { 'a.b': 1 }, reason: 'comparison failed', consideredValues: [2, 3] },
    ],
    [
      { a: { $exists: true } },
      {},
      { operatorName: '$exists', specifiedAs: { a: { $exists: true } }, reason: 'path does not exist' },
    ],
    [
      { a: { $type: 'string' } },
      { a: 5 },
      {
        operatorName: '$type',
        specifiedAs: { a: { $type: 'string' } },
        reason: 'type did not match',
        consideredValue: 5,
        consideredType: 'int',
      },
    ],
    [
      { a: { $ne: 5 } },
      { a: 5 },
      { operatorName: '$ne', specifiedAs: { a: { $ne: 5 } }, reason: 'comparison failed', consideredValue: 5 },
    ],
    [
      { a: { $not: { $gt: 3 } } },
      { a: 5 },
      {
        operatorName: '$not',
        details: {
          operatorName: '$gt',
          specifiedAs: { a: { $gt: 3 } },
          reason: 'comparison succeeded',
          consideredValue: 5,
        },
      },
    ],
    [
      { a: 1, b: { $gt: 1, $lt: 5 } },
      { a: 1, b: 9 },
      { operatorName: '$and', clausesNotSatisfied: [{ index: 2, details: comparison({ b: { $lt: 5 } }, '$lt', 9) }] },
    ],
    [
      { $nor: [{ a: 1 }, { a: 2 }] },
      { a: 2 },
      {
        operatorName: '$nor',
        clausesSatisfied: [
          {
            index: 1,
            details: { operatorName: '$eq', specifiedAs: { a: 2 }, reason: 'comparison succeeded', consideredValue: 2 },
          },
        ],
      },
    ],
    [
      { $expr: { $eq: [1, 2] } },
      { a: 1 },
      {
        operatorName: '$expr',
        specifiedAs: { $expr: { $eq: [1, 2] } },
        reason: 'expression did not match',
        expressionResult: false,
      },
    ],
    [
      { $or: [{ phone: { $type: 'string' } }, { email: { $regex: /@x\.com$/ } }, { status: { $in: ['U', 'I'] } }] },
      { email: 'info@x.co' },
      {
        operatorName: '$or',
        clausesNotSatisfied: [
          {
            index: 0,
            details: {
              operatorName: '$type',
              specifiedAs: { phone: { $type: 'string' } },
              reason: 'field was missing',
            },
          },
          {
            index: 1,
            details: {
              operatorName: '$regex',
              specifiedAs: { email: { $regex: /@x\.com$/ } },
              reason: 'regular expression did not match',
              consideredValue: 'info@x.co',
            },
          },
          {
            index: 2,
            details: {
              operatorName: '$in',
              specifiedAs: { status: { $in: ['U', 'I'] } },
              reason: 'field was missing',
            },
          },
        ],
      },
    ],
  ])('%j on %j', check);
});

describe('errInfo.details of $jsonSchema', () => {
  test.each<readonly [string, Fields, Fields, Fields]>([
    [
      'a type as written in the schema',
      { properties: { children: { bsonType: ['array'], maxItems: 2 } } },
      { children: 2 },
      unsatisfied(properties(property('children', type({ bsonType: ['array'] }, 2, 'int')))),
    ],
    [
      'titles and descriptions',
      { title: 'T', properties: { a: { type: 'string', description: 'must be a string' } } },
      { a: 1 },
      {
        operatorName: '$jsonSchema',
        title: 'T',
        schemaRulesNotSatisfied: [
          properties({
            propertyName: 'a',
            description: 'must be a string',
            details: [type({ type: 'string' }, 1, 'int')],
          }),
        ],
      },
    ],
    [
      'properties before required',
      { required: ['name', 'year'], properties: { address: { properties: { street: { bsonType: 'string' } } } } },
      { year: 1, address: { street: 5 } },
      unsatisfied(
        properties(property('address', properties(property('street', type({ bsonType: 'string' }, 5, 'int'))))),
        { operatorName: 'required', specifiedAs: { required: ['name', 'year'] }, missingProperties: ['name'] },
      ),
    ],
    [
      'an enum',
      { properties: { a: { enum: ['x', null] } } },
      { a: 'y' },
      unsatisfied(
        properties(
          property('a', {
            operatorName: 'enum',
            specifiedAs: { enum: ['x', null] },
            reason: 'value was not found in enum',
            consideredValue: 'y',
          }),
        ),
      ),
    ],
    [
      'bounds and lengths',
      { properties: { a: { maximum: 200 }, b: { maxLength: 2 } } },
      { a: 500, b: 'abc' },
      unsatisfied(
        properties(
          property('a', {
            operatorName: 'maximum',
            specifiedAs: { maximum: 200 },
            reason: 'comparison failed',
            consideredValue: 500,
          }),
          property('b', {
            operatorName: 'maxLength',
            specifiedAs: { maxLength: 2 },
            reason: 'specified string length was not satisfied',
            consideredValue: 'abc',
          }),
        ),
      ),
    ],
    [
      'duplicates, then items',
      { properties: { a: { items: { type: 'string' }, uniqueItems: true } } },
      { a: ['x', 'x', 5] },
      unsatisfied(
        properties(
          property(
            'a',
            {
              operatorName: 'uniqueItems',
              specifiedAs: { uniqueItems: true },
              reason: 'found a duplicate item',
              consideredValue: ['x', 'x', 5],
              duplicatedValue: 'x',
            },
            {
              operatorName: 'items',
              reason: 'At least one item did not match the sub-schema',
              itemIndex: 2,
              details: [type({ type: 'string' }, 5, 'int')],
            },
          ),
        ),
      ),
    ],
    [
      'alternatives',
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { c: 1 },
      unsatisfied({
        operatorName: 'anyOf',
        schemasNotSatisfied: [
          {
            index: 0,
            details: [{ operatorName: 'required', specifiedAs: { required: ['a'] }, missingProperties: ['a'] }],
          },
          {
            index: 1,
            details: [{ operatorName: 'required', specifiedAs: { required: ['b'] }, missingProperties: ['b'] }],
          },
        ],
      }),
    ],
    [
      'too many alternatives',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 1 },
      unsatisfied({
        operatorName: 'oneOf',
        reason: 'more than one subschema matched',
        matchingSchemaIndexes: [0, 1],
      }),
    ],
    [
      'too many properties',
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, dir: 2 },
      unsatisfied({
        operatorName: 'additionalProperties',
        specifiedAs: { additionalProperties: false },
        additionalProperties: ['dir'],
      }),
    ],
    [
      'dependencies, patterns and negations',
      {
        dependencies: { a: ['b'] },
        patternProperties: { '^s': { type: 'string' } },
        not: { required: ['a'] },
      },
      { a: 1, s1: 5 },
      unsatisfied(
        {
          operatorName: 'patternProperties',
          details: [{ propertyName: 's1', regexMatched: '^s', details: [type({ type: 'string' }, 5, 'int')] }],
        },
        { operatorName: 'dependencies', failingDependencies: [{ conditionalProperty: 'a', missingProperties: ['b'] }] },
        { operatorName: 'not', reason: 'child expression matched' },
      ),
    ],
  ])('%s', (_title, rules, doc, expected) => {
    check(schema(rules), doc, expected);
  });
});

test('every mismatch has an explanation that names an operator', () => {
  fc.assert(
    fc.property(anyFilter, anySmallDoc, (filter, doc) => {
      if (parseQuery(filter).matches(doc)) return;
      expect(typeof explainMismatch(filter, doc).get('operatorName')).toBe('string');
    }),
    { numRuns: 300 },
  );
});
