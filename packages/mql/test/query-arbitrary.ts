import fc from 'fast-check';
import { Decimal } from '../src/value/decimal.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import { Double, MAX_KEY, MIN_KEY, RegexValue } from '../src/value/value.js';

/** Few values and few names, so that filters often match. */
const scalar: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  0,
  1,
  2,
  1n,
  new Double(1),
  new Double(0.5),
  Decimal.parse('2.0')!,
  new Double(NaN),
  'x',
  'xy',
  '',
  null,
  true,
  false,
  MIN_KEY,
  MAX_KEY,
);
const name = fc.constantFrom('a', 'b', '0');

export const anySmallValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.uniqueArray(fc.tuple(name, tie('value')), { maxLength: 2, selector: ([key]) => key }).map(Doc.of),
  ),
})).value;

export const anySmallDoc: fc.Arbitrary<Doc> = fc
  .uniqueArray(fc.tuple(name, anySmallValue), { maxLength: 3, selector: ([key]) => key })
  .map(Doc.of);

const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join('.'));

// A type rather than an interface, because fc.letrec requires an index signature.
type Parts = {
  filter: Doc;
  field: readonly [string, Value];
  operators: Doc;
  operator: readonly [string, Value];
};

/** Filters with all operators that need no dependencies. */
const parts = fc.letrec<Parts>(tie => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    fc.array(tie('field'), { maxLength: 2 }).map(Doc.of),
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('filter'), { minLength: 1, maxLength: 2 }))
      .map(([key, filters]) => Doc.of([[key, filters]])),
  ),
  field: fc.oneof(
    fc.tuple(path, anySmallValue),
    fc.tuple(path, tie('operators')),
    fc.tuple(path, fc.constant(new RegexValue('^x', ''))),
  ),
  operators: fc.uniqueArray(tie('operator'), { minLength: 1, maxLength: 2, selector: ([key]) => key }).map(Doc.of),
  operator: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), anySmallValue),
    fc.tuple(fc.constantFrom('$in', '$nin', '$all'), fc.array(anySmallValue, { maxLength: 3 })),
    fc.tuple(fc.constant('$exists'), fc.boolean()),
    fc.tuple(fc.constant('$type'), fc.constantFrom('number', 'string', 'array', 'object', 'null')),
    fc.tuple(fc.constant('$size'), fc.nat(3)),
    fc.tuple(fc.constant('$mod'), fc.constant([2, 1])),
    fc.tuple(fc.constantFrom('$bitsAllSet', '$bitsAnyClear'), fc.nat(3)),
    fc.tuple(fc.constant('$elemMatch'), fc.oneof(tie('filter'), tie('operators'))),
    fc.tuple(fc.constant('$not'), tie('operators')),
  ),
}));

export const anyFilter: fc.Arbitrary<Doc> = parts.filter;
/** A path, and operators for it. */
export const anyPath: fc.Arbitrary<string> = path;
export const anyOperators: fc.Arbitrary<Doc> = parts.operators;
