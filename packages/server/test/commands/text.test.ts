import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const documents = [
  { _id: 1, subject: 'coffee', author: 'xyz' },
  { _id: 2, subject: 'Coffee Shopping', author: 'efg' },
  { _id: 3, subject: 'Baking a cake', author: 'abc' },
  { _id: 4, subject: 'baking', author: 'xyz' },
  { _id: 5, subject: 'Café Con Leche', author: 'abc' },
  { _id: 6, subject: 'coffee and cream', author: 'efg', tags: ['cake', { deep: 'leche' }] },
];

const articles = async (key: Document = { subject: 'text' }, more: Document = {}): Promise<Client> => {
  const { client } = world();
  await client.plain({ insert: 'c', documents });
  await client.plain({ createIndexes: 'c', indexes: [{ key, name: 'text', ...more }] });
  return client;
};

const found = async (client: Client, $text: Document): Promise<unknown> => {
  const { cursor } = await client.plain({ find: 'c', filter: { $text }, sort: { _id: 1 } });
  return cursor.firstBatch.map(({ _id }) => _id);
};

describe('$text', () => {
  test.each([
    ['coffee', [1, 2, 6]],
    ['bake coffee cake', [1, 2, 3, 4, 6]],
    ['shops', [2]],
    ['COFFEES', [1, 2, 6]],
    ["isn't", []],
    ['"coffee shop"', [2]],
    ['coffee -shopping', [1, 6]],
    ['coffee -"and cream"', [1, 2]],
    ['LECHE', [5]],
    ['cafe', [5]],
    ['and', []],
    ['', []],
  ])('finds any of the words, all phrases and no negated term: %s', async ($search, ids) => {
    expect(await found(await articles(), { $search })).toEqual(ids);
  });

  test('$caseSensitive, $diacriticSensitive and $language change how words match', async () => {
    const client = await articles();
    expect(await found(client, { $search: 'Coffee', $caseSensitive: true })).toEqual([2]);
    expect(await found(client, { $search: 'cafe', $diacriticSensitive: true })).toEqual([]);
    expect(await found(client, { $search: 'baking', $language: 'none' })).toEqual([]);
    expect(await found(client, { $search: 'bake', $language: 'none' })).toEqual([3, 4]);
  });

  test('searches all string fields with $**, and array elements', async () => {
    expect(await found(await articles({ '$**': 'text' }), { $search: 'leche' })).toEqual([5, 6]);
    expect(await found(await articles({ tags: 'text' }), { $search: 'cake leche' })).toEqual([6]);
  });

  test('computes the score from how often a word occurs in a field, the length of the field and its weight', async () => {
    const client = await articles({ subject: 'text', author: 'text' }, { weights: { subject: 10 } });
    const score = { $meta: 'textScore' };
    const filter = { $text: { $search: 'coffee' } };
    const { cursor } = await client.plain({ find: 'c', filter, projection: { score }, sort: { score } });
    expect(cursor.firstBatch).toEqual([
      { ...documents[0], score: 10 },
      { ...documents[1], score: 7.5 },
      { ...documents[5], score: 7.5 },
    ]);
  });

  test('provides its score to the stages of a pipeline', async () => {
    const client = await articles();
    const score = { $meta: 'textScore' };
    const pipeline = [
      { $match: { $text: { $search: 'coffee' }, author: 'efg' } },
      { $addFields: { subject: '-' } },
      { $sort: { score: -1 } },
      { $project: { score } },
    ];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([
      { _id: 2, score: 0.75 },
      { _id: 6, score: 0.75 },
    ]);
  });

  test('a term of several fields has the sum of its scores, and the language of a document decides its terms', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 'text', b: 'text' }, name: 'text' }] });
    const documents = [
      { _id: 1, a: 'running runs runner', b: 'run' },
      { _id: 2, a: 'the run', language: 'none' },
      { _id: 3, a: 'running', language: 'none' },
    ];
    await client.plain({ insert: 'c', documents });
    const score = { $meta: 'textScore' };
    const projection = { _id: 1, score };
    const filter = { $text: { $search: 'run' } };
    const { cursor } = await client.plain({ find: 'c', filter, projection, sort: { score, _id: 1 } });
    expect(cursor.firstBatch).toEqual([
      { _id: 1, score: 2.35 },
      { _id: 2, score: 0.75 },
    ]);
  });

  const score = { $meta: 'textScore' };
  const $text = { $search: 'coffee' };

  test.each<readonly [string, Document]>([
    ['a search in $nor with code 2', { filter: { $nor: [{ $text }] } }],
    ['two searches with code 2', { filter: { $text, $and: [{ $text }] } }],
    ['a hint beside a search with code 2', { filter: { $text }, hint: '_id_' }],
    ['the sort $natural beside a search with code 2', { filter: { $text }, sort: { $natural: 1 } }],
    [
      'a search in $or beside a condition without an index with code 291',
      { filter: { $or: [{ $text }, { author: 1 }] } },
    ],
    ['the score without a search with code 40218', { projection: { score } }],
    ['a sort by the score without a search with code 40218', { sort: { score } }],
  ])('find rejects %s', async (title, command) => {
    const refusal = await (await articles()).refusal({ find: 'c', ...command });
    expect(refusal.split(' ', 1)[0]).toBe(/\d+$/.exec(title)![0]);
  });

  test('finds the documents of an $or whose other conditions have indexes', async () => {
    const client = await articles();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { author: 1 }, name: 'author' }] });
    const filter = { $or: [{ $text: { $search: 'cream' } }, { $and: [{ author: 'abc' }, { subject: /^B/ }] }] };
    const { cursor } = await client.plain({ find: 'c', filter, sort: { _id: 1 } });
    expect(cursor.firstBatch.map(({ _id }) => _id)).toEqual([3, 6]);
  });

  test('is only allowed in the first stage of a pipeline, and not in $facet', async () => {
    const client = await articles();
    const refusal = (pipeline: readonly Document[]): Promise<string> =>
      client.refusal({ aggregate: 'c', pipeline, cursor: {} });
    expect(await refusal([{ $match: {} }, { $match: { $text } }])).toBe(
      '17313 $match with $text is only allowed as the first pipeline stage',
    );
    expect(await refusal([{ $facet: { a: [{ $match: { $text } }] } }])).toBe(
      '40600 $match is not allowed to be used within a $facet stage',
    );
  });

  test('needs equality conditions on the fields before the text of a compound index', async () => {
    const client = await articles({ author: 1, subject: 'text', _id: 1 });
    const ids = async (filter: Document): Promise<unknown> =>
      (await client.plain({ find: 'c', filter })).cursor.firstBatch.map(({ _id }) => _id);
    expect(await ids({ $text, author: 'xyz' })).toEqual([1]);
    expect(await ids({ $and: [{ $text }, { author: { $eq: 'efg' } }] })).toEqual([2, 6]);
    for (const author of [{ $gt: 'a' }, { $in: ['xyz'] }, undefined]) {
      const filter = { $text, ...(author && { author }) };
      expect(await client.refusal({ find: 'c', filter })).toMatch(/^291 .* failed to use text index to satisfy \$text/);
    }
  });

  test('a compound index rejects arrays in the fields beside the text with code 201', async () => {
    const client = await articles({ author: 1, subject: 'text', 'a.b': 1 });
    for (const document of [{ author: [1] }, { a: [{ b: 1 }] }, { a: { b: [1] } }]) {
      const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 9, ...document }] });
      expect(writeErrors).toMatchObject([{ code: 201 }]);
    }
  });

  test('embedded documents have languages of their own, and an unknown one is refused with code 17262', async () => {
    const { client } = world();
    const key = { 'a.t': 'text', 'b.t': 'text' };
    await client.plain({ createIndexes: 'c', indexes: [{ key, name: 'text', language_override: 'in' }] });
    const document = { _id: 1, in: 'es', a: { t: 'gatos' }, b: [{ in: 'en', t: 'cats' }, { t: 'perros' }] };
    await client.plain({ insert: 'c', documents: [document] });
    for (const [$search, $language, ids] of [
      ['gato', 'es', [1]],
      ['cat', 'en', [1]],
      ['perro', 'es', [1]],
      ['perro', 'en', []],
    ])
      expect(await found(client, { $search, $language })).toEqual(ids);
    const codeOf = async (a: Document): Promise<unknown> =>
      (await client.plain({ insert: 'c', documents: [{ a }] })).writeErrors?.map(({ code }) => code);
    expect(await codeOf({ t: 'x', in: 'klingon' })).toEqual([17262]);
    expect(await codeOf({ t: 'x', in: 5 })).toEqual([17261]);
    expect(await codeOf([{ t: 'x', in: 'constructor' }] as Document)).toEqual([17262]);
  });

  test('fields whose names contain dots or start with a dollar sign are not indexed', async () => {
    const client = await articles({ '$**': 'text' });
    await client.plain({ insert: 'c', documents: [{ _id: 7, 'a.b': 'hidden', c: { $d: 'hidden' }, e: 'shown' }] });
    expect(await found(client, { $search: 'hidden' })).toEqual([]);
    expect(await found(client, { $search: 'shown' })).toEqual([7]);
  });

  test('a hidden text index is not used: the search is refused with code 291', async () => {
    const client = await articles();
    await client.plain({ collMod: 'c', index: { name: 'text', hidden: true } });
    expect(await client.refusal({ find: 'c', filter: { $text: { $search: 'a' } } })).toMatch(/^291 /);
  });

  test('a partial text index serves only searches that follow its filter', async () => {
    const client = await articles({ subject: 'text' }, { partialFilterExpression: { author: 'xyz' } });
    const filter = { $text: { $search: 'coffee' } };
    expect(await client.refusal({ find: 'c', filter })).toMatch(/^291 /);
    const { cursor } = await client.plain({ find: 'c', filter: { ...filter, author: 'xyz' } });
    expect(cursor.firstBatch).toEqual([documents[0]]);
  });

  test('findAndModify projects the score of the search on the new document', async () => {
    const client = await articles();
    const query = { $text: { $search: 'shopping' } };
    const fields = { _id: 1, author: 1, score: { $meta: 'textScore' } };
    const update = { $set: { author: 'me' } };
    const { value } = await client.plain({ findAndModify: 'c', query, update, new: true, fields });
    expect(value).toEqual({ _id: 2, author: 'me', score: 0.75 });
  });

  test('works in count, update and delete', async () => {
    const client = await articles();
    const q = { $text: { $search: 'coffee' } };
    expect((await client.plain({ count: 'c', query: q })).n).toBe(3);
    expect(await client.plain({ update: 'c', updates: [{ q, u: { $set: { a: 1 } }, multi: true }] })).toMatchObject({
      nModified: 3,
    });
    expect((await client.plain({ delete: 'c', deletes: [{ q, limit: 0 }] })).n).toBe(3);
  });

  test.each([
    [{ $search: 1 }, '14 "$search" had the wrong type. Expected string, found int'],
    [{}, '2 Missing expected field "$search"'],
    [{ $search: 'a', more: 1 }, '2 extra fields in $text'],
    [{ $search: 'a', $language: 'klingon' }, '2 unsupported language: "klingon" for text index version 3'],
  ])('rejects %j', async ($text, refusal) => {
    const client = await articles();
    expect(await client.refusal({ find: 'c', filter: { $text } })).toBe(refusal);
  });

  test('requires a text index', async () => {
    const { client } = world();
    expect(await client.refusal({ find: 'c', filter: { $text: { $search: 'a' } } })).toBe(
      '27 text index required for $text query',
    );
  });
});

