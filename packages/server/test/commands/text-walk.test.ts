import type { Document } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';
import { Session, set } from '../txn/session.js';

const words = ['Cats', 'cat', 'the', 'dógs', 'dog', 'running', 'corriendo', 'gatos', 'ran-away', 'ÉCOLE'];
const phrase = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map(list => list.join(' '));
const language = fc.constantFrom(undefined, 'es', 'none', 'french');

const withLanguage = (fields: Document, code: string | undefined): Document =>
  code === undefined ? fields : { ...fields, language: code };

const body = fc
  .record({
    a: fc.oneof(phrase, fc.array(phrase, { maxLength: 2 }), fc.constant(7)),
    b: fc.record({ c: phrase, d: phrase }),
    k: fc.constantFrom(1, 2, null),
    outer: language,
    inner: language,
  })
  .map(({ a, b, k, outer, inner }) => withLanguage({ a, b: withLanguage(b, inner), k }, outer));

const change = fc.record({ kind: fc.constantFrom('insert', 'insert', 'replace', 'delete'), id: fc.nat(12), body });

const search = fc.record({
  $search: fc
    .array(fc.tuple(fc.constantFrom('', '', '-', '"'), phrase), { minLength: 1, maxLength: 3 })
    .map(parts => parts.map(([mark, text]) => (mark === '"' ? `"${text}"` : mark + text)).join(' ')),
  $caseSensitive: fc.boolean(),
  $diacriticSensitive: fc.boolean(),
  $language: fc.constantFrom('en', 'spanish', 'none'),
});

const indexes: readonly Document[] = [
  { key: { a: 'text' } },
  { key: { a: 'text', 'b.c': 'text' }, weights: { 'b.c': 3 }, default_language: 'spanish' },
  { key: { '$**': 'text' }, weights: { a: 5 } },
  { key: { k: 1, '$**': 'text', _id: -1 } },
  { key: { k: -1, a: 'text' }, textIndexVersion: 2 },
  { key: { k: 1, a: 'text' }, partialFilterExpression: { k: 1 } },
];

const apply = async (client: Client, { kind, id, body: fields }: { kind: string; id: number; body: Document }) => {
  if (kind === 'insert') await client.plain({ insert: 'c', documents: [{ _id: id, ...fields }] });
  else if (kind === 'replace') await client.plain({ update: 'c', updates: [{ q: { _id: id }, u: fields }] });
  else await client.plain({ delete: 'c', deletes: [{ q: { _id: id }, limit: 1 }] });
};

const resultsOf = async (client: Client, filter: Document): Promise<unknown> => {
  const projection = { _id: 1, score: { $meta: 'textScore' } };
  return (await client.plain({ find: 'c', filter, projection })).cursor.firstBatch;
};

