import { describe, expect, test } from 'vitest';
import { UnknownExpression, fail } from '../src/errors.js';
import { parseProjection } from '../src/project/projection.js';
import { parseQuery } from '../src/query/parse.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import { isArray, isDoc } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, decimal, double, refusal, text } from './shorthand.js';

/** A minimal expression compiler: literals, single-name paths, and the error of `$slice` with too few arguments. */
const expression = (spec: Value): ((doc: Doc) => Value | undefined) => {
  if (typeof spec === 'string' && spec.startsWith('$')) return doc => doc.get(spec.slice(1));
  if (!isDoc(spec)) return () => spec;
  const [[name, argument]] = spec.entries() as readonly [readonly [string, Value]];
  if (name === '$literal') return () => argument;
  if (name !== '$slice') throw new UnknownExpression(name);
  const count = isArray(argument) ? argument.length : 1;
  if (count === 2 || count === 3) return () => null;
  throw fail(28667, `Expression $slice takes at least 2 arguments, and at most 3, but ${count} were passed in.`);
};

type Fields = { readonly [key: string]: Shorthand };

const project = (spec: Fields, doc: Fields, filter: Fields = {}): string =>
  text(parseProjection(d(spec), { expression })(d(doc), parseQuery(d(filter))));

const four = { _id: 1, a: [1, 2, 3, 4], b: 5 };
const ref = { _id: 1, r: { $ref: 'c', $id: [{ x: 1 }, { x: 2 }] } };
const games = {
  _id: 1,
  z: 0,
  a: [
    { g: 'x', s: 8 },
    { g: 'y', s: 5 },
    { g: 'y', s: 9 },
  ],
  b: 2,
};

describe('$slice', () => {
  test.each<readonly [Fields, Fields]>([
    [{ a: { $slice: 2 } }, { _id: 1, a: [1, 2], b: 5 }],
    [{ a: { $slice: -2 } }, { _id: 1, a: [3, 4], b: 5 }],
    [{ a: { $slice: 0 } }, { _id: 1, a: [], b: 5 }],
    [{ a: { $slice: 9 } }, four],
    [{ a: { $slice: -9 } }, four],
    [{ a: { $slice: 1.4 } }, { _id: 1, a: [1], b: 5 }],
    [{ a: { $slice: double(Infinity) } }, four],
    [{ a: { $slice: [1, 2] } }, { _id: 1, a: [2, 3], b: 5 }],
    [{ a: { $slice: [-3, 2] } }, { _id: 1, a: [2, 3], b: 5 }],
    [{ a: { $slice: [-2.5, 2] } }, { _id: 1, a: [3, 4], b: 5 }],
    [{ a: { $slice: [1, 2.8] } }, { _id: 1, a: [2, 3], b: 5 }],
    [{ a: { $slice: [9, 1] } }, { _id: 1, a: [], b: 5 }],
    [{ a: { $slice: [-9, 2] } }, { _id: 1, a: [1, 2], b: 5 }],
    [
      { a: { $slice: 1 }, b: 1 },
      { _id: 1, a: [1], b: 5 },
    ],
    [
      { a: { $slice: 1 }, _id: 0 },
      { a: [1], b: 5 },
    ],
    [
      { a: { $slice: 1 }, b: 0 },
      { _id: 1, a: [1] },
    ],
    [
      { b: 1, a: { $slice: 1 } },
      { _id: 1, a: [1], b: 5 },
    ],
    [{ b: { $slice: 1 } }, four],
    [{ z: { $slice: 1 } }, four],
    [{ a: { $slice: [[9, 8], 1] } }, { _id: 1, a: null }],
  ])('%j', (spec, expected) => {
    expect(project(spec, four)).toBe(text(d(expected)));
  });

  test('accepts numbers of all types', () => {
    expect(project({ a: { $slice: 2n } }, four)).toBe(text(d({ _id: 1, a: [1, 2], b: 5 })));
    expect(project({ a: { $slice: decimal('-2') } }, four)).toBe(text(d({ _id: 1, a: [3, 4], b: 5 })));
  });

  test('slices arrays at a nested path, and keeps all other fields if it is alone', () => {
    const doc = { _id: 1, a: { b: [1, 2], c: 3 }, d: [{ e: [1, 2] }, 5, { f: 1 }] };
    expect(project({ 'a.b': { $slice: 1 }, 'd.e': { $slice: -1 } }, doc)).toBe(
      text(d({ _id: 1, a: { b: [1], c: 3 }, d: [{ e: [2] }, 5, { f: 1 }] })),
    );
    expect(project({ 'a.b': { $slice: 1 }, _id: 1, d: 1 }, doc)).toBe(
      text(d({ _id: 1, a: { b: [1] }, d: [{ e: [1, 2] }, 5, { f: 1 }] })),
    );
  });

  const syntax = (shown: string, reason: string, count: number): string =>
    `28667 Location28667: Invalid $slice syntax. The given syntax { $slice: ${shown} } did not match the find() syntax because :: ${reason} :: The given syntax did not match the expression $slice syntax. :: caused by :: Expression $slice takes at least 2 arguments, and at most 3, but ${count} were passed in.`;
  const numbers = 'Location31273: $slice only supports numbers and [skip, limit] arrays';
  const array = 'Location31272: $slice array argument should be of form [skip, limit]';

  test.each<readonly [Shorthand, string]>([
    ['string', syntax('"string"', numbers, 1)],
    [null, syntax('null', numbers, 1)],
    [{ a: { b: 3 }, b: 'x' }, syntax('{ a: { b: 3 }, b: "x" }', numbers, 1)],
    [[], syntax('[]', array, 0)],
    [[null], syntax('[ null ]', array, 1)],
    [[1, 2, 3, 4], syntax('[ 1, 2, 3, 4 ]', array, 4)],
  ])('rejects %j', (argument, expected) => {
    expect(refusal(() => parseProjection(d({ v: { $slice: argument } }), { expression }))).toBe(expected);
  });
});

