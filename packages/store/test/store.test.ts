import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Value } from '@tessera/mql/engine';
import { BinaryValue, CommandError, Doc, compare, equal, isArray } from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from '../src/collection.js';
import { addIndex, emptyCollection, insertRecord, removeRecord, replaceRecord } from '../src/collection.js';
import { indexKeys } from '../src/index-keys.js';
import { fieldKey, keyOf, recordKey, recordNumber, scoreInKey } from '../src/key.js';
import type { PlanRequest } from '../src/plan.js';
import { planFor } from '../src/plan.js';
import type { Predicate } from '../src/predicate.js';
import { scanOf } from '../src/scan.js';
import { Tree } from '../src/tree.js';
import { anyNumber, anyValue } from '../../mql/test/value/arbitrary.js';

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

describe('the tree', () => {
  test(
    'built from sorted entries equals one built entry by entry, also after further changes',
    { timeout: 30_000 },
    () => {
      const changes = fc.array(fc.record({ key: fc.nat(9_000), kind: fc.constantFrom('set', 'delete') }), {
        maxLength: 300,
        size: 'max',
      });
      fc.assert(
        fc.property(fc.nat(4_500), changes, (count, list) => {
          const keys = Array.from({ length: count }, (_, i) => String(2 * i).padStart(4, '0'));
          const values = keys.map(Number);
          const edit = { for: 'a test' };
          const model = new Map(keys.map(key => [key, Number(key)]));
          const made = Tree.ofSorted(keys, values, edit);
          expect(made.size).toBe(count);
          expect([...made]).toEqual([...model]);
          let tree = made;
          for (const { key, kind } of list) {
            const name = String(key).padStart(4, '0');
            tree = kind === 'set' ? tree.set(name, -key, edit) : tree.delete(name, edit);
            if (kind === 'set') model.set(name, -key);
            else model.delete(name);
          }
          expect([...tree]).toEqual([...model].sort((a, b) => order(a[0], b[0])));
          expect(tree.size).toBe(model.size);
          for (const { key } of list) {
            const name = String(key).padStart(4, '0');
            expect(tree.get(name)).toBe(model.get(name));
          }
        }),
        { numRuns: 40 },
      );
    },
  );

  test('is a sorted map whose versions never change', () => {
    const steps = fc.array(
      fc.record({
        key: fc.nat(400),
        kind: fc.constantFrom('set', 'set', 'delete'),
        commit: fc.nat(20).map(n => n === 0),
      }),
      { maxLength: 600, size: 'max' },
    );
    fc.assert(
      fc.property(steps, fc.nat(400), fc.nat(400), (list, low, high) => {
        let edit = { for: 'a test' };
        let tree = Tree.empty<number>();
        const model = new Map<string, number>();
        const snapshots: { tree: Tree<number>; entries: (readonly [string, number])[] }[] = [];
        const sorted = (): [string, number][] => [...model].sort((a, b) => order(a[0], b[0]));
        list.forEach(({ key, kind, commit }, i) => {
          const name = String(key).padStart(4, '0');
          if (kind === 'set') {
            tree = tree.set(name, i, edit);
            model.set(name, i);
          } else {
            tree = tree.delete(name, edit);
            model.delete(name);
          }
          if (commit) {
            edit = { for: 'the next' };
            snapshots.push({ tree, entries: sorted() });
          }
        });
        snapshots.push({ tree, entries: sorted() });
        const [from, to] = [String(low).padStart(4, '0'), String(high).padStart(4, '0')];
        for (const { tree: version, entries } of snapshots) {
          expect([...version]).toEqual(entries);
          expect(version.size).toBe(entries.length);
          const names = Array.from({ length: 401 }, (_, key) => String(key).padStart(4, '0'));
          const found = new Map(entries);
          for (const lookUp of ['get', 'getRecord', 'probe'] as const)
            expect(names.map(name => version[lookUp](name))).toEqual(names.map(name => found.get(name)));
          const range = entries.filter(([key]) => key >= from && key < to);
          for (const downward of [false, true]) {
            const walk = version.walk(from, to, downward);
            const seen: string[] = [];
            while (walk.next()) seen.push(walk.key);
            expect(seen).toEqual((downward ? [...range].reverse() : range).map(([key]) => key));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('holds many entries inserted in ascending, descending and random order, and can be emptied', () => {
    for (const at of [(i: number) => i, (i: number) => 9999 - i, (i: number) => (i * 7919) % 10000]) {
      const edit = { for: 'a test' };
      let tree = Tree.empty<number>();
      for (let i = 0; i < 10000; i++) tree = tree.set(recordKey(at(i)), at(i), edit);
      expect([...tree].map(([, value]) => value)).toEqual(Array.from({ length: 10000 }, (_, i) => i));
      const kept = tree;
      const other = { for: 'another' };
      for (let i = 0; i < 10000; i++) tree = tree.delete(recordKey(at(i)), other);
      expect(tree.size).toBe(0);
      expect([...tree]).toEqual([]);
      expect(kept.size).toBe(10000);
    }
  });
});

describe('a finder', () => {
  const edit = { for: 'a test' };
  const count = 5_000;
  const inserted = (numbers: readonly number[]): Tree<number> =>
    numbers.reduce((tree, n) => tree.set(recordKey(n), n, edit), Tree.empty<number>());
  const all = Array.from({ length: count }, (_, i) => i + 1);
  const some = all.filter(n => n % 3 !== 0);
  const shapes: readonly (readonly [string, Tree<number>])[] = [
    ['none', Tree.empty()],
    ['one', inserted([1])],
    ...[64, 65, 4_096, 4_097].map(n => [`the first ${n}`, inserted(all.slice(0, n))] as const),
    ['all, inserted one by one', inserted(all)],
    ['all, inserted backwards', inserted(all.toReversed())],
    ['all, sorted', Tree.ofSorted(all.map(recordKey), all, edit)],
    ['two thirds, sorted', Tree.ofSorted(some.map(recordKey), some, edit)],
    ['all but the first', inserted(all).delete(recordKey(1), edit)],
    ['all with gaps', some.reduce((tree, n) => tree.delete(recordKey(n), edit), inserted(all))],
    ['later ones', inserted(all.map(n => n + 0x1_0000_0000))],
  ];

  test.each(shapes)('and `getRecord` return the same as the tree, for records: %s', (_name, tree) => {
    const scattered = Array.from({ length: 2_000 }, (_, i) => (i * 7919) % (count + 10));
    const keys = [...Array(count + 10).keys(), ...scattered, ...all.map(n => n + 0x1_0000_0000)].map(recordKey);
    const finder = tree.finder();
    const values = keys.map(key => tree.get(key));
    expect(keys.map(key => finder.get(key))).toEqual(values);
    expect(keys.map(key => tree.getRecord(key))).toEqual(values);
    expect(values.filter(value => value !== undefined).length).toBeGreaterThanOrEqual(tree.size);
  });
});

describe('keys', () => {
  test('sort like their values, ascending and descending, and none is a prefix of another', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        const wanted = Math.sign(compare(a, b));
        expect(order(keyOf(a), keyOf(b))).toBe(wanted);
        expect(order(fieldKey(b, -1), fieldKey(a, -1))).toBe(wanted);
        if (wanted !== 0) {
          expect(keyOf(a).startsWith(keyOf(b))).toBe(false);
          expect(fieldKey(a, -1).startsWith(fieldKey(b, -1))).toBe(false);
        }
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => order(keyOf(a), keyOf(b)) === Math.sign(compare(a, b))),
      { numRuns: 5000 },
    );
  });

  test('for record numbers sort like the numbers', () => {
    for (const n of [0, 1, 255, 256, 65535, 65536, 2 ** 31, 2 ** 40 + 5, 2 ** 48 - 1]) {
      expect(recordNumber(recordKey(n))).toBe(n);
      if (n > 0) expect(recordKey(n - 1) < recordKey(n)).toBe(true);
    }
  });
});

const doc = (entries: Record<string, Value>): Doc => Doc.of(Object.entries(entries));
const definition = (
  fields: readonly (readonly [string, 1 | -1])[],
  more: Partial<IndexDefinition> = {},
): IndexDefinition => {
  const key = Doc.of(fields);
  return {
    name: fields.map(([path, direction]) => `${path}_${direction}`).join('_'),
    key,
    fields: fields.map(([path, direction]) => ({ path, parts: path.split('.'), direction })),
    unique: false,
    prepareUnique: false,
    sparse: false,
    collation: undefined,
    hashed: false,
    hidden: false,
    clustered: false,
    kind: undefined,
    partial: undefined,
    expireAfterSeconds: undefined,
    spec: Doc.of([['key', key]]),
    ...more,
  };
};
const fresh = (): Collection =>
  emptyCollection({
    ns: 'db.c',
    uuid: new BinaryValue(4, new Uint8Array(16)),
    options: Doc.EMPTY,
    capped: undefined,
    validator: undefined,
  });

test('the score in a key is the number of which the key was made', () => {
  const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 });
  const anyBits = bytes.map(eight => Math.abs(new DataView(eight.buffer, eight.byteOffset).getFloat64(0)));
  const score = fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true }), anyBits).filter(n => !Number.isNaN(n));
  fc.assert(
    fc.property(score, fc.string({ maxLength: 3 }), (n, before) => {
      expect(scoreInKey(before + keyOf(n), before.length)).toBe(n);
    }),
  );
});

