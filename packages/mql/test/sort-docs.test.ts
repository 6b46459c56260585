import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortDocs as sorting } from '../src/sort/sort-docs.js';
import { inOneGo } from '../src/work/pause.js';
import { parseSort } from '../src/sort/sort.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import {
  BinaryValue,
  DateValue,
  MAX_KEY,
  MIN_KEY,
  RegexValue,
  SymbolValue,
  TimestampValue,
  UNDEFINED,
} from '../src/value/value.js';
import { anySmallDoc } from './query-arbitrary.js';
import type { Shorthand } from './shorthand.js';
import { d, decimal, double, oid, refusal, text, v } from './shorthand.js';

const sortDocs = (...of: Parameters<typeof sorting>): Doc[] => inOneGo(sorting(...of));

const valuesInOrder = (spec: { readonly [key: string]: Shorthand }, values: readonly Shorthand[]): readonly string[] =>
  sortDocs(
    values.map(value => Doc.of([['a', v(value)]])),
    parseSort(d(spec)),
  ).map(doc => text(doc.get('a')));

const shown = (values: readonly Shorthand[]): readonly string[] => values.map(value => text(v(value)));

const reversed = <T>(items: readonly T[]): readonly T[] => [...items].reverse();

describe('"Comparison/Sort Order"', () => {
  const ascending: readonly Shorthand[] = [
    MIN_KEY,
    UNDEFINED,
    null,
    double(NaN),
    double(-Infinity),
    -1,
    0,
    1n,
    1.5,
    decimal('2'),
    double(Infinity),
    '',
    'B',
    new SymbolValue('a'),
    'é',
    {},
    { a: 1 },
    { b: 0 },
    new BinaryValue(0, Uint8Array.of()),
    new BinaryValue(5, Uint8Array.of(1)),
    oid(1),
    oid(2),
    false,
    true,
    new DateValue(-1),
    new DateValue(5),
    new TimestampValue(1, 1),
    new TimestampValue(1, 2),
    new RegExp('a'),
    new RegexValue('b', ''),
    MAX_KEY,
  ];

  test('orders all types, ascending and descending', () => {
    expect(valuesInOrder({ a: 1 }, reversed(ascending))).toEqual(shown(ascending));
    expect(valuesInOrder({ a: -1 }, ascending)).toEqual(shown(reversed(ascending)));
  });

  test('"a less-than comparison or an ascending sort compares the smallest element of arrays", descending the largest', () => {
    const arrays: readonly Shorthand[] = [[5, 1], 3, [2, 9], [4]];
    expect(valuesInOrder({ a: 1 }, arrays)).toEqual(shown([[5, 1], [2, 9], 3, [4]]));
    expect(valuesInOrder({ a: -1 }, arrays)).toEqual(shown([[2, 9], [5, 1], [4], 3]));
  });

  test('"an empty array is treated as less than null or a missing field"', () => {
    expect(valuesInOrder({ a: 1 }, [null, [], 0])).toEqual(shown([[], null, 0]));
    expect(valuesInOrder({ a: -1 }, [null, [], 0])).toEqual(shown([0, null, []]));
  });

  test('sorts a missing field like null', () => {
    const docs = [d({ i: 1, a: null }), d({ i: 2 }), d({ i: 3, a: MIN_KEY }), d({ i: 4, a: 0 })];
    const order = sortDocs(docs, parseSort(d({ a: 1 }))).map(doc => doc.get('i'));
    expect(order).toEqual([3, 1, 2, 4]);
  });

  test('sorts documents within arrays by their least or greatest field', () => {
    const docs = [
      d({ i: 1, a: [{ b: 3 }, { b: 9 }] }),
      d({ i: 2, a: [{ b: 5 }] }),
      d({ i: 3, a: { b: 4 } }),
      d({ i: 4, a: [] }),
    ];
    const order = (direction: 1 | -1): readonly (Value | undefined)[] =>
      sortDocs(docs, parseSort(d({ 'a.b': direction }))).map(doc => doc.get('i'));
    expect([order(1), order(-1)]).toEqual([
      [4, 1, 3, 2],
      [1, 2, 3, 4],
    ]);
  });

  test('compares several fields within one array together, element by element', () => {
    const docs = [
      d({
        i: 1,
        a: [
          { x: 1, y: 5 },
          { x: 1, y: 3 },
          { x: 2, y: 0 },
        ],
      }),
      d({ i: 2, a: [{ x: 1, y: 4 }] }),
    ];
    const order = sortDocs(docs, parseSort(d({ 'a.x': 1, 'a.y': 1 }))).map(doc => doc.get('i'));
    expect(order).toEqual([1, 2]);
    expect(text(parseSort(d({ 'a.x': 1, 'a.y': 1 })).key(docs[0]!))).toBe('[1, 3]');
  });

  test('uses later fields, each with its direction, to order documents with equal earlier fields', () => {
    const docs = [d({ i: 1, a: 1, b: 1 }), d({ i: 2, a: 1, b: 2 }), d({ i: 3, a: 0, b: 0 })];
    const order = (spec: { readonly [key: string]: Shorthand }): readonly (Value | undefined)[] =>
      sortDocs(docs, parseSort(d(spec))).map(doc => doc.get('i'));
    expect([order({ a: 1, b: -1 }), order({ a: -1, b: 1 }), order({ b: 1 })]).toEqual([
      [3, 2, 1],
      [1, 2, 3],
      [3, 1, 2],
    ]);
  });

  test('a number in a path selects the element at that index', () => {
    expect(valuesInOrder({ 'a.1': 1 }, [[0, 9], [5, 1], [7]])).toEqual(shown([[7], [5, 1], [0, 9]]));
  });

  test('an element selected by its index is one value, even an array, and an empty array sorts before null', () => {
    expect(valuesInOrder({ 'a.0': 1 }, [[[1, 9]], [[2, 0]], [5], [[]], [null]])).toEqual(
      shown([[[]], [null], [5], [[1, 9]], [[2, 0]]]),
    );
    const sort = parseSort(d({ 'a.0.b': 1 }));
    expect(text(sort.key(d({ a: [[{ b: 3 }, { b: 2 }], { b: 1 }] })))).toBe('[2]');
  });

  test('rejects a part of a path that is an index and a field of a document in the array', () => {
    expect(refusal(() => parseSort(d({ 'a.0': 1 })).key(d({ a: [{ 0: 'x' }] })))).toBe(
      `16746 Location16746: Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '0' for array: { 0: { 0: "x" } }`,
    );
    expect(text(parseSort(d({ 'a.2': 1 })).key(d({ a: [{ 2: 'x' }] })))).toBe('["x"]');
  });

  test('rejects parallel arrays in a key', () => {
    expect(refusal(() => parseSort(d({ a: 1, 'b.0': 1 })).key(d({ a: [1], b: [2] })))).toBe(
      '2 BadValue: cannot sort with keys that are parallel arrays',
    );
    const sort = parseSort(d({ a: 1, b: 1 }));
    expect(refusal(() => sort.key(d({ a: [1, 2], b: [1, 2] })))).toBe(
      '2 BadValue: cannot sort with keys that are parallel arrays',
    );
    expect(text(sort.key(d({ a: [2, 1], b: 5 })))).toBe('[1, 5]');
  });

  test('a collation orders strings', () => {
    const key = (s: string): string => s.toLowerCase();
    const collation = {
      key,
      compare: (a: string, b: string): number => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0),
    };
    const docs = ['b', 'A', 'B', 'a'].map(a => d({ a }));
    const order = sortDocs(docs, parseSort(d({ a: 1 }), { collation })).map(doc => doc.get('a'));
    expect(order).toEqual(['A', 'a', 'b', 'B']);
  });
});