describe('$elemMatch: "limits the contents of an array to the first element that matches"', () => {
  test.each<readonly [Fields, Fields]>([
    [{ a: { $elemMatch: { g: 'y' } } }, { _id: 1, a: [{ g: 'y', s: 5 }] }],
    [{ a: { $elemMatch: { g: 'y', s: { $gt: 5 } } } }, { _id: 1, a: [{ g: 'y', s: 9 }] }],
    [{ a: { $elemMatch: { g: 'q' } } }, { _id: 1 }],
    [{ b: { $elemMatch: { g: 'y' } } }, { _id: 1 }],
    [{ q: { $elemMatch: { g: 'y' } } }, { _id: 1 }],
    [
      { a: { $elemMatch: { g: 'y' } }, b: 1, z: 1 },
      { _id: 1, z: 0, b: 2, a: [{ g: 'y', s: 5 }] },
    ],
    [
      { a: { $elemMatch: { g: 'y' } }, b: 0 },
      { _id: 1, z: 0, a: [{ g: 'y', s: 5 }] },
    ],
    [{ a: { $elemMatch: { g: 'x' } }, _id: 0 }, { a: [{ g: 'x', s: 8 }] }],
  ])('%j', (spec, expected) => {
    expect(project(spec, games)).toBe(text(d(expected)));
  });

  test('matches elements that are values', () => {
    expect(project({ a: { $elemMatch: { $gt: 2 } } }, four)).toBe(text(d({ _id: 1, a: [3] })));
  });
});

describe('the positional $: "the first element that matches the query condition on the array"', () => {
  test.each<readonly [Fields, Fields, Fields, Fields]>([
    [{ 'a.$': 1 }, { a: { $gte: 2 } }, four, { _id: 1, a: [2] }],
    [{ 'a.$': true, b: 1 }, { a: 3 }, four, { _id: 1, a: [3], b: 5 }],
    [{ 'a.$': 1 }, { 'a.g': 'y' }, games, { _id: 1, a: [{ g: 'y', s: 5 }] }],
    [{ 'a.$': 1 }, { a: { $elemMatch: { g: 'y', s: 9 } } }, games, { _id: 1, a: [{ g: 'y', s: 9 }] }],
    [{ 'x.a.$': 1 }, { 'x.a': 2 }, { _id: 1, x: { a: [1, 2], b: 1 } }, { _id: 1, x: { a: [2] } }],
    [{ 'b.$': 1 }, { b: 5 }, four, { _id: 1, b: 5 }],
    [{ 'r.$id.$': 1 }, { 'r.$id': { $elemMatch: { x: 2 } } }, ref, { _id: 1, r: { $id: [{ x: 2 }] } }],
    [{ 'q.$': 1 }, { a: 3 }, four, { _id: 1 }],
  ])('%j where %j', (spec, filter, doc, expected) => {
    expect(project(spec, doc, filter)).toBe(text(d(expected)));
  });

  test.each<readonly [Fields, Fields, string]>([
    [
      { 'a.$': 1 },
      { _id: 1 },
      "51246 Location51246: positional operator '.$' couldn't find a matching element in the array",
    ],
    [
      { 'a.$': 1 },
      { a: { $ne: 9 } },
      "51246 Location51246: positional operator '.$' couldn't find a matching element in the array",
    ],
    [{ 'c.$': 1 }, { a: 4 }, "51247 Location51247: positional operator '.$' element mismatch"],
  ])('rejects %j for %j', (spec, filter, expected) => {
    expect(refusal(() => project(spec, { ...four, c: [1] }, filter))).toBe(expected);
  });

  test('throws without a query', () => {
    expect(refusal(() => parseProjection(d({ 'a.$': 1 }), { expression, filter: d({ $where: 'true' }) }))).toBe(
      '2 BadValue: $where is not allowed in this context',
    );
    expect(refusal(() => parseProjection(d({ 'a.$': 1 }), { expression })(d(four)))).toBe(
      '51050 Location51050: Projections with a positional operator require a matching query',
    );
  });
});

