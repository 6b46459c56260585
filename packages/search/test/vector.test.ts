import type { Document } from '@tessera/contracts';
import { createVectorIndex, SearchError } from '@tessera/search';
import { Binary, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';

const definition = (similarity: string, ...filters: readonly string[]): Document => ({
  fields: [
    { type: 'vector', path: 'v', numDimensions: 2, similarity },
    ...filters.map(path => ({ type: 'filter', path })),
  ],
});

const search = (
  similarity: string,
  documents: readonly Document[],
  queryVector: unknown,
  more: Document = {},
): readonly (readonly [string, number])[] => {
  const index = createVectorIndex(definition(similarity, 'kind', 'year', 'tags', 'a.b', '_id'));
  for (const [i, document] of documents.entries()) index.set(String(i), document);
  return index
    .search({ path: 'v', queryVector, limit: 10, exact: true, ...more })
    .map(({ key, score }) => [key, score]);
};

const vectors = [{ v: [1, 0] }, { v: [0, 2] }, { v: [-1, 0] }, { v: [3, 4] }];

describe('similarities', () => {
  test.each([
    [
      'cosine',
      [
        ['0', 1],
        ['3', 0.8],
        ['1', 0.5],
        ['2', 0],
      ],
    ],
    [
      'euclidean',
      [
        ['0', 1],
        ['2', 1 / 3],
        ['1', 1 / (1 + Math.sqrt(5))],
        ['3', 1 / (1 + Math.sqrt(20))],
      ],
    ],
    [
      'dotProduct',
      [
        ['3', 2],
        ['0', 1],
        ['1', 0.5],
        ['2', 0],
      ],
    ],
  ] as const)('%s', (similarity, expected) => {
    expect(search(similarity, vectors, [1, 0])).toEqual(expected.map(([key, score]) => [key, Math.fround(score)]));
  });

  test('vectors of the BSON type float32, int8 and packed bits', () => {
    const floats = Binary.fromFloat32Array(new Float32Array([1, 0]));
    expect(search('cosine', [{ v: floats }, { v: [0, 1] }], floats)).toEqual([
      ['0', 1],
      ['1', 0.5],
    ]);
    const bytes = (numbers: readonly number[]): Binary => Binary.fromInt8Array(new Int8Array(numbers));
    expect(search('euclidean', [{ v: bytes([3, 4]) }, { v: [3, 4] }], bytes([0, 0]))).toEqual([
      ['0', Math.fround(1 / 6)],
    ]);
    expect(search('dotProduct', [{ v: bytes([127, 127]) }], bytes([127, 127]))[0]![1]).toBeCloseTo(0.99, 2);
    const bits = (...values: readonly number[]): Binary => Binary.fromBits(values);
    expect(search('euclidean', [{ v: bits(1, 0) }, { v: bits(1, 1) }, { v: bits(0, 1) }], bits(1, 0))).toEqual([
      ['0', 1],
      ['1', 0.5],
      ['2', 0],
    ]);
  });
});

describe('results', () => {
  test('are the nearest documents, limited, with numCandidates or exact', () => {
    expect(search('cosine', vectors, [1, 0], { limit: 2 }).map(([key]) => key)).toEqual(['0', '3']);
    const more = { exact: false, numCandidates: 2, limit: 1 };
    expect(search('cosine', vectors, [1, 0], more).map(([key]) => key)).toEqual(['0']);
  });

  test('leave out documents without a fitting vector', () => {
    const documents = [{}, { v: [1] }, { v: ['1', 0] }, { v: [0, 0] }, { v: null }, { v: [[1, 0]] }, { v: [2, 0] }];
    expect(search('cosine', documents, [1, 0])).toEqual([['6', 1]]);
  });

  test('follow changes of documents', () => {
    const index = createVectorIndex(definition('cosine'));
    index.set('a', { v: [1, 0] });
    index.set('b', { v: [0, 1] });
    index.set('a', { v: [0, 1] });
    index.delete('b');
    expect(index.search({ path: 'v', queryVector: [0, 1], limit: 5, exact: true })).toEqual([{ key: 'a', score: 1 }]);
  });
});

describe('filter', () => {
  const id = new ObjectId();
  const documents = [
    { v: [1, 0], kind: 'x', year: 1999, tags: ['a', 'b'], _id: id },
    { v: [1, 0], kind: 'y', year: 2001, tags: [], a: { b: new Date(5) } },
    { v: [1, 0], year: null },
  ];
  const found = (filter: Document): readonly string[] =>
    search('cosine', documents, [1, 0], { filter }).map(([key]) => key);

  test.each([
    [{}, ['0', '1', '2']],
    [{ kind: 'x' }, ['0']],
    [{ kind: { $eq: 'y' } }, ['1']],
    [{ kind: { $ne: 'x' } }, ['1', '2']],
    [{ year: { $gt: 1999 } }, ['1']],
    [{ year: { $gte: 1999, $lt: 2001 } }, ['0']],
    [{ year: { $lte: 2001 } }, ['0', '1']],
    [{ year: null }, ['2']],
    [{ kind: { $in: ['x', 'z'] } }, ['0']],
    [{ kind: { $nin: ['x', 'z'] } }, ['1', '2']],
    [{ tags: 'b' }, ['0']],
    [{ kind: { $exists: false } }, ['2']],
    [{ kind: { $not: { $eq: 'x' } } }, ['1', '2']],
    [{ 'a.b': { $lt: new Date(6) } }, ['1']],
    [{ _id: id }, ['0']],
    [{ $and: [{ kind: 'x' }, { year: { $lt: 2000 } }] }, ['0']],
    [{ $or: [{ kind: 'y' }, { year: null }] }, ['1', '2']],
    [{ $nor: [{ kind: 'y' }, { year: null }] }, ['0']],
  ])('%j', (filter, keys) => {
    expect(found(filter)).toEqual(keys);
  });

  test.each([
    [{ other: 1 }, "Path 'other' needs to be indexed as filter."],
    [{ kind: { $regex: 'x' } }, 'The operator $regex is not supported in "filter".'],
    [{ $expr: {} }, 'The operator $expr is not supported in "filter".'],
    [{ kind: { a: 1 } }, 'must be of type [boolean, date, null, number, objectId, string, uuid].'],
    [{ kind: { $in: 'x' } }, 'The operand of $in on "kind" in "filter" must be an array.'],
    [{ $and: [] }, '$and in "filter" must be a nonempty array of documents.'],
  ])('refuses %j', (filter, message) => {
    expect(() => found(filter)).toThrow(message);
  });
});

describe('errors', () => {
  const valid = { path: 'v', queryVector: [1, 0], limit: 5, numCandidates: 10 };

  test.each([
    [{ path: undefined }, '"path" is required.'],
    [{ path: 'other' }, "Path 'other' needs to be indexed as vector."],
    [{ queryVector: undefined }, '"queryVector" is required.'],
    [{ queryVector: [1, '2'] }, '"queryVector" must be an array of numbers or a BSON vector.'],
    [{ queryVector: [1, Infinity] }, '"queryVector" must be an array of numbers or a BSON vector.'],
    [{ queryVector: [1, 2, 3] }, 'Vector field "v" is indexed with 2 dimensions but queried with 3.'],
    [{ queryVector: [0, 0] }, '"queryVector" must not be all zeros, because the similarity is "cosine".'],
    [{ limit: undefined }, '"limit" is required.'],
    [{ limit: 0 }, '"limit" must be positive.'],
    [{ limit: 1.5 }, '"limit" must be an integer.'],
    [{ limit: 11 }, '"limit" cannot exceed "numCandidates".'],
    [{ numCandidates: undefined }, '"numCandidates" is required unless "exact" is true.'],
    [{ numCandidates: 0 }, '"numCandidates" must be within bounds [1..10000].'],
    [{ numCandidates: 10_001 }, '"numCandidates" must be within bounds [1..10000].'],
    [{ exact: true }, '"numCandidates" must be omitted if "exact" is true.'],
    [{ vector: [1] }, 'Unrecognized field "vector".'],
  ])('refuses %j', (change, message) => {
    const index = createVectorIndex(definition('cosine'));
    const query = { ...valid, ...change };
    expect(() => index.search(query)).toThrow(SearchError);
    expect(() => index.search(query)).toThrow(message);
  });

  test.each([
    [{ fields: [] }, '"fields" must have at least one field of type "vector".'],
    [{ fields: [{ type: 'vector', path: 'v', numDimensions: 8193, similarity: 'cosine' }] }, 'within bounds [1..8192]'],
    [{ fields: [{ type: 'vector', path: 'v', numDimensions: 2, similarity: 'x' }] }, '[cosine, dotProduct, euclidean]'],
    [
      {
        fields: [...(definition('cosine')['fields'] as Document[]), ...(definition('cosine')['fields'] as Document[])],
      },
      'twice',
    ],
    [{ mappings: {} }, 'Unrecognized field "mappings".'],
  ])('refuses the definition %j', (given, message) => {
    expect(() => createVectorIndex(given)).toThrow(message);
  });
});
