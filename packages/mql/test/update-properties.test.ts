import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import type { Change } from '../src/update/update.js';
import { Doc } from '../src/value/doc.js';
import { lookupPlainly } from '../src/value/path.js';
import { isArray } from '../src/value/value.js';
import { anySmallDoc, anySmallValue } from './query-arbitrary.js';
import type { Shorthand } from './shorthand.js';
import { d, refusal, text } from './shorthand.js';
import type { Fields } from './update-cases.js';
import { applied, outcome } from './update-cases.js';
import { anyDoc, anyValue } from './value/arbitrary.js';

const runs = { numRuns: 150 };
const path = fc
  .array(fc.constantFrom('a', 'b', '0', 'c'), { minLength: 1, maxLength: 3 })
  .map(parts => parts.join('.'));

test('$set stores the value, and setting it again changes nothing', () => {
  fc.assert(
    fc.property(anySmallDoc, path, anyValue, (doc, where, value) => {
      const update = Doc.of([['$set', Doc.of([[where, value]])]]);
      fc.pre(refusal(() => applied(doc, { update })) === 'accepted');
      const after = applied(doc, { update });
      const read = where.split('.').reduce<unknown>((at, part) => {
        if (at instanceof Doc) return at.get(part);
        return isArray(at as never) ? (at as readonly unknown[])[Number(part)] : undefined;
      }, after);
      expect(text(read as typeof value)).toBe(text(value));
      expect(applied(after, { update })).toBe(after);
    }),
    runs,
  );
});

test("$set with a document's own values changes nothing", () => {
  fc.assert(
    fc.property(anyDoc, doc => {
      const names = doc.keys().filter(key => key !== '' && !key.includes('.') && !key.startsWith('$'));
      fc.pre(names.length > 0);
      const lazy = Doc.fromBytes(doc.bytes);
      const update = Doc.of([['$set', Doc.of([...new Set(names)].map(name => [name, doc.get(name)!] as const))]]);
      expect(applied(lazy, { update })).toBe(lazy);
    }),
    runs,
  );
});

test('$unset reverses $set of a new field', () => {
  fc.assert(
    fc.property(anySmallDoc, anySmallValue, (doc, value) => {
      const set = applied(doc, { update: Doc.of([['$set', Doc.of([['new', value]])]]) });
      expect(text(applied(set, { update: d({ $unset: { new: '' } }) }))).toBe(text(doc));
    }),
    runs,
  );
});

test('an update does not change the original document', () => {
  fc.assert(
    fc.property(anySmallDoc, path, anySmallValue, (doc, where, value) => {
      const before = doc.bytes.slice();
      refusal(() => applied(doc, { update: Doc.of([['$set', Doc.of([[where, value]])]]) }));
      refusal(() => applied(doc, { update: Doc.of([['$push', Doc.of([[where, value]])]]) }));
      expect(Doc.of(doc.entries()).bytes).toEqual(before);
    }),
    runs,
  );
});

test('$addToSet twice equals $addToSet once, and $pull removes the added value', () => {
  fc.assert(
    fc.property(fc.array(anySmallValue, { maxLength: 4 }), anySmallValue, (items, value) => {
      fc.pre(!(value instanceof Doc));
      const doc = Doc.of([['a', items]]);
      const update = Doc.of([['$addToSet', Doc.of([['a', value]])]]);
      const once = applied(doc, { update });
      expect(applied(once, { update })).toBe(once);
      const without = applied(once, { update: Doc.of([['$pullAll', Doc.of([['a', [value]]])]]) });
      expect(parseQuery(Doc.of([['a', Doc.of([['$elemMatch', Doc.of([['$eq', value]])]])]])).matches(without)).toBe(
        false,
      );
    }),
    runs,
  );
});

