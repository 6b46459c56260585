import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileAddition } from '../../src/project/tree.js';
import type { Entry } from '../../src/value/doc.js';
import { detached } from '../../src/value/bson.js';
import { Doc } from '../../src/value/doc.js';
import { hashKey } from '../../src/value/compare.js';
import { toHex } from '../../src/value/value.js';
import type { Value } from '../../src/value/value.js';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'é');
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom<Value>('', 'text', null, true, 5n),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }),
  fc.constant(Doc.of([['x', 1]])),
);
const entry: fc.Arbitrary<Entry> = fc.tuple(name, value);
/** Names may occur twice. */
const fields = fc.array(entry, { maxLength: 6 });
const changes = fc.uniqueArray(entry, { maxLength: 4, selector: ([key]) => key });

/** Returns the same document backed by bytes and by entries. */
const bothOf = (entries: readonly Entry[]): readonly Doc[] => [Doc.fromBytes(Doc.of(entries).bytes), Doc.of(entries)];

const changed = (entries: readonly Entry[], list: readonly Entry[]): readonly Entry[] => {
  const result = [...entries];
  for (const change of list) {
    const at = result.findIndex(([key]) => key === change[0]);
    result.splice(at === -1 ? result.length : at, at === -1 ? 0 : 1, change);
  }
  return result;
};

const names = ['a', 'b', 'c', 'd', 'é', 'z'];

/** Everything that can be read from a document, in the order in which lazy documents are read. */
const told = (doc: Doc): readonly unknown[] => [
  names.map(key => [doc.has(key), hashKey(doc.get(key))]),
  doc.keys(),
  toHex(doc.bytes),
  doc.byteLength,
];

const expectSame = (doc: Doc, entries: readonly Entry[]): void => {
  expect(told(doc)).toEqual(told(Doc.of(entries)));
};

test('withAll replaces fields in place and appends others, also repeatedly, for documents of bytes and of entries', () => {
  fc.assert(
    fc.property(fields, changes, changes, (entries, first, second) => {
      for (const doc of bothOf(entries)) {
        expectSame(doc.withAll(first), changed(entries, first));
        expectSame(doc.withAll(first).withAll(second), changed(changed(entries, first), second));
        expectSame(doc, entries);
      }
    }),
  );
});

test('encoded documents keep their bytes while others are encoded, of any size and after failures', () => {
  const text = (length: number): Doc => Doc.of([['t', 'x'.repeat(length)]]);
  const int32 = (n: number): Buffer => Buffer.from(Int32Array.of(n).buffer);
  const hex = (n: number): string =>
    Buffer.concat([int32(n + 13), Buffer.from('\x02t\0'), int32(n + 1), Buffer.from(`${'x'.repeat(n)}\0\0`)]).toString(
      'hex',
    );
  const lengths = [0, 1, 100, 242, 243, 244, 600, 3_000, 10, 70_000, 20];
  const docs = Array.from({ length: 20 }, () => lengths.map(text)).flat();
  const tooLarge = Doc.of([['a', ['x'.repeat(2 ** 25), 'x'.repeat(2 ** 25)]]]);
  docs.forEach((doc, i) => {
    expect(doc.byteLength).toBe(lengths[i % lengths.length]! + 13);
    if (i % 50 === 0) expect(() => tooLarge.bytes).toThrow('past the 64MB limit');
  });
  docs.forEach((doc, i) => {
    expect(toHex(doc.bytes)).toBe(hex(lengths[i % lengths.length]!));
    expect(toHex(detached(doc).bytes)).toBe(hex(lengths[i % lengths.length]!));
    expect(detached(doc).bytes.buffer.byteLength).toBe(doc.byteLength);
  });
});

test('a change of a changed document does not affect the latter', () => {
  const base = Doc.fromBytes(Doc.of([['a', 1]]).bytes);
  const once = base.with('b', 2);
  const twice = once.with('b', 3);
  expect([base, once, twice].map(doc => doc.entries())).toEqual([
    [['a', 1]],
    [
      ['a', 1],
      ['b', 2],
    ],
    [
      ['a', 1],
      ['b', 3],
    ],
  ]);
});

test('entriesIn returns only the named fields', () => {
  fc.assert(
    fc.property(fields, fc.uniqueArray(name), (entries, some) => {
      const wanted = new Map<string, undefined>(some.map(one => [one, undefined]));
      for (const doc of bothOf(entries)) {
        expectSame(
          Doc.of(doc.entriesIn(wanted)),
          entries.filter(([key]) => wanted.has(key)),
        );
      }
    }),
  );
});

test('compileAddition removes a field whose computation returns undefined', () => {
  const computed = fc.uniqueArray(fc.tuple(name, fc.option(value, { nil: undefined })), {
    maxLength: 4,
    selector: ([key]) => key,
  });
  fc.assert(
    fc.property(fields, computed, (entries, list) => {
      const add = compileAddition<undefined>(new Map(list.map(([key, one]) => [key, () => one])));
      const result = [...entries];
      for (const [key, one] of list) {
        const at = result.findIndex(([other]) => other === key);
        if (one !== undefined) result.splice(at === -1 ? result.length : at, at === -1 ? 0 : 1, [key, one]);
        else if (at !== -1) result.splice(at, 1);
      }
      for (const doc of bothOf(entries)) expectSame(add(doc, undefined), result);
    }),
  );
});
