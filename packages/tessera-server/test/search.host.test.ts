import type { Collection, Document } from '@tessera/mongodb';
import { MongoClient } from '@tessera/mongodb';
import { startCluster, startServer } from 'tessera-server';
import { describe, expect, test } from 'vitest';

/** Films in the form of `sample_mflix.movies`. The embedding has one number for each of: sea, space, city. */
const movies: readonly Document[] = [
  {
    title: 'Time Travellers of the Bay',
    plot: 'A fisherman and his daughter travel through time on an old boat.',
    genres: ['Drama', 'Sci-Fi'],
    year: 1985,
    released: new Date('1985-06-01'),
    runtime: 95,
    imdb: { rating: 7.2 },
    plot_embedding: [0.9, 0.4, 0.1],
  },
  {
    title: 'Harbour Lights',
    plot: 'Two sailors look for a lighthouse that nobody has seen.',
    genres: ['Adventure', 'Drama'],
    year: 1999,
    released: new Date('1999-09-13'),
    runtime: 110,
    imdb: { rating: 6.1 },
    plot_embedding: [1, 0, 0.2],
  },
  {
    title: 'Orbit',
    plot: 'The crew of a station drifts away from the Earth.',
    genres: ['Sci-Fi'],
    year: 2001,
    released: new Date('2001-01-20'),
    runtime: 131,
    imdb: { rating: 8 },
    plot_embedding: [0, 1, 0],
  },
  {
    title: 'Streets of New York',
    plot: 'A taxi driver falls in love with a dancer during one night in New York.',
    genres: ['Drama', 'Romance'],
    year: 1999,
    released: new Date('1999-12-24'),
    runtime: 102,
    imdb: { rating: 5.9 },
    plot_embedding: [0.1, 0, 1],
  },
];

const withMovies = async (uri: string, work: (movies: Collection) => Promise<void>): Promise<void> => {
  const client = await MongoClient.connect(uri);
  try {
    const collection = client.db('sample_mflix').collection('movies');
    await collection.insertMany(movies.map(movie => ({ ...movie })));
    await work(collection);
  } finally {
    await client.close();
  }
};

const onServer = async (work: (movies: Collection) => Promise<void>): Promise<void> => {
  await using server = await startServer({ search: true });
  await withMovies(server.uri, work);
};

/** Waits as MongoDB's tutorials do, until the index can be queried. */
const untilQueryable = async (collection: Collection, name: string): Promise<void> => {
  for (;;) {
    const [index] = await collection.listSearchIndexes(name).toArray();
    if ((index as Document | undefined)?.['queryable'] === true) return;
  }
};

const titles = (documents: readonly Document[]): readonly unknown[] => documents.map(({ title }) => title as unknown);