describe('index entries', () => {
  const entries = (fields: readonly (readonly [string, 1 | -1])[], d: Doc, sparse = false): number =>
    indexKeys(definition(fields, { sparse }), d).keys.length;

  test('exist for each distinct element of an array, and for an empty array', () => {
    expect(entries([['a', 1]], doc({ a: [1, 2, 1n] }))).toBe(2);
    expect(entries([['a', 1]], doc({ a: [] }))).toBe(1);
    expect(entries([['a.b', 1]], doc({ a: [doc({ b: 1 }), doc({ b: 2 }), 5] }))).toBe(3);
    expect(
      entries(
        [
          ['a.b', 1],
          ['a.c', 1],
        ],
        doc({ a: [doc({ b: 1, c: 2 }), doc({ b: 1, c: 3 })] }),
      ),
    ).toBe(2);
    expect(entries([['a.0', 1]], doc({ a: [7, 8] }))).toBe(1);
  });

  test('do not exist in a sparse index if all fields are missing', () => {
    expect(
      entries(
        [
          ['a', 1],
          ['b', 1],
        ],
        doc({ b: 1 }),
        true,
      ),
    ).toBe(1);
    expect(
      entries(
        [
          ['a', 1],
          ['b', 1],
        ],
        doc({ c: 1 }),
        true,
      ),
    ).toBe(0);
    expect(entries([['a', 1]], doc({ c: 1 }), false)).toBe(1);
    expect(entries([['a', 1]], doc({ a: null }), true)).toBe(1);
  });

  test('fail with code 171 for parallel arrays', () => {
    expect(() =>
      entries(
        [
          ['a', 1],
          ['b', 1],
        ],
        doc({ a: [1], b: [2] }),
      ),
    ).toThrow('cannot index parallel arrays [b] [a]');
  });
});