describe('expressions and literals, since 4.4', () => {
  test.each<readonly [Fields, Fields]>([
    [{}, four],
    [{ x: 'text' }, { _id: 1, x: 'text' }],
    [{ x: '$b' }, { _id: 1, x: 5 }],
    [
      { x: { $literal: 1 }, b: 1 },
      { _id: 1, b: 5, x: 1 },
    ],
    [{ 'x.y': { $literal: 1 } }, { _id: 1, x: { y: 1 } }],
    [{ x: { y: '$b', z: [] } }, { _id: 1, x: { y: 5, z: [] } }],
    [{ b: 'other' }, { _id: 1, b: 'other' }],
  ])('%j', (spec, expected) => {
    expect(project(spec, four)).toBe(text(d(expected)));
  });
});

test.each<readonly [Fields, string]>([
  [{ a: 1, b: 0 }, '31254 Location31254: Cannot do exclusion on field b in inclusion projection'],
  [{ a: 0, b: 1 }, '31253 Location31253: Cannot do inclusion on field b in exclusion projection'],
  [{ a: 0, b: 'x' }, '31310 Location31310: Cannot use an expression b: "x" in an exclusion projection'],
  [
    { a: 0, b: { $slice: [['x'], 1] } },
    '31252 Location31252: Cannot use expression other than $meta in exclusion projection',
  ],
  [{ 'a.$': 1, b: 0 }, '31254 Location31254: Cannot do exclusion on field b in inclusion projection'],
  [{ b: 0, 'a.$': 1 }, '31395 Location31395: positional projection cannot be used with exclusion'],
  [{ 'a.$': 0 }, '31395 Location31395: positional projection cannot be used with exclusion'],
  [{ 'a.$': 1, 'b.$': 1 }, '31276 Location31276: Cannot specify more than one positional projection per query.'],
  [{ 'a.$': { x: 1 } }, '31271 Location31271: positional projection cannot be used with an expression or sub object'],
  [{ 'a.$': 1, a: 1 }, '31250 Location31250: Path collision at a'],
  [
    { 'a.$': 1, b: { $elemMatch: { x: 1 } } },
    '31255 Location31255: Cannot specify positional operator and $elemMatch.',
  ],
  [
    { b: { $elemMatch: { x: 1 } }, 'a.$': 1 },
    '31256 Location31256: Cannot specify positional operator and $elemMatch.',
  ],
  [{ a: { $elemMatch: 1 } }, '31274 Location31274: elemMatch: Invalid argument, object required, but got int'],
  [{ 'a.b': { $elemMatch: { x: 1 } } }, '31275 Location31275: Cannot use $elemMatch projection on a nested field.'],
  [{ a: { $elemMatch: { $foo: 1 } } }, '2 BadValue: unknown operator: $foo'],
  [{ a: { $bogus: 1 } }, '31325 Location31325: Unknown expression $bogus'],
  [{ a: 1, 'a.b': 1 }, '31249 Location31249: Path collision at a.b remaining portion b'],
  [
    { $a: 1 },
    "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
  ],
  [
    { 'a.$.b': 1 },
    "31394 Location31394: As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional projection may only be used at the end, for example: a.b.$. If the query previously used a form like a.b.$.d, remove the parts following the '$' and the results will be equivalent.",
  ],
])('rejects %j', (spec, expected) => {
  expect(refusal(() => parseProjection(d(spec), { expression }))).toBe(expected);
});
