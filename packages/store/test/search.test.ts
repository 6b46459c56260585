import { describe, expect, test } from 'vitest';
import type { Entry, Value } from '@tessera/mql/engine';
import { BinaryValue, Doc, double, metadataOf } from '@tessera/mql/engine';
import type { Collection, IndexDefinition, Plan, PlanRequest, Scan } from '../src/index.js';
import {
  addIndex,
  emptyCollection,
  fieldKey,
  idIndex,
  insertRecord,
  planFor,
  removeRecord,
  replaceRecord,
  scanOf,
} from '../src/index.js';

const edit = { for: 'a test' };

const field = (path: string): IndexDefinition['fields'][number] => ({ path, parts: [path], direction: 1 });

/** An index of the words of `text` after the field `a`. The score of a word is its number of occurrences. */
const onText: IndexDefinition = {
  ...idIndex,
  name: 'text',
  unique: false,
  kind: 'text',
  fields: [field('a'), field('_fts'), field('_ftsx')],
  textKeys: doc => {
    const words = (doc.get('text') as string).split(' ');
    const keys = new Map<string, () => readonly Value[]>();
    for (const word of new Set(words)) {
      const values = [doc.get('a') ?? null, word, double(words.filter(one => one === word).length)];
      keys.set(values.map(value => fieldKey(value, 1)).join(''), () => values);
    }
    return keys;
  },
};

const docOf = (...entries: readonly Entry[]): Doc => Doc.fromBytes(Doc.of(entries).bytes);

const made = (texts: readonly string[], definition = onText): Collection => {
  let collection = emptyCollection({
    ns: 'db.c',
    uuid: new BinaryValue(4, new Uint8Array(16)),
    options: Doc.EMPTY,
    capped: undefined,
    validator: undefined,
  });
  texts.forEach((text, i) => {
    collection = insertRecord(collection, docOf(['_id', i], ['a', 1], ['text', text]), edit);
  });
  return addIndex(collection, definition, edit);
};

const request = (terms: readonly string[], more: Partial<PlanRequest> = {}): PlanRequest => ({
  predicates: [{ path: 'a', op: 'eq', value: 1 }],
  terms,
  sort: undefined,
  hint: undefined,
  collation: undefined,
  ...more,
});

const read = (scan: Scan): unknown => {
  const found: unknown[] = [];
  while (scan.next()) {
    const { doc } = scan;
    found.push([doc.get('_id'), metadataOf(doc)?.textScore]);
  }
  return found;
};

const search = (collection: Collection, ...terms: readonly string[]): unknown =>
  read(scanOf(collection, planFor(collection, request(terms))));

/** Returns the collection with a counter of the documents that scans read. */
const counted = (collection: Collection): { collection: Collection; count: () => number } => {
  let count = 0;
  const { records } = collection;
  const counting = new Proxy(records, {
    get: (target, name) => {
      if (name !== 'finder') throw new Error(`Unexpected use of the records: ${String(name)}`);
      const finder = target.finder();
      return () => ({
        get: (key: string) => {
          count += 1;
          return finder.get(key);
        },
      });
    },
  });
  return { collection: { ...collection, records: counting }, count: () => count };
};