test('a walk through the index finds what a scan of the documents finds, with the same scores', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...indexes),
      fc.array(change, { maxLength: 30 }),
      fc.nat(30),
      fc.array(search, { minLength: 3, maxLength: 6 }),
      async (index, changes, at, searches) => {
        const { client } = world();
        for (const each of changes.slice(0, at)) await apply(client, each);
        await client.plain({ createIndexes: 'c', indexes: [{ name: 'text', ...index }] });
        for (const each of changes.slice(at)) await apply(client, each);
        for (const $text of searches) {
          const rest = 'k' in index['key'] ? { k: 1 } : {};
          const walked = await resultsOf(client, { $text, ...rest });
          // A search within $or reads all documents.
          const scanned = await resultsOf(client, { $or: [{ $text }, { _id: { $in: [] } }], ...rest });
          expect(walked).toEqual(scanned);
        }
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

const explained = async (client: Client, command: Document): Promise<Document> =>
  client.plain({ explain: command, verbosity: 'executionStats' });

describe('explain', () => {
  const filled = async (): Promise<Client> => {
    const { client } = world();
    const documents = Array.from({ length: 50 }, (_, _id) => ({ _id, a: 1, t: _id % 10 === 3 ? 'red cakes' : 'tea' }));
    await client.plain({ insert: 'c', documents });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1, t: 'text' }, name: 'text' }] });
    return client;
  };
  const $text = { $search: 'cake coffee -green "red"' };
  const key = { a: 1, _fts: 'text', _ftsx: 1 };
  const scan = {
    stage: 'IXSCAN',
    keyPattern: key,
    indexName: 'text',
    isMultiKey: false,
    isUnique: false,
    isSparse: false,
    isPartial: false,
    indexVersion: 2,
    direction: 'backward',
  };
  const stage = {
    stage: 'TEXT_MATCH',
    indexPrefix: { a: 1 },
    indexName: 'text',
    parsedTextQuery: { terms: ['cake', 'coffe', 'red'], negatedTerms: ['green'], phrases: ['red'], negatedPhrases: [] },
    textIndexVersion: 3,
    inputStage: { stage: 'TEXT_OR', inputStages: [scan, scan, scan] },
  };

  test('shows the search, and that only documents with a term are read', async () => {
    const client = await filled();
    const { queryPlanner, executionStats } = await explained(client, { find: 'c', filter: { $text, a: 1 } });
    expect(queryPlanner.winningPlan).toEqual(stage);
    expect(executionStats).toMatchObject({ nReturned: 5, totalKeysExamined: 10, totalDocsExamined: 5 });
  });

  test.each<readonly [string, Document]>([
    ['count', { count: 'c', query: { $text, a: 1 } }],
    ['update', { update: 'c', updates: [{ q: { $text, a: 1 }, u: { $set: { x: 1 } }, multi: true }] }],
    ['delete', { delete: 'c', deletes: [{ q: { $text, a: 1 }, limit: 0 }] }],
    ['findAndModify', { findAndModify: 'c', query: { $text, a: 1 }, remove: true }],
  ])('the plan of %s searches the index', async (_name, command) => {
    const { queryPlanner } = await explained(await filled(), command);
    expect(queryPlanner.winningPlan.inputStage).toEqual(stage);
  });

  test('the plan of a pipeline that starts with the search searches the index', async () => {
    const pipeline = [{ $match: { $text, a: 1 } }, { $sort: { score: { $meta: 'textScore' } } }];
    const { queryPlanner } = await explained(await filled(), { aggregate: 'c', pipeline, cursor: {} });
    expect(queryPlanner.winningPlan).toEqual({
      stage: 'SORT',
      sortPattern: { score: { $meta: 'textScore' } },
      inputStage: stage,
    });
  });
});

test('a hint names a text index without a search: the find reads the documents with terms, each once', async () => {
  const { client } = world();
  const documents = [
    { _id: 1, a: 2, t: 'red cake' },
    { _id: 2, a: 1 },
    { _id: 3, a: 1, t: 'tea' },
    { _id: 4, t: 5 },
  ];
  await client.plain({ insert: 'c', documents });
  await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1, t: 'text' }, name: 'text' }] });
  const found = async (more: Document): Promise<unknown> =>
    (await client.plain({ find: 'c', hint: 'text', ...more })).cursor.firstBatch.map(({ _id }) => _id);
  expect(await found({ sort: { _id: 1 } })).toEqual([1, 3]);
  expect(await found({ sort: { a: 1 } })).toEqual([3, 1]);
  expect(await found({ filter: { a: 2 } })).toEqual([1]);
});

describe('transactions', () => {
  const ids = async (client: { plain: Client['plain'] }): Promise<unknown> =>
    (await client.plain({ find: 'c', filter: { $text: { $search: 'cake' } } })).cursor.firstBatch.map(({ _id }) => _id);

  test.each(['commit', 'abort'] as const)('%s: a search finds the writes of its transaction', async end => {
    const { client } = set();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { t: 'text' }, name: 'text' }] });
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, t: 'cake' },
        { _id: 2, t: 'tea' },
      ],
    });
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [{ _id: 3, t: 'cakes' }] });
    await session.run({ update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { t: 'a cake' } } }] });
    await session.run({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] });
    expect(await ids({ plain: command => session.run(command) })).toEqual([2, 3]);
    expect(await ids(client)).toEqual([1]);
    await session[end]();
    expect(await ids(client)).toEqual(end === 'commit' ? [2, 3] : [1]);
  });

  test('a write that fails leaves the index as it was', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { t: 'text' }, name: 'text' }] });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u', unique: true }] });
    const documents = [
      { _id: 1, t: 'cake', u: 1 },
      { _id: 2, t: 'cake', u: 1 },
      { _id: 3, t: 'cake', u: 3 },
    ];
    await client.plain({ insert: 'c', documents, ordered: false });
    await client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { t: 'tea', u: 3 } } }] });
    expect(await ids(client)).toEqual([1, 3]);
  });
});