describe('the index entries of a replaced document', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }));
  const field = fc.tuple(fc.constantFrom('a', 'b', 'c'), value);
  const changes = fc.uniqueArray(field, { maxLength: 2, selector: ([name]) => name });

  test('equal those of a collection that never had the old document', () => {
    const compound: readonly (readonly [string, 1 | -1])[] = [
      ['a', 1],
      ['c', -1],
    ];
    const partial = { filter: doc({ c: 1 }), predicates: undefined, matches: (d: Doc) => equal(d.get('c') ?? null, 1) };
    const made = [
      definition([['a', 1]]),
      definition([['b.c', 1]]),
      definition(compound, { sparse: true }),
      { ...definition([['b', 1]]), name: 'partial', partial },
    ];
    const start = made.reduce((c, one) => addIndex(c, one, { for: 'a test' }), fresh());
    fc.assert(
      fc.property(fc.array(field, { maxLength: 3 }), changes, (fields, list) => {
        const before = doc({ _id: 1, ...Object.fromEntries(fields) });
        const after = before.withAll(list);
        try {
          const edit = { for: 'a test' };
          const replaced = replaceRecord(insertRecord(start, before, edit), recordKey(1), before, after, edit);
          const expected = insertRecord(start, after, { for: 'another' });
          const entries = ({ indexes }: Collection): unknown => indexes.map(index => [...index.entries]);
          expect(entries(replaced)).toEqual(entries(expected));
        } catch (error) {
          // Parallel arrays cannot be indexed.
          if (!(error instanceof CommandError) || error.code !== 171) throw error;
        }
      }),
    );
  });

  test('stay the same object if no field of the index changes, and the new document is stored as it was given', () => {
    const edit = { for: 'a test' };
    const id = Doc.fromBytes(doc({ _id: doc({ x: 1 }), a: 1 }).bytes);
    const before = insertRecord(addIndex(fresh(), definition([['a', 1]]), edit), id, edit);
    const after = Doc.of([...id.entries(), ['b', 2]]);
    const stored = Doc.fromBytes(after.bytes);
    const replaced = replaceRecord(before, recordKey(1), id, after, { for: 'another' }, stored);
    expect(replaced.indexes.map((index, i) => index === before.indexes[i])).toEqual([true, true]);
    expect(replaced.records.get(recordKey(1))).toBe(stored);
  });
});