test('parses a specification to a pattern', () => {
  expect(parseSort(d({ a: 1, 'b.c': double(-1), d: 1n })).pattern).toEqual([
    { path: 'a', direction: 1 },
    { path: 'b.c', direction: -1 },
    { path: 'd', direction: 1 },
  ]);
  expect(parseSort(d({ $natural: -1 })).pattern).toEqual([{ path: '$natural', direction: -1 }]);
});

test('keeps the order without fields, and for $natural', () => {
  const docs = [d({ a: 2 }), d({ a: 1 })];
  expect(sortDocs(docs, parseSort(d({})))).toEqual(docs);
  expect(sortDocs(docs, parseSort(d({ $natural: 1 })))).toEqual(docs);
});

describe('rejects a sort with the code and the message of MongoDB', () => {
  test.each([
    [{ a: 2 }, '15975 Location15975: $sort key ordering must be 1 (for ascending) or -1 (for descending)'],
    [{ a: 0 }, '15975 Location15975: $sort key ordering must be 1 (for ascending) or -1 (for descending)'],
    [{ a: 1.5 }, '15975 Location15975: $sort key ordering must be 1 (for ascending) or -1 (for descending)'],
    [{ a: 'asc' }, '15974 Location15974: Illegal key in $sort specification: a: "asc"'],
    [{ a: true }, '15974 Location15974: Illegal key in $sort specification: a: true'],
    [{ a: { $meta: 'indexKey' } }, '31138 Location31138: Illegal $meta sort: "indexKey"'],
    [{ a: { $meta: 'foo' } }, '31138 Location31138: Illegal $meta sort: "foo"'],
    [{ a: { b: 1 } }, '17312 Location17312: $meta is the only expression supported by $sort right now'],
    [{ '': 1 }, '40352 Location40352: FieldPath cannot be constructed with empty string'],
    [{ 'a.': 1 }, "40353 Location40353: FieldPath must not end with a '.'."],
    [{ 'a..b': 1 }, '15998 Location15998: FieldPath field names may not be empty strings.'],
    [{ $natural: 2 }, '2 BadValue: $natural sort cannot be set to a value other than -1 or 1.'],
    [{ a: 1, $natural: 1 }, "2 BadValue: Cannot include '$natural' in compound sort: { a: 1, $natural: 1 }"],
    [
      Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, 1])),
      '13103 Location13103: too many compound keys',
    ],
  ] as const)('%j', (spec, expected) => {
    expect(refusal(() => parseSort(d(spec)))).toBe(expected);
  });
});

