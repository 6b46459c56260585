// The server loads the library on demand. In simulated time nothing waits for a file that is being read.
import '@tessera/search';
import type { Document } from 'bson';
import { Binary, Double, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import type { ServerOptions } from '../../src/index.js';
import { world } from '../client.js';

const films = [
  { _id: 1, title: 'The Silver Surfer', year: 1998, genres: ['Action'], v: [1, 0] },
  { _id: 2, title: 'Surfer Girl', year: 2004, genres: ['Drama'], v: [0.5, 0] },
  { _id: 3, title: 'New York Stories', year: 1989, genres: ['Comedy', 'Drama'], v: [0, 1] },
];

const dynamic = { mappings: { dynamic: true, fields: { genres: { type: 'token' } } } };
const vector = {
  fields: [
    { type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' },
    { type: 'filter', path: 'year' },
  ],
};

const create = (client: Client, ...indexes: readonly Document[]): Promise<Document> =>
  client.plain({ createSearchIndexes: 'c', indexes });

const withFilms = async (options: ServerOptions = { search: true }): Promise<Client> => {
  const { client } = world(options);
  await client.plain({ insert: 'c', documents: films });
  await create(client, { definition: dynamic }, { name: 'vectors', type: 'vectorSearch', definition: vector });
  return client;
};

const run = async (client: Client, ...pipeline: readonly Document[]): Promise<readonly Document[]> => {
  const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
  return cursor.firstBatch;
};

const refused = (client: Client, ...pipeline: readonly Document[]): Promise<string> =>
  client.refusal({ aggregate: 'c', pipeline, cursor: {} });

const idsOf = (documents: readonly Document[]): readonly unknown[] => documents.map(({ _id }) => _id as unknown);

const surfer = { $search: { text: { path: 'title', query: 'surfer' } } };

describe('definitions', () => {
  test('createSearchIndexes returns ids, and $listSearchIndexes the definitions with their states', async () => {
    const { client } = world({ search: true });
    await client.plain({ create: 'c' });
    const { indexesCreated } = await create(
      client,
      { definition: dynamic },
      { name: 'v', type: 'vectorSearch', definition: vector },
    );
    expect(indexesCreated).toEqual([
      { id: expect.stringMatching(/^[0-9a-f]{24}$/) as unknown, name: 'default' },
      { id: expect.any(String) as unknown, name: 'v' },
    ]);
    const listed = await run(client, { $listSearchIndexes: {} });
    expect(listed).toMatchObject([
      {
        ...(indexesCreated[0] as Document),
        type: 'search',
        status: 'READY',
        queryable: true,
        latestDefinition: dynamic,
        latestDefinitionVersion: { version: 0, createdAt: expect.any(Date) as unknown },
        statusDetail: [{ status: 'READY', queryable: true, mainIndex: { definition: dynamic } }],
      },
      { name: 'v', type: 'vectorSearch', latestDefinition: vector },
    ]);
    expect(await run(client, { $listSearchIndexes: { name: 'v' } })).toEqual([listed[1]]);
    expect(await run(client, { $listSearchIndexes: { id: listed[0]!['id'] } })).toEqual([listed[0]]);
    expect(await run(client, { $listSearchIndexes: { name: 'other' } })).toEqual([]);
    const { cursor } = await client.plain({ listSearchIndexes: 'c', name: 'v' });
    expect(cursor.firstBatch).toEqual([listed[1]]);
  });

  test('createSearchIndexes accepts an index that exists, and refuses another definition under its name', async () => {
    const client = await withFilms();
    const { indexesCreated } = await create(client, { name: 'default', definition: dynamic });
    expect(indexesCreated).toHaveLength(1);
    const other = { createSearchIndexes: 'c', indexes: [{ definition: { mappings: { dynamic: false } } }] };
    expect(await client.refusal(other)).toBe('68 Duplicate Index: search index "default" exists already.');
    expect(await run(client, { $listSearchIndexes: {} })).toHaveLength(2);
  });

  test.each([
    [{ createSearchIndexes: 'none', indexes: [{ definition: dynamic }] }, "26 Collection 'db.none' does not exist."],
    [{ createSearchIndexes: 'c', indexes: [] }, '2 Must specify at least one search index to create'],
    [{ createSearchIndexes: 'c' }, "40414 BSON field 'createSearchIndexes.indexes' is missing but a required field"],
    [
      { createSearchIndexes: 'c', indexes: [{ name: 'a', definition: {} }] },
      '2 Invalid search index definition: "mappings" is required.',
    ],
    [
      { createSearchIndexes: 'c', indexes: [{ name: 'a', type: 'vectorSearch', definition: dynamic }] },
      /^2 Invalid search index definition: Unrecognized field "mappings"/,
    ],
    [
      { createSearchIndexes: 'c', indexes: [{ name: 'a', type: 'geo', definition: dynamic }] },
      '2 Search index type "geo" must be "search" or "vectorSearch".',
    ],
    [{ updateSearchIndex: 'c', name: 'other', definition: dynamic }, "27 Search index 'other' does not exist."],
    [{ updateSearchIndex: 'c', definition: dynamic }, "9 Exactly one of 'name' and 'id' must be specified."],
    [{ dropSearchIndex: 'c', name: 'other' }, "27 Search index 'other' does not exist."],
    [{ dropSearchIndex: 'none', name: 'default' }, "26 Collection 'db.none' does not exist."],
  ])('%j is refused', async (command, message) => {
    const refusal = await (await withFilms()).refusal(command);
    if (typeof message === 'string') expect(refusal).toBe(message);
    else expect(refusal).toMatch(message);
  });

  test('updateSearchIndex replaces the definition and raises its version', async () => {
    const client = await withFilms();
    const changed = { mappings: { dynamic: false, fields: { genres: { type: 'string' } } } };
    await run(client, surfer);
    await client.plain({ updateSearchIndex: 'c', name: 'default', definition: changed });
    expect(await run(client, { $listSearchIndexes: { name: 'default' } })).toMatchObject([
      { latestDefinition: changed, latestDefinitionVersion: { version: 1 } },
    ]);
    expect(await run(client, surfer)).toEqual([]);
    expect(idsOf(await run(client, { $search: { text: { path: 'genres', query: 'drama' } } }))).toEqual([2, 3]);
  });

  test('dropSearchIndex removes an index, and a query finds nothing without it', async () => {
    const client = await withFilms();
    await client.plain({ dropSearchIndex: 'c', name: 'default' });
    expect(await run(client, surfer)).toEqual([]);
    expect(await run(client, { $listSearchIndexes: {} })).toMatchObject([{ name: 'vectors' }]);
  });

  test('with buildMS, an index is pending and being built before queries may use it, and being deleted at the end', async () => {
    const { client, clock } = world({ search: { buildMS: 1000 } });
    const wait = (ms: number): Promise<void> => clock.advance(ms);
    await client.plain({ insert: 'c', documents: films });
    await create(client, { definition: dynamic });
    const shown = async (): Promise<unknown> =>
      (await run(client, { $listSearchIndexes: {} })).map(({ status, queryable }) => [status, queryable] as unknown);
    expect(await shown()).toEqual([['PENDING', false]]);
    expect(await refused(client, surfer)).toMatch(
      /^8 .*Cannot query search index "default" while it is in the state PENDING\.$/,
    );
    await wait(600);
    expect(await shown()).toEqual([['BUILDING', false]]);
    await wait(600);
    expect(await shown()).toEqual([['READY', true]]);
    expect(idsOf(await run(client, surfer))).toEqual([2, 1]);
    await client.plain({ updateSearchIndex: 'c', name: 'default', definition: { mappings: { dynamic: true } } });
    expect(await shown()).toEqual([['PENDING', true]]);
    await client.plain({ dropSearchIndex: 'c', name: 'default' });
    expect(await shown()).toEqual([['DELETING', false]]);
    await wait(1100);
    expect(await shown()).toEqual([]);
  });

  test('an index stays with its collection through a rename, and goes with it', async () => {
    const client = await withFilms();
    await client.plain({ renameCollection: 'db.c', to: 'db.e' }, 'admin');
    const { cursor } = await client.plain({ aggregate: 'e', pipeline: [surfer], cursor: {} });
    expect(idsOf(cursor.firstBatch)).toEqual([2, 1]);
    await client.plain({ drop: 'e' });
    await client.plain({ create: 'e' });
    const { cursor: after } = await client.plain({
      aggregate: 'e',
      pipeline: [{ $listSearchIndexes: {} }],
      cursor: {},
    });
    expect(after.firstBatch).toEqual([]);
  });
});

describe('$search', () => {
  test('returns whole documents by score, with their metadata', async () => {
    const client = await withFilms();
    const project = {
      $project: {
        score: { $meta: 'searchScore' },
        highlights: { $meta: 'searchHighlights' },
        details: { $meta: 'searchScoreDetails' },
      },
    };
    const $search = { ...surfer.$search, highlight: { path: 'title' }, scoreDetails: true };
    const [first] = await run(client, { $search }, project);
    expect(first).toEqual({
      _id: 2,
      score: expect.any(Number) as unknown,
      highlights: [
        {
          path: 'title',
          texts: [
            { value: 'Surfer', type: 'hit' },
            { value: ' Girl', type: 'text' },
          ],
          score: expect.any(Number) as unknown,
        },
      ],
      details: { value: first!['score'] as unknown, description: expect.any(String) as unknown, details: [] },
    });
    expect(await run(client, surfer)).toEqual([films[1], films[0]]);
    expect(await run(client, surfer, { $project: { highlights: { $meta: 'searchHighlights' } } })).toEqual([
      { _id: 2 },
      { _id: 1 },
    ]);
  });

  test('follows inserts, updates and deletes', async () => {
    const client = await withFilms();
    expect(idsOf(await run(client, surfer))).toEqual([2, 1]);
    await client.plain({ insert: 'c', documents: [{ _id: 4, title: 'surfer' }] });
    expect(idsOf(await run(client, surfer))).toEqual([4, 2, 1]);
    await client.plain({ update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { title: 'Other' } } }] });
    await client.plain({ delete: 'c', deletes: [{ q: { _id: 4 }, limit: 1 }] });
    expect(idsOf(await run(client, surfer))).toEqual([1]);
    await client.plain({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    expect(await run(client, surfer)).toEqual([]);
  });

  test('later stages see the scores, and $sort sorts by them', async () => {
    const client = await withFilms();
    const match = { $match: { year: { $lt: 2000 } } };
    expect(idsOf(await run(client, surfer, match))).toEqual([1]);
    const sorted = await run(client, surfer, { $sort: { year: 1 } }, { $sort: { score: { $meta: 'searchScore' } } });
    expect(idsOf(sorted)).toEqual([2, 1]);
  });

  test('pages by searchAfter with the token of a result', async () => {
    const client = await withFilms();
    const query = { exists: { path: 'title' }, sort: { year: 1 } };
    const [first] = await run(client, { $search: query }, { $set: { token: { $meta: 'searchSequenceToken' } } });
    const searchAfter = first!['token'] as unknown;
    expect(idsOf(await run(client, { $search: { ...query, searchAfter } }))).toEqual([1, 2]);
  });

  test('$$SEARCH_META has the count and the facets, also within $facet', async () => {
    const client = await withFilms();
    const $search = {
      facet: {
        operator: { exists: { path: 'year' } },
        facets: { genres: { type: 'string', path: 'genres', numBuckets: 1 } },
      },
    };
    const meta = {
      count: { lowerBound: 3 },
      facet: { genres: { buckets: [{ _id: 'Drama', count: 2 }] } },
    };
    expect((await run(client, { $search }, { $set: { meta: '$$SEARCH_META' } }))[0]!['meta']).toEqual(meta);
    const facet = { docs: [{ $limit: 1 }], meta: [{ $replaceWith: '$$SEARCH_META' }, { $limit: 1 }] };
    expect(await run(client, { $search }, { $facet: facet })).toMatchObject([{ docs: [{}], meta: [meta] }]);
    expect(await run(client, { $searchMeta: $search })).toEqual([meta]);
    expect(await run(client, { $searchMeta: { index: 'other', exists: { path: 'a' } } })).toEqual([
      { count: { lowerBound: 0 } },
    ]);
  });

  test('returns stored fields with their types', async () => {
    const { client } = world({ search: true });
    const stored = {
      long: Long.fromNumber(5),
      double: new Double(5),
      when: new Date(5),
      id: new ObjectId(),
      bytes: new Binary(new Uint8Array([1])),
    };
    await client.plain({ insert: 'c', documents: [{ _id: 1, ...stored, other: 1 }] });
    await create(client, { definition: { mappings: { dynamic: true }, storedSource: { exclude: ['other'] } } });
    const types = {
      $project: { long: { $type: '$long' }, double: { $type: '$double' }, when: 1, id: 1, bytes: 1, other: 1 },
    };
    expect(await run(client, { $search: { exists: { path: 'when' }, returnStoredSource: true } }, types)).toEqual([
      { _id: 1, long: 'long', double: 'double', when: stored.when, id: stored.id, bytes: stored.bytes },
    ]);
  });

  test('works within $lookup and $unionWith', async () => {
    const client = await withFilms();
    await client.plain({ insert: 'other', documents: [{ _id: 9 }] });
    const other = async (...pipeline: readonly Document[]): Promise<readonly Document[]> =>
      (await client.plain({ aggregate: 'other', pipeline, cursor: {} })).cursor.firstBatch;
    const pipeline = [surfer, { $project: { score: { $gt: [{ $meta: 'searchScore' }, 0] } } }];
    const found = [
      { _id: 2, score: true },
      { _id: 1, score: true },
    ];
    expect(await other({ $unionWith: { coll: 'c', pipeline } })).toEqual([{ _id: 9 }, ...found]);
    expect(await other({ $lookup: { from: 'c', pipeline, as: 'films' } })).toEqual([{ _id: 9, films: found }]);
  });

  test('reads synonyms from their collection', async () => {
    const { client } = world({ search: true });
    await client.plain({ insert: 'c', documents: films });
    await client.plain({ insert: 'words', documents: [{ mappingType: 'equivalent', synonyms: ['girl', 'woman'] }] });
    const synonyms = [{ name: 'words', analyzer: 'lucene.standard', source: { collection: 'words' } }];
    await create(client, { definition: { ...dynamic, synonyms } });
    const text = { path: 'title', query: 'woman', synonyms: 'words', matchCriteria: 'any' };
    expect(idsOf(await run(client, { $search: { text } }))).toEqual([2]);
  });

  test.each([
    [[{ $search: { txt: {} } }], /^8 .* :: caused by :: Unrecognized field "txt"\./],
    [[{ $search: 1 }], /^9 \$search value must be an object\. Found: int$/],
    [
      [{ $search: { index: 'vectors', exists: { path: 'a' } } }],
      /^8 .*\$search needs an index of type "search", but "vectors" is of type "vectorSearch"\.$/,
    ],
    [[{ $match: {} }, surfer], /^40602 \$search is only valid as the first stage in a pipeline/],
    [[{ $facet: { a: [surfer] } }], /^40600 \$search is not allowed to be used within a \$facet stage/],
    [[{ $listSearchIndexes: { name: 'a', id: 'b' } }], /^72 /],
    [[{ $listSearchIndexes: { other: 1 } }], /^40415 /],
    [[{ $set: { a: { $meta: 'searchScore' } } }], /^40218 .*query requires searchScore metadata/],
  ])('%j is refused', async (pipeline, message) => {
    expect(await refused(await withFilms(), ...pipeline)).toMatch(message);
  });

  test('is refused in views and transactions', async () => {
    const client = await withFilms({ search: true, replicaSet: 'rs' });
    expect(await client.refusal({ create: 'v', viewOn: 'c', pipeline: [surfer] })).toBe(
      '167 $search cannot be used in a view definition',
    );
    const lsid = { id: new Binary(new Uint8Array(16).fill(1), 4) };
    const transaction = { lsid, txnNumber: Long.fromNumber(1), autocommit: false, startTransaction: true };
    expect(await client.refusal({ aggregate: 'c', pipeline: [surfer], cursor: {}, ...transaction })).toMatch(
      /^263 .*\$search$/,
    );
  });
});

describe('$vectorSearch', () => {
  const near = { index: 'vectors', path: 'v', queryVector: [1, 0], limit: 2, numCandidates: 10 };

  test('returns the nearest documents with their scores', async () => {
    const client = await withFilms();
    const project = { $project: { score: { $meta: 'vectorSearchScore' } } };
    expect(await run(client, { $vectorSearch: near }, project)).toEqual([
      { _id: 1, score: 1 },
      { _id: 2, score: 1 },
    ]);
    const filtered = { ...near, filter: { year: { $lt: 2000 } } };
    expect(await run(client, { $vectorSearch: filtered }, project)).toEqual([
      { _id: 1, score: 1 },
      { _id: 3, score: 0.5 },
    ]);
  });

  test('finds nothing without the index or the collection', async () => {
    const client = await withFilms();
    expect(await run(client, { $vectorSearch: { ...near, index: 'other' } })).toEqual([]);
    const { cursor } = await client.plain({ aggregate: 'none', pipeline: [{ $vectorSearch: near }], cursor: {} });
    expect(cursor.firstBatch).toEqual([]);
  });

  test.each([
    [{ ...near, queryVector: [1] }, /^8 .*Vector field "v" is indexed with 2 dimensions but queried with 1\.$/],
    [{ ...near, filter: { title: 'x' } }, /^8 .*Path 'title' needs to be indexed as filter\.$/],
    [{ ...near, index: undefined }, /^8 .*"index" is required\.$/],
    [{ ...near, index: 'default' }, /^8 .*\$vectorSearch needs an index of type "vectorSearch"/],
  ])('%j is refused', async ($vectorSearch, message) => {
    expect(await refused(await withFilms(), { $vectorSearch })).toMatch(message);
  });
});

test('without the option, the stages and commands are rejected like on a mongod without Atlas Search', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: films });
  for (const stage of ['$search', '$searchMeta', '$vectorSearch', '$listSearchIndexes'])
    expect(await refused(client, { [stage]: {} })).toMatch(/^31082 Using .*option "search"/);
  expect(await client.refusal({ createSearchIndexes: 'c', indexes: [{ definition: dynamic }] })).toMatch(
    /^31082 .*Atlas/,
  );
});