describe('a unique index', () => {
  const edit = { for: 'a test' };
  const refusal = (act: () => unknown): CommandError => {
    try {
      act();
    } catch (error) {
      if (error instanceof CommandError) return error;
    }
    throw new Error('No CommandError was thrown.');
  };

  test('rejects a key of another document, and the error has index, pattern and value', () => {
    let c = addIndex(fresh(), definition([['a', 1]], { unique: true }), edit);
    c = insertRecord(c, doc({ _id: 1, a: 1 }), edit);
    const error = refusal(() => insertRecord(c, doc({ _id: 2, a: 1n }), edit));
    expect(error.message).toBe('E11000 duplicate key error collection: db.c index: a_1 dup key: { a: 1 }');
    expect(error.extra.map(([name, value]) => `${name} ${(value as Doc).keys().join()}`)).toEqual([
      'keyPattern a',
      'keyValue a',
    ]);
    expect(c.records.size).toBe(1);
  });

  test('treats a missing field as null, and accepts the same value twice in one document', () => {
    let c = addIndex(fresh(), definition([['a', 1]], { unique: true }), edit);
    c = insertRecord(c, doc({ _id: 1 }), edit);
    expect(refusal(() => insertRecord(c, doc({ _id: 2, a: null }), edit)).message).toContain('dup key: { a: null }');
    c = insertRecord(c, doc({ _id: 3, a: [5, 5] }), edit);
    expect(refusal(() => insertRecord(c, doc({ _id: 4, a: 5 }), edit)).code).toBe(11000);
    c = replaceRecord(c, recordKey(2), doc({ _id: 3, a: [5, 5] }), doc({ _id: 3, a: [6] }), edit);
    c = insertRecord(c, doc({ _id: 4, a: 5 }), edit);
    expect(c.records.size).toBe(3);
  });

  test('accepts many documents without the field if it is also sparse', () => {
    let c = addIndex(fresh(), definition([['a', 1]], { unique: true, sparse: true }), edit);
    c = insertRecord(c, doc({ _id: 1 }), edit);
    c = insertRecord(c, doc({ _id: 2 }), edit);
    expect(c.records.size).toBe(2);
  });

  test('cannot be built over documents that share a key', () => {
    const c = insertRecord(insertRecord(fresh(), doc({ _id: 1, a: 1 }), edit), doc({ _id: 2, a: 1 }), edit);
    expect(refusal(() => addIndex(c, definition([['a', 1]], { unique: true }), edit)).code).toBe(11000);
  });
});