test('rejects a $text score that does not exist', () => {
  const { key } = parseSort(d({ a: { $meta: 'textScore' } }));
  expect(refusal(() => key(d({ a: 1 })))).toBe(
    '40218 Location40218: query requires text score metadata, but it is not available',
  );
});

describe('properties', () => {
  const anySort = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'a.b', 'a.0'), fc.constantFrom(1, -1)), {
      maxLength: 2,
      selector: ([path]) => path,
    })
    .map(entries => parseSort(Doc.of(entries)));
  const docs = fc.array(anySmallDoc, { maxLength: 12 }).map(all => all.map((doc, i) => doc.with('i', i)));
  /** Returns the documents that have a valid sort key. */
  const sortable = (all: readonly Doc[], sort: ReturnType<typeof parseSort>): Doc[] =>
    all.filter(doc => refusal(() => sort.key(doc)) === 'accepted');

  test('the order is total: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(anySort, docs, (sort, all) => {
        const [a, b, c] = sortable(all, sort).sort(sort.compare);
        fc.pre(c !== undefined);
        expect(Math.sign(sort.compare(a!, b!)) + Math.sign(sort.compare(b!, a!))).toBe(0);
        expect(sort.compare(a!, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('sorting is stable', () => {
    fc.assert(
      fc.property(anySort, docs, (sort, all) => {
        const sorted = sortDocs(sortable(all, sort), sort);
        for (const [i, doc] of sorted.entries()) {
          const next = sorted[i + 1];
          if (next === undefined) break;
          const order = sort.compare(doc, next);
          expect(order).toBeLessThanOrEqual(0);
          if (order === 0) expect(doc.get('i')).toBeLessThan(next.get('i') as number);
        }
      }),
    );
  });

  test('a limit returns the beginning of the full sort', () => {
    fc.assert(
      fc.property(anySort, docs, fc.integer({ min: 1, max: 14 }), (sort, all, limit) => {
        const some = sortable(all, sort);
        expect(sortDocs(some, sort, { limit })).toEqual(sortDocs(some, sort).slice(0, limit));
      }),
    );
  });
});

describe('sorting many documents has the same result as sorting a few', () => {
  const byInsertion = (docs: readonly Doc[], spec: Doc): readonly string[] => {
    const { compare } = parseSort(spec);
    return [...docs].sort(compare).map(doc => text(doc));
  };
  const kinds: readonly (readonly [name: string, fc.Arbitrary<Shorthand>])[] = [
    ['integers', fc.integer({ min: -50, max: 50 })],
    ['doubles, with zeros of both signs and NaN', fc.double().map(double)],
    ['numbers of all types', fc.oneof(fc.integer(), fc.double().map(double), fc.bigInt({ min: -99n, max: 99n }))],
    ['strings', fc.string({ maxLength: 3 })],
    ['strings with surrogates', fc.string({ unit: 'binary', maxLength: 2 })],
    ['dates', fc.integer().map(ms => new DateValue(ms))],
    [
      'values of many types',
      fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean(), fc.array(fc.integer())),
    ],
  ];

  test.each(kinds)('%s', (_, values) => {
    const doc = fc.record({ a: values, b: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(
        fc.array(doc, { maxLength: 60 }),
        fc.constantFrom({ a: 1 }, { a: -1 }, { b: 1, a: -1 }, { b: -1, a: 1 }),
        (fields, spec) => {
          const docs = fields.map((one, i) => d({ ...one, i }));
          expect(sortDocs(docs, parseSort(d(spec))).map(one => text(one))).toEqual(byInsertion(docs, d(spec)));
        },
      ),
    );
  });

  test.each([
    ['few distinct values', (i: number): Shorthand => i % 7],
    ['as many values as documents', (i: number): Shorthand => double(Math.sin(i))],
    ['more distinct strings than are ranked', (i: number): Shorthand => `s${(i * 7919) % 10_007}`],
    ['values of two types', (i: number): Shorthand => (i % 2 === 0 ? i % 11 : `t${i % 13}`)],
  ])('10,000 documents with %s keep the order of equal documents', (_, valueAt) => {
    const docs = Array.from({ length: 10_000 }, (_none, i) => d({ a: valueAt(i), i }));
    for (const spec of [d({ a: 1 }), d({ a: -1 })])
      expect(sortDocs(docs, parseSort(spec)).map(one => text(one))).toEqual(byInsertion(docs, spec));
  });
});