describe("examples of MongoDB's tutorials", () => {
  test('vector search quick start: an index, its state, nearest neighbors with their scores', () =>
    onServer(async collection => {
      const name = await collection.createSearchIndex({
        name: 'vector_index',
        type: 'vectorSearch',
        definition: {
          fields: [
            {
              type: 'vector',
              path: 'plot_embedding',
              numDimensions: 3,
              similarity: 'dotProduct',
              quantization: 'scalar',
            },
            { type: 'filter', path: 'genres' },
            { type: 'filter', path: 'year' },
          ],
        },
      });
      expect(name).toBe('vector_index');
      await untilQueryable(collection, name);
      const nearest = (filter?: Document): Promise<Document[]> =>
        collection
          .aggregate([
            {
              $vectorSearch: {
                index: 'vector_index',
                path: 'plot_embedding',
                queryVector: [0.9, 0.4, 0],
                numCandidates: 150,
                limit: 2,
                ...(filter && { filter }),
              },
            },
            { $project: { _id: 0, title: 1, score: { $meta: 'vectorSearchScore' } } },
          ])
          .toArray();
      const found = await nearest();
      expect(titles(found)).toEqual(['Time Travellers of the Bay', 'Harbour Lights']);
      expect(found[0]!['score']).toBeCloseTo((1 + 0.97) / 2, 6);
      const filter = { $and: [{ genres: 'Drama' }, { year: { $gt: 1990, $lt: 2000 } }] };
      expect(titles(await nearest(filter))).toEqual(['Harbour Lights', 'Streets of New York']);
    }));

  test('search quick start: a dynamic index, text, compound with near, range and score', () =>
    onServer(async collection => {
      expect(await collection.createSearchIndex({ name: 'default', definition: { mappings: { dynamic: true } } })).toBe(
        'default',
      );
      await untilQueryable(collection, 'default');
      const text = { $search: { text: { query: 'boat lighthouse', path: 'plot' } } };
      expect(titles(await collection.aggregate([text, { $limit: 5 }]).toArray()).toSorted()).toEqual([
        'Harbour Lights',
        'Time Travellers of the Bay',
      ]);
      const compound = {
        must: [{ text: { query: ['new york', 'station'], path: 'plot' } }],
        mustNot: [{ range: { path: 'released', gte: new Date('2000-01-01') } }],
        should: [{ near: { path: 'runtime', origin: 100, pivot: 10 } }],
      };
      const found = await collection
        .aggregate([{ $search: { compound } }, { $project: { _id: 0, title: 1, score: { $meta: 'searchScore' } } }])
        .toArray();
      expect(found).toEqual([{ title: 'Streets of New York', score: expect.any(Number) as unknown }]);
    }));

  test('autocomplete: words as you type, with fuzzy and highlights', () =>
    onServer(async collection => {
      const title = [{ type: 'string' }, { type: 'autocomplete', tokenization: 'edgeGram', minGrams: 3, maxGrams: 7 }];
      await collection.createSearchIndex({ definition: { mappings: { dynamic: false, fields: { title } } } });
      const typed = (query: string, more: Document = {}): Promise<Document[]> =>
        collection
          .aggregate([
            { $search: { autocomplete: { path: 'title', query, ...more }, highlight: { path: 'title' } } },
            { $project: { _id: 0, title: 1, highlights: { $meta: 'searchHighlights' } } },
          ])
          .toArray();
      expect(titles(await typed('orb'))).toEqual(['Orbit']);
      expect(titles(await typed('hrab', { fuzzy: { maxEdits: 1, prefixLength: 1 } }))).toEqual(['Harbour Lights']);
      expect(titles(await typed('new yor', { tokenOrder: 'sequential' }))).toEqual(['Streets of New York']);
    }));

  test('facets: buckets of strings, numbers and dates by $searchMeta', () =>
    onServer(async collection => {
      const definition = {
        mappings: {
          dynamic: false,
          fields: { genres: { type: 'token' }, year: { type: 'number' }, released: { type: 'date' } },
        },
      };
      await collection.createSearchIndex({ name: 'facets', definition });
      const facets = {
        genresFacet: { type: 'string', path: 'genres', numBuckets: 2 },
        yearFacet: { type: 'number', path: 'year', boundaries: [1980, 1990, 2000], default: 'other' },
      };
      const operator = { range: { path: 'released', gte: new Date('1980-01-01') } };
      const [meta] = await collection
        .aggregate([{ $searchMeta: { index: 'facets', facet: { operator, facets } } }])
        .toArray();
      expect(meta).toEqual({
        count: { lowerBound: 4 },
        facet: {
          genresFacet: {
            buckets: [
              { _id: 'Drama', count: 3 },
              { _id: 'Sci-Fi', count: 2 },
            ],
          },
          yearFacet: {
            buckets: [
              { _id: 1980, count: 1 },
              { _id: 1990, count: 2 },
              { _id: 'other', count: 1 },
            ],
          },
        },
      });
    }));

  test('manage indexes: create several, list, update and drop them', () =>
    onServer(async collection => {
      const definition = { mappings: { dynamic: true } };
      expect(
        await collection.createSearchIndexes([
          { name: 'a', definition },
          { name: 'b', definition },
        ]),
      ).toEqual(['a', 'b']);
      const changed = {
        mappings: { dynamic: false, fields: { plot: { type: 'string', analyzer: 'lucene.english' } } },
      };
      await collection.updateSearchIndex('b', changed);
      const listed = await collection.listSearchIndexes().toArray();
      expect(listed).toMatchObject([
        { name: 'a', status: 'READY', queryable: true, latestDefinition: definition },
        { name: 'b', latestDefinition: changed },
      ]);
      const found = await collection
        .aggregate([{ $search: { index: 'b', text: { path: 'plot', query: 'drifting' } } }])
        .toArray();
      expect(titles(found)).toEqual(['Orbit']);
      await collection.dropSearchIndex('a');
      expect(await collection.listSearchIndexes().toArray()).toHaveLength(1);
    }));
});

test('all members of a replica set have the indexes, also after a failover', async () => {
  await using cluster = await startCluster({ topology: 'replicaset', members: 3, search: true });
  await withMovies(cluster.uri, async collection => {
    await collection.createSearchIndex({ name: 'default', definition: { mappings: { dynamic: true } } });
    const search = (readPreference: 'primary' | 'secondary'): Promise<Document[]> =>
      collection
        .aggregate([{ $search: { text: { path: 'title', query: 'orbit' } } }], {
          readPreference,
          readConcern: { level: 'majority' },
        })
        .toArray();
    expect(titles(await search('secondary'))).toEqual(['Orbit']);
    await cluster.stepDown();
    expect(titles(await search('primary'))).toEqual(['Orbit']);
  });
});

test('a mongos searches collections that are on one shard', async () => {
  await using cluster = await startCluster({ topology: 'sharded', shards: 2, search: true });
  await withMovies(cluster.uri, async collection => {
    await collection.createSearchIndex({ name: 'default', definition: { mappings: { dynamic: true } } });
    const found = await collection.aggregate([{ $search: { text: { path: 'title', query: 'orbit' } } }]).toArray();
    expect(titles(found)).toEqual(['Orbit']);
    expect(await collection.listSearchIndexes().toArray()).toMatchObject([{ name: 'default' }]);
  });
});