describe('a plan', () => {
  const small = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom<Value>(null, 'x', 2n, true));
  const field: fc.Arbitrary<Value> = fc.oneof(
    { weight: 4, arbitrary: small },
    { weight: 1, arbitrary: fc.array(small, { maxLength: 3 }) },
  );
  const docs = fc.array(fc.record({ a: field, b: field }, { requiredKeys: [] }), { maxLength: 30 });
  const predicate: fc.Arbitrary<Predicate> = fc.oneof(
    fc.record({ path: fc.constantFrom('a', 'b'), op: fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte'), value: small }),
    fc.record({ path: fc.constantFrom('a', 'b'), op: fc.constant('in'), value: fc.array(small, { maxLength: 3 }) }),
  );
  const definitions = [
    definition([['a', 1]]),
    definition([['a', -1]]),
    definition([
      ['a', 1],
      ['b', 1],
    ]),
    definition([
      ['b', -1],
      ['a', 1],
    ]),
    definition([['a', 1]], { sparse: true }),
  ];

  const one = (value: Value, op: string, wanted: Value): boolean => {
    const alike = typeof value === typeof wanted || (typeof value !== 'string' && typeof wanted !== 'string');
    const comparable = value !== null && wanted !== null && typeof value !== 'boolean' && typeof wanted !== 'boolean';
    const c = compare(value, wanted);
    if (op === 'eq') return c === 0;
    if (!comparable || !alike) return typeof value === typeof wanted && value === wanted && op.endsWith('e');
    return op === 'gt' ? c > 0 : op === 'gte' ? c >= 0 : op === 'lt' ? c < 0 : c <= 0;
  };
  const meets = (d: Doc, { path, op, value }: Predicate): boolean => {
    if (op === 'in') return (value as readonly Value[]).some(v => meets(d, { path, op: 'eq', value: v }));
    const here = d.get(path) ?? null;
    return (isArray(here) ? here : [here]).some(item => one(item, op, value));
  };

  test('finds all documents with any index', () => {
    fc.assert(
      fc.property(
        docs,
        fc.array(predicate, { maxLength: 3 }),
        fc.subarray(definitions),
        fc.boolean(),
        (list, predicates, chosen, late) => {
          const edit = { for: 'a test' };
          let c = fresh();
          const unique = new Map(
            chosen.map(d => [d.name + String(d.sparse), { ...d, name: d.name + String(d.sparse) }]),
          );
          if (!late) for (const d of unique.values()) c = addIndex(c, d, edit);
          list.forEach((fields, i) => {
            const d = Doc.of([['_id', i], ...Object.entries(fields)]);
            // A compound index rejects documents with two parallel arrays.
            if ([fields.a, fields.b].every(isArray)) return;
            c = insertRecord(c, d, edit);
          });
          if (late) for (const d of unique.values()) c = addIndex(c, d, edit);
          const wanted: Value[] = [...c.records]
            .filter(([, d]) => predicates.every(p => meets(d, p)))
            .map(([, d]) => d.get('_id')!);
          for (const sort of [
            undefined,
            [{ path: 'a', direction: 1 as const }],
            [
              { path: 'a', direction: -1 as const },
              { path: 'b', direction: -1 as const },
            ],
          ]) {
            const request: PlanRequest = { predicates, sort, hint: undefined, collation: undefined };
            const plan = planFor(c, request);
            const scan = scanOf(c, plan);
            const found: Doc[] = [];
            while (scan.next()) {
              const isMet = predicates.every(p => meets(scan.doc, p));
              if (plan.exact === true) expect(isMet).toBe(true);
              if (isMet) found.push(scan.doc);
            }
            expect(found.map(d => d.get('_id')!).sort(compare)).toEqual([...wanted].sort(compare));
            if (plan.sorted && sort !== undefined) {
              for (let i = 1; i < found.length; i++) {
                const steps = sort.map(
                  ({ path, direction }) =>
                    direction * compare(found[i - 1]!.get(path) ?? null, found[i]!.get(path) ?? null),
                );
                expect(steps.find(step => step !== 0) ?? 0).toBeLessThanOrEqual(0);
              }
            }
          }
          // Removing all records leaves every index empty.
          for (const [record, d] of [...c.records]) c = removeRecord(c, record, d, edit);
          expect(c.indexes.map(index => index.entries.size)).toEqual(c.indexes.map(() => 0));
          expect(c.bytes).toBe(0);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('looks up _id by its index, with any number type', () => {
    const edit = { for: 'a test' };
    let c = fresh();
    for (let i = 0; i < 1000; i++) c = insertRecord(c, doc({ _id: i }), edit);
    const scan = scanOf(
      c,
      planFor(c, {
        predicates: [{ path: '_id', op: 'eq', value: 7n }],
        sort: undefined,
        hint: undefined,
        collation: undefined,
      }),
    );
    expect(scan.next() && equal(scan.doc.get('_id'), 7)).toBe(true);
    expect(scan.next()).toBe(false);
    expect(scan.examined).toBe(1);
  });

  test('scans an index in reverse for a descending sort', () => {
    const edit = { for: 'a test' };
    let c = fresh();
    for (let i = 0; i < 10; i++) c = insertRecord(c, doc({ _id: i }), edit);
    const plan = planFor(c, {
      predicates: [{ path: '_id', op: 'lt', value: 5 }],
      sort: [{ path: '_id', direction: -1 }],
      hint: undefined,
      collation: undefined,
    });
    expect([plan.sorted, plan.downward]).toEqual([true, true]);
    const scan = scanOf(c, plan);
    const seen: Value[] = [];
    while (scan.next()) seen.push(scan.doc.get('_id')!);
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });

  test('rejects a hint that names no index', () => {
    expect(() => planFor(fresh(), { predicates: [], sort: undefined, hint: 'x', collation: undefined })).toThrow(
      'hint provided does not correspond',
    );
  });
});