describe('a text search', () => {
  test('reads only the documents that contain a term', () => {
    const texts = Array.from({ length: 1000 }, (_, i) => (i % 250 === 7 ? 'red cake' : 'green tea'));
    const { collection, count } = counted(made(texts));
    expect(search(collection, 'cake')).toEqual([
      [7, 1],
      [257, 1],
      [507, 1],
      [757, 1],
    ]);
    expect(count()).toBe(4);
    expect(search(collection, 'coffee')).toEqual([]);
    expect(count()).toBe(4);
  });

  test('finds a document once, in natural order, with the sum of the scores of the terms', () => {
    const collection = made(['b b a', 'c', 'a b', 'b b b']);
    expect(search(collection, 'b', 'a')).toEqual([
      [0, 3],
      [2, 2],
      [3, 3],
    ]);
    expect(search(collection)).toEqual([]);
  });

  test('finds no longer terms with the same start, and terms with any characters', () => {
    const collection = made(['a', 'ab', 'a\0', '\uffff', '𝒜']);
    expect(search(collection, 'a')).toEqual([[0, 1]]);
    expect(search(collection, 'a\0')).toEqual([[2, 1]]);
    expect(search(collection, '\uffff', '𝒜')).toEqual([
      [3, 1],
      [4, 1],
    ]);
  });

  test('follows inserted, replaced and removed documents, and earlier versions stay as they are', () => {
    const before = made(['a', 'b']);
    const words = Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ');
    let after = insertRecord(before, docOf(['_id', 2], ['a', 1], ['text', `a ${words}`]), { for: 'another' });
    const records = [...after.records];
    const [[first, a], [second, b], [third, c]] = records as [[string, Doc], [string, Doc], [string, Doc]];
    after = replaceRecord(after, second, b, docOf(['_id', 1], ['a', 1], ['text', 'a a']), { for: 'another' });
    after = replaceRecord(after, third, c, docOf(['_id', 2], ['a', 1], ['text', `${words} z`]), { for: 'another' });
    after = removeRecord(after, first, a, { for: 'another' });
    expect(search(after, 'a')).toEqual([[1, 2]]);
    expect(search(after, 'w17', 'z')).toEqual([[2, 2]]);
    expect(search(before, 'a', 'b')).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  test('reads many index entries in parts', () => {
    const scan = scanOf(...planned(made(Array.from({ length: 2500 }, () => 'a'))));
    expect([scan.prepare?.(), scan.prepare?.(), scan.prepare?.(), scan.prepare?.()]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect([scan.examined, (read(scan) as unknown[]).length, scan.next()]).toEqual([2500, 2500, false]);
  });
});

const planned = (collection: Collection): [Collection, Plan] => [collection, planFor(collection, request(['a']))];

describe('the plan of a text search', () => {
  test('needs values for the fields before the text, which a collation does not compare', () => {
    const collection = made(['a']);
    const planOf = (more: Partial<PlanRequest>): unknown => planFor(collection, request(['a'], more)).searches;
    expect(planOf({})).toBe(true);
    expect(planOf({ predicates: [] })).toBeUndefined();
    expect(planOf({ predicates: [{ path: 'a', op: 'gt', value: 0 }] })).toBeUndefined();
    const collation = Doc.of([['locale', 'en']]);
    expect(planOf({ collation })).toBe(true);
    expect(planOf({ collation, predicates: [{ path: 'a', op: 'eq', value: 'x' }] })).toBeUndefined();
  });

  test('is sorted only if no order is requested', () => {
    const collection = made(['a']);
    const sort = [{ path: '_id', direction: 1 }] as const;
    expect(planFor(collection, request(['a'])).sorted).toBe(true);
    expect(planFor(collection, request(['a'], { sort })).sorted).toBe(false);
  });

  test('is another if the collection has no text index', () => {
    const { indexes, ...rest } = made(['a']);
    expect(planFor({ ...rest, indexes: indexes.slice(0, 1) }, request(['a'])).index).toBeUndefined();
  });

  test('rejects a query that a partial index does not cover with code 291', () => {
    const partial = {
      filter: Doc.of([['a', 1]]),
      predicates: [{ path: 'a', op: 'eq', value: 1 }],
      matches: (doc: Doc) => doc.get('a') === 1,
    };
    const collection = made(['a'], { ...onText, partial });
    expect(search(collection, 'a')).toEqual([[0, 1]]);
    const predicates = [{ path: 'a', op: 'eq', value: 2 }];
    expect(() => planFor(collection, request(['a'], { predicates }))).toThrow(
      expect.objectContaining({ code: 291, codeName: 'NoQueryExecutionPlans' }),
    );
  });
});