test('$push with $each and $slice never returns an array longer than the slice', () => {
  fc.assert(
    fc.property(
      fc.array(anySmallValue, { maxLength: 6 }),
      fc.array(anySmallValue, { maxLength: 6 }),
      fc.integer({ min: -5, max: 5 }),
      (items, each, slice) => {
        const push = Doc.of([
          ['$each', each],
          ['$slice', slice],
        ]);
        const after = applied(Doc.of([['a', items]]), { update: Doc.of([['$push', Doc.of([['a', push]])]]) });
        const both = [...items, ...each];
        const expected = slice < 0 ? both.slice(slice) : both.slice(0, slice);
        expect(text(after.get('a'))).toBe(text(expected));
      },
    ),
    runs,
  );
});

describe('the log lists changes like updateDescription', () => {
  const changes = (doc: Fields, update: Shorthand, more: { readonly filter?: Fields } = {}): readonly string[] => {
    const log: Change[] = [];
    applied(doc, { update, ...more, log: change => log.push(change) });
    return log.map(change => `${change.path}: ${text(change.value)}`);
  };

  test.each<readonly [Fields, Shorthand, readonly string[]]>([
    [{ a: 1, b: 1 }, { $set: { a: 2, b: 1 }, $unset: { c: 1 } }, ['a: 2']],
    [{ a: 1 }, { $unset: { a: 1 } }, ['a: missing']],
    [{ a: { b: 1 } }, { $set: { 'a.b': 2 } }, ['a.b: 2']],
    [{}, { $set: { 'a.b.c': 2, 'a.d': 3 } }, ['a: {b: {c: 2}, d: 3}']],
    [{ a: {} }, { $set: { 'a.b.c': 2 } }, ['a.b: {c: 2}']],
    [{ a: [1, 2] }, { $push: { a: 3 } }, ['a.2: 3']],
    [{ a: [1] }, { $push: { a: { $each: [2, 3] } } }, ['a.1: 2', 'a.2: 3']],
    [{ a: [1] }, { $push: { a: { $each: [2], $position: 0 } } }, ['a: [2, 1]']],
    [{ a: [1] }, { $push: { a: { $each: [0], $sort: 1 } } }, ['a: [0, 1]']],
    [{}, { $push: { a: 1 } }, ['a: [1]']],
    [{ a: [1] }, { $addToSet: { a: 2 } }, ['a.1: 2']],
    [{ a: [1, 2] }, { $pop: { a: 1 } }, ['a: [1]']],
    [{ a: [1, 2] }, { $pull: { a: 1 } }, ['a: [2]']],
    [{ a: [1, 2] }, { $inc: { 'a.$[]': 1 } }, ['a.0: 2', 'a.1: 3']],
    [{ a: [1, 2] }, { $unset: { 'a.0': 1 } }, ['a.0: null']],
    [{ a: 1 }, { $rename: { a: 'b' } }, ['a: missing', 'b: 1']],
    [{ a: 1 }, { $set: { a: 1 } }, []],
  ])('%j, %j', (doc, update, expected) => {
    expect(changes(doc, update)).toEqual(expected);
  });

  test('contains the index that $ stood for', () => {
    expect(changes({ a: [1, 2] }, { $set: { 'a.$': 9 } }, { filter: { a: 2 } })).toEqual(['a.1: 9']);
  });
});

test('new fields are appended in the order of their names', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'Z', '_') })),
      names => {
        const update = Doc.of([['$set', Doc.of(names.map(name => [name, 1] as const))]]);
        const after = applied({ '~': 0 }, { update });
        expect(after.keys()).toEqual(['~', ...[...names].sort()]);
        expect(lookupPlainly(after, ['~'])).toBe(0);
      },
    ),
  );
});

test('an update that throws does not affect later updates', () => {
  const update = { $set: { 'a.b': 1 } };
  expect(refusal(() => outcome({ a: 1 }, { update }))).not.toBe('accepted');
  expect(outcome({ a: {} }, { update })).toBe('{a: {b: 1}}');
});
