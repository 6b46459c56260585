/** The forms of sorts, index keys, filters, updates and statements, and how they are sent. */
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { indexFields, indexKeys } from '../src/index-keys.js';
import { sortDocument } from '../src/sort.js';
import {
  checkDocument,
  checkOneDocument,
  checkFilter,
  checkReplacement,
  checkUpdate,
  deleteStatement,
  findFilter,
  set,
  updateStatement,
} from '../src/statements.js';
import { rejection } from './rejection.js';

describe('a sort', () => {
  const sent = (...given: readonly unknown[]): unknown => {
    const document = sortDocument(...(given as Parameters<typeof sortDocument>));
    return document === undefined ? undefined : [...document];
  };
  const score = { $meta: 'textScore' };

  test.each<readonly [given: readonly unknown[], keys: readonly (readonly [string, unknown])[]]>([
    [['a'], [['a', 1]]],
    [['a', 'desc'], [['a', -1]]],
    [['a', -1], [['a', -1]]],
    [
      [{ b: 1, a: -1 }],
      [
        ['b', 1],
        ['a', -1],
      ],
    ],
    [
      [{ a: '1', b: '-1' }],
      [
        ['a', 1],
        ['b', -1],
      ],
    ],
    [
      [{ a: 'asc', b: 'desc', c: 'ascending', d: 'descending' }],
      [
        ['a', 1],
        ['b', -1],
        ['c', 1],
        ['d', -1],
      ],
    ],
    [
      [{ a: 'ASC', b: 'Descending' }],
      [
        ['a', 1],
        ['b', -1],
      ],
    ],
    [[{ a: score }], [['a', score]]],
    [
      [
        new Map([
          ['2', 1],
          ['1', -1],
        ]),
      ],
      [
        ['2', 1],
        ['1', -1],
      ],
    ],
    [
      [
        [
          ['b', 1],
          ['a', 'desc'],
        ],
      ],
      [
        ['b', 1],
        ['a', -1],
      ],
    ],
    [[['a', -1]], [['a', -1]]],
    [[['a', 'desc']], [['a', -1]]],
    [[['a', 'DESC']], [['a', -1]]],
    [[['a', score]], [['a', score]]],
    [
      [['a', 'b']],
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [[['a']], [['a', 1]]],
    [
      [['a', 'b', 'c']],
      [
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ],
    ],
    [
      [['a', 'asc', 'desc']],
      [
        ['a', 1],
        ['asc', 1],
        ['desc', 1],
      ],
    ],
    [
      [[['b', 1], 'a']],
      [
        ['b', 1],
        ['a', 1],
      ],
    ],
    [
      [
        [
          ['b', 1],
          ['a', 1],
        ],
      ],
      [
        ['b', 1],
        ['a', 1],
      ],
    ],
  ])('%j is sent as %j', (given, keys) => {
    expect(sent(...given)).toEqual(keys);
  });

  test('without fields is undefined', () => {
    expect([undefined, null, {}, [], new Map()].map(given => sent(given))).toEqual([...new Array<undefined>(5)]);
  });
});

describe('the keys of an index', () => {
  test.each<readonly [given: unknown, keys: readonly (readonly [string, unknown])[]]>([
    ['a', [['a', 1]]],
    [
      { b: 1, a: -1 },
      [
        ['b', 1],
        ['a', -1],
      ],
    ],
    [
      new Map<string, unknown>([
        ['2', 1],
        ['1', 'text'],
      ]),
      [
        ['2', 1],
        ['1', 'text'],
      ],
    ],
    [['a', -1], [['a', -1]]],
    ...['text', '2d', '2dsphere', 'hashed', 'geoHaystack'].map(kind => [['a', kind], [['a', kind]]] as const),
    [
      ['a', 'b'],
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      ['a', 'b', 'text'],
      [
        ['a', 1],
        ['b', 1],
        ['text', 1],
      ],
    ],
    [
      [
        ['a', -1],
        ['b', 'text'],
      ],
      [
        ['a', -1],
        ['b', 'text'],
      ],
    ],
    [
      ['a', { b: -1 }, ['c', 'hashed'], new Map([['d', 1]])],
      [
        ['a', 1],
        ['b', -1],
        ['c', 'hashed'],
        ['d', 1],
      ],
    ],
    [[{ a: 1 }, 1], [['a', 1]]],
  ])('%j are %j', (given, keys) => {
    expect([...indexKeys(given as never)]).toEqual(keys);
  });

  test('must have at least one key', () => {
    for (const given of [{}, [], new Map(), null, 5, undefined])
      expect(rejection(() => indexKeys(given as never))).toBe('An index needs at least one key, such as { name: 1 }.');
  });
});

describe("the fields of an index in a method's options", () => {
  const fields = {
    ...{ name: 'a', background: true, unique: true, sparse: true, hidden: true, expireAfterSeconds: 5 },
    ...{ partialFilterExpression: {}, wildcardProjection: {}, collation: { locale: 'de' }, storageEngine: {} },
    ...{ weights: {}, default_language: 'german', language_override: 'l', textIndexVersion: 3 },
    ...{ '2dsphereIndexVersion': 3, bits: 26, min: 0, max: 1, bucketSize: 1 },
  };

  test("are the index's own options, under the server's names", () => {
    const own = { comment: 'x', session: {}, defaultLanguage: 'german', languageOverride: 'l' };
    const given = { ...fields, version: 2, sparse: undefined, ...own };
    const { sparse: _, ...rest } = fields;
    expect(indexFields(given as never, false)).toStrictEqual({ ...rest, v: 2 });
  });

  test('include unknown ones where those are permitted', () => {
    const given = {
      unique: true,
      version: 2,
      defaultLanguage: 'german',
      languageOverride: 'l',
      other: 5,
      no: undefined,
    };
    expect(indexFields(given as never, true)).toStrictEqual({
      ...{ unique: true, v: 2, default_language: 'german', language_override: 'l', other: 5 },
    });
  });
});

describe('an update', () => {
  const notOperators =
    'An update must contain operators such as $set, or be a pipeline. To replace a document, use replaceOne.';
  const allUndefined =
    'All operators of the update are undefined, and "ignoreUndefined" removes them. The update would replace the document with an empty one.';

  test('has operators, or is a pipeline', () => {
    for (const update of [{ $set: { a: 1 } }, { $set: {}, a: 1 }, [{ $set: { a: 1 } }]])
      for (const ignoring of [true, false]) expect(checkUpdate(update, ignoring)).toBe(update);
    for (const update of [{ a: 1 }, { a: 1, $set: {} }, {}, [], null, undefined, '$set', 5])
      for (const ignoring of [true, false]) expect(rejection(() => checkUpdate(update, ignoring))).toBe(notOperators);
  });

  test('whose operators ignoreUndefined would all remove is rejected', () => {
    const [nothing, shifted] = [{ $set: undefined }, { $set: undefined, a: 1 }];
    expect([nothing, shifted].map(update => rejection(() => checkUpdate(update, true)))).toEqual([
      ...[allUndefined, allUndefined],
    ]);
    expect([nothing, shifted].map(update => checkUpdate(update, false))).toEqual([nothing, shifted]);
    const kept = { $set: undefined, $inc: { a: 1 } };
    expect(checkUpdate(kept, true)).toBe(kept);
  });
});

describe('documents', () => {
  test('that replace have no operators', () => {
    for (const replacement of [{}, { a: 1 }, { a: 1, $set: {} }])
      expect(checkReplacement(replacement)).toBe(replacement);
    for (const given of [null, undefined, 'x', 5])
      expect(rejection(() => checkReplacement(given))).toBe('A replacement must be a document.');
    for (const given of [{ $set: {} }, [{ $set: {} }]])
      expect(rejection(() => checkReplacement(given))).toBe(
        'A replacement must not contain operators such as $set. To update a document, use updateOne.',
      );
  });

  test('that filter are objects, and find also accepts an _id or null', () => {
    const [filter, id] = [{ a: 1 }, new ObjectId()];
    expect([checkFilter(filter), findFilter(filter)]).toEqual([filter, filter]);
    expect([findFilter(undefined), findFilter(null), findFilter(id)]).toEqual([{}, {}, { _id: id }]);
    const given: readonly (readonly [unknown, string])[] = [
      [[], 'an array'],
      [null, 'null'],
      ['x', 'string'],
      [5, 'number'],
      [undefined, 'undefined'],
    ];
    for (const [value, shown] of given)
      expect(rejection(() => checkFilter(value))).toBe(`A filter must be a document, but is ${shown}.`);
    expect(rejection(() => findFilter('x'))).toBe('A filter must be a document, but is string.');
  });

  test('that are inserted are objects', () => {
    const document = {};
    expect(checkDocument(document)).toBe(document);
    for (const given of [[], null, undefined, 'x', 5])
      expect(rejection(() => checkDocument(given))).toBe('A document to insert must be an object.');
  });

  test('that insertOne inserts are no arrays', () => {
    const document = {};
    expect(checkOneDocument(document)).toBe(document);
    expect(rejection(() => checkOneDocument([{ x: 1 }]))).toBe(
      'The method insertOne takes one document, but got an array. Use insertMany.',
    );
    expect(rejection(() => checkOneDocument(null))).toBe('A document to insert must be an object.');
  });
});

describe('a statement', () => {
  const options = {
    ...{ upsert: true, collation: { locale: 'de' }, arrayFilters: [{ x: 1 }], hint: 'a_1' },
    sort: { a: -1 as const },
  };
  const filter = { a: 1 };
  const u = { $set: { a: 2 } };

  test('that updates has the given options, and updateMany has no sort', () => {
    const { sort: _, ...fields } = options;
    expect([
      updateStatement(filter, u, false, options),
      updateStatement(filter, u, true, options),
      updateStatement(filter, u, false, { upsert: false, collation: undefined, hint: null as never }),
    ]).toStrictEqual([
      { q: filter, u, ...fields, sort: new Map([['a', -1]]) },
      { q: filter, u, multi: true, ...fields },
      { q: filter, u },
    ]);
    expect(rejection(() => updateStatement([], u, false, {}))).toBe('A filter must be a document, but is an array.');
  });

  test('that deletes has its limit, collation and hint', () => {
    expect([deleteStatement(filter, 1, options), deleteStatement(filter, 0, {})]).toStrictEqual([
      { q: filter, limit: 1, collation: options.collation, hint: 'a_1' },
      { q: filter, limit: 0 },
    ]);
    expect(rejection(() => deleteStatement(null, 1, {}))).toBe('A filter must be a document, but is null.');
  });

  test('omits fields without a value', () => {
    const statement = {};
    expect(set(statement, 'a', 0)).toBe(statement);
    expect(set(set(statement, 'b', null), 'c', undefined)).toStrictEqual({ a: 0 });
  });
});