describe('a unique text index', () => {
  const write = async (client: Client, ...documents: readonly Document[]): Promise<unknown> =>
    ((await client.plain({ insert: 'u', documents })).writeErrors ?? []).map(({ errmsg }) => errmsg);
  const made = async (key: Document): Promise<Client> => {
    const { client } = world();
    await client.plain({ createIndexes: 'u', indexes: [{ key, name: 'text', unique: true }] });
    return client;
  };

  test('rejects a term with the score that it has in another document', async () => {
    const client = await made({ s: 'text' });
    expect(await write(client, { s: 'red apples' }, {}, {}, { s: 5 })).toEqual([]);
    expect(await write(client, { s: 'green apple' })).toEqual([
      'E11000 duplicate key error collection: db.u index: text dup key: { _fts: "appl", _ftsx: 0.75 }',
    ]);
    expect(await write(client, { s: 'apple' }, { s: 'red red' })).toEqual([]);
  });

  test('compares the fields beside the text, too', async () => {
    const client = await made({ a: 1, s: 'text', b: 1 });
    expect(await write(client, { a: 1, s: 'x' }, { a: 2, s: 'x' }, { a: 1, s: 'x', b: 1 })).toEqual([]);
    expect(await write(client, { a: 1, s: 'x', b: 1 })).toEqual([
      'E11000 duplicate key error collection: db.u index: text dup key: { a: 1, _fts: "x", _ftsx: 1.1, b: 1 }',
    ]);
  });

  test('is not built on documents that share a key', async () => {
    const { client } = world();
    await write(client, { s: 'apple' }, { s: 'apples' }, { s: 'apple' });
    const indexes = [{ key: { s: 'text' }, name: 'text', unique: true }];
    expect(await client.refusal({ createIndexes: 'u', indexes })).toMatch(/^11000 /);
  });
});

describe('$meta', () => {
  test.each<readonly [string, Document, unknown]>([
    ['recordId', {}, { _id: 1, q: 1 }],
    ['indexKey', { filter: { x: { $gt: 0 } } }, { _id: 1, q: { x: 5 } }],
    ['indexKey', {}, { _id: 1 }],
    ['sortKey', { sort: { y: -1, x: 1 } }, { _id: 1, q: [null, 5] }],
    ['randVal', {}, { _id: 1 }],
  ])('%s in the projection of find %j', async (name, command, expected) => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1, x: 5 }] });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x' }] });
    const projection = { _id: 1, q: { $meta: name } };
    expect((await client.plain({ find: 'c', projection, ...command })).cursor.firstBatch).toEqual([expected]);
  });

  test.each([
    ['sortKey', '2 cannot use sortKey $meta projection without a sort'],
    ['nothing', '17308 Unsupported argument to $meta: nothing'],
  ])('%s is rejected', async (name, refusal) => {
    const { client } = world();
    expect(await client.refusal({ find: 'c', projection: { q: { $meta: name } } })).toBe(refusal);
  });
});
