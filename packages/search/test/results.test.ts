import type { Document } from '@tessera/contracts';
import type { SearchHit } from '@tessera/search';
import { describe, expect, test } from 'vitest';
import { films, idsOf, indexed } from './films.js';

const dynamic = { mappings: { dynamic: true } };

const fruit = [
  { _id: 1, summary: 'Apple varieties', text: 'Apples come in several varieties. The most popular varieties are red.' },
  { _id: 2, summary: 'Banana', text: 'Bananas are sold in bunches of five.' },
  { _id: 3, summary: 'Pear varieties', text: 'Bosc is the most common variety of pears.' },
];
const english = { analyzer: 'lucene.english', mappings: { dynamic: true } };

const highlightsOf = (query: Document, key: string, definition = english): SearchHit['highlights'] =>
  indexed(definition, fruit)
    .search(query)
    .hits.find(hit => hit.key === key)?.highlights;

describe('highlight', () => {
  const text = { path: 'text', query: ['variety', 'bunch'] };

  test('returns the sentences with the matching words', () => {
    const found = highlightsOf({ text, highlight: { path: 'text' } }, '1')!;
    expect(found.map(({ path, texts }) => ({ path, texts }))).toEqual([
      {
        path: 'text',
        texts: [
          { value: 'Apples come in several ', type: 'text' },
          { value: 'varieties', type: 'hit' },
          { value: '. ', type: 'text' },
        ],
      },
      {
        path: 'text',
        texts: [
          { value: 'The most popular ', type: 'text' },
          { value: 'varieties', type: 'hit' },
          { value: ' are red.', type: 'text' },
        ],
      },
    ]);
    expect(found.every(({ score }) => score > 0)).toBe(true);
  });

  test('limits passages and examined characters', () => {
    const limited = (limits: Document, key: string): SearchHit['highlights'] =>
      highlightsOf({ text, highlight: { path: 'text', ...limits } }, key);
    expect(limited({ maxNumPassages: 1 }, '1')).toHaveLength(1);
    expect(limited({ maxCharsToExamine: 20 }, '3')).toEqual([]);
    expect(limited({ maxCharsToExamine: 30 }, '2')![0]!.texts.map(({ value }) => value)).toEqual([
      'Bananas are sold in ',
      'bunches',
      ' of',
    ]);
  });

  test('highlights fields that the operator does not search', () => {
    const found = highlightsOf({ text, highlight: { path: ['text', 'summary'] } }, '3')!;
    expect(found.map(({ path, texts }) => [path, texts.find(({ type }) => type === 'hit')?.value])).toEqual([
      ['text', 'variety'],
      ['summary', 'varieties'],
    ]);
    expect(highlightsOf({ text, highlight: { path: { wildcard: '*' } } }, '3')).toHaveLength(2);
  });

  test('highlights the clauses of compound except mustNot, and words by autocomplete', () => {
    const compound = { must: [{ text }], mustNot: [{ text: { path: 'text', query: 'red' } }] };
    expect(highlightsOf({ compound, highlight: { path: 'text' } }, '2')).toHaveLength(1);
    const definition = {
      analyzer: 'lucene.standard',
      mappings: { dynamic: false, fields: { summary: { type: 'autocomplete' } } },
    };
    const found = highlightsOf(
      { autocomplete: { path: 'summary', query: 'ban' }, highlight: { path: 'summary' } },
      '2',
      definition,
    );
    expect(found![0]!.texts).toEqual([{ value: 'Banana', type: 'hit' }]);
  });

  test('is undefined without the option', () => {
    expect(highlightsOf({ text }, '2')).toBeUndefined();
  });
});

describe('meta', () => {
  const faceted = {
    mappings: { dynamic: true, fields: { genres: { type: 'token' } } },
  };
  const meta = (query: Document): unknown => indexed(faceted).search(query).meta;

  test('counts the results', () => {
    const exists = { path: 'genres' };
    expect(meta({ exists })).toEqual({ count: { lowerBound: 4n } });
    expect(meta({ exists, count: { type: 'total' } })).toEqual({ count: { total: 4n } });
  });

  test('counts results in buckets of strings, the largest first', () => {
    const facets = {
      genres: { type: 'string', path: 'genres' },
      two: { type: 'string', path: 'genres', numBuckets: 2 },
    };
    const buckets = [
      { _id: 'Comedy', count: 2n },
      { _id: 'Drama', count: 2n },
      { _id: 'Action', count: 1n },
      { _id: 'Adventure', count: 1n },
    ];
    expect(meta({ facet: { facets } })).toEqual({
      count: { lowerBound: 5n },
      facet: { genres: { buckets }, two: { buckets: buckets.slice(0, 2) } },
    });
  });

  test('counts results in ranges of numbers and dates', () => {
    const operator = { range: { path: 'year', gte: 1990 } };
    const dates = [new Date('1990-01-01'), new Date('2000-01-01'), new Date('2003-01-01')];
    const facets = {
      years: { type: 'number', path: 'year', boundaries: [1990, 2000, 2010], default: 'other' },
      dates: { type: 'date', path: 'released', boundaries: dates },
    };
    expect(meta({ facet: { operator, facets } })).toEqual({
      count: { lowerBound: 4n },
      facet: {
        years: {
          buckets: [
            { _id: 1990, count: 1n },
            { _id: 2000, count: 2n },
            { _id: 'other', count: 1n },
          ],
        },
        dates: {
          buckets: [
            { _id: dates[0], count: 1n },
            { _id: dates[1], count: 1n },
          ],
        },
      },
    });
  });

  test.each([
    [{ type: 'string', path: 'title' }, 'Cannot facet on field "title" because it was not indexed as "token".'],
    [{ type: 'number', path: 'year', boundaries: [1] }, 'must be an array of 2 to 1000 values'],
    [{ type: 'number', path: 'year', boundaries: [2, 1] }, 'must be in ascending order'],
    [{ type: 'date', path: 'year', boundaries: [1, 2] }, 'must have values of type date'],
    [{ type: 'list', path: 'year' }, 'must be one of [string, number, date], but is "list"'],
  ])('refuses the facet %j', (facet, message) => {
    expect(() => meta({ facet: { facets: { facet } } })).toThrow(message);
  });
});

describe('sort', () => {
  const sorted = (sort: Document): readonly number[] =>
    idsOf(indexed(dynamic).search({ exists: { path: 'title' }, sort }));

  test.each([
    [{ year: 1 }, [3, 1, 4, 2, 5]],
    [{ year: -1 }, [5, 2, 4, 1, 3]],
    [{ released: 1 }, [5, 3, 1, 4, 2]],
    [{ released: { order: 1, noData: 'highest' } }, [3, 1, 4, 2, 5]],
    [{ 'imdb.rating': -1, year: 1 }, [1, 3, 2, 4, 5]],
    [{ score: { $meta: 'searchScore' }, year: 1 }, [3, 1, 4, 2, 5]],
    [{ score: { $meta: 'searchScore', order: 1 }, year: -1 }, [5, 2, 4, 1, 3]],
  ])('%j', (sort, ids) => {
    expect(sorted(sort)).toEqual(ids);
  });

  test('uses the least element of an array in ascending order and the greatest in descending order', () => {
    const documents = [
      { _id: 1, a: [1, 9] },
      { _id: 2, a: [2, 3] },
    ];
    for (const direction of [1, -1])
      expect(idsOf(indexed(dynamic, documents).search({ exists: { path: 'a' }, sort: { a: direction } }))).toEqual([
        1, 2,
      ]);
  });
});

describe('pages', () => {
  const search = (options: Document): readonly SearchHit[] =>
    indexed(dynamic).search({ exists: { path: 'title' }, sort: { year: 1 }, ...options }).hits;
  const keys = (hits: readonly SearchHit[]): readonly string[] => hits.map(({ key }) => key);

  test('searchAfter continues after a result, and searchBefore goes back from it', () => {
    const token = search({})[2]!.sequenceToken;
    expect(token).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(keys(search({ searchAfter: token }))).toEqual(['2', '5']);
    expect(keys(search({ searchBefore: token }))).toEqual(['1', '3']);
  });

  test('refuse other tokens, and both options', () => {
    const token = search({})[0]!.sequenceToken;
    expect(() => search({ searchAfter: '???' })).toThrow('"searchAfter" is not a token of');
    expect(() => search({ searchAfter: token, searchBefore: token })).toThrow('cannot be used with "searchBefore"');
  });
});

test('scoreDetails repeats the score', () => {
  const [hit] = indexed(dynamic).search({ exists: { path: 'title' }, scoreDetails: true }).hits;
  expect(hit!.scoreDetails).toEqual({ value: 1, description: 'sum of the scores of the operators', details: [] });
});

describe('storedSource', () => {
  const stored = (storedSource: unknown): unknown =>
    indexed({ ...dynamic, storedSource }).search({ text: { path: 'title', query: 'brooms' }, returnStoredSource: true })
      .hits[0]!.storedSource;

  test.each([
    [true, films[3]],
    [{ include: ['title', 'imdb.rating'] }, { _id: 4, title: 'Men with Brooms', imdb: { rating: 6 } }],
    [
      { exclude: ['plot', 'released', 'genres', 'imdb.votes'] },
      { _id: 4, title: 'Men with Brooms', imdb: { rating: 6 }, year: 2002 },
    ],
  ])('%j', (definition, document) => {
    expect(stored(definition)).toEqual(document);
  });
});

test('the index follows changes of documents', () => {
  const index = indexed(dynamic);
  const search = (): readonly number[] => idsOf(index.search({ text: { path: 'title', query: 'surfer' } }));
  index.set('3', { _id: 3, title: 'Surfer surfer surfer' });
  expect(search()).toEqual([3, 2, 1]);
  index.delete('2');
  index.set('3', { _id: 3, title: 'Nothing' });
  expect(search()).toEqual([1]);
  index.delete('1');
  index.delete('1');
  expect(search()).toEqual([]);
});

test('scores depend only on the documents, not on the order of their changes', () => {
  const once = indexed(dynamic);
  const changed = indexed(dynamic, films.toReversed());
  changed.set('9', { title: 'surfer' });
  changed.set('2', { title: 'other' });
  changed.set('2', films[1]!);
  changed.delete('9');
  for (const query of [{ text: { path: ['title', 'plot'], query: 'surfer york' } }, { exists: { path: 'cast' } }])
    expect(changed.search(query).hits).toEqual(once.search(query).hits);
});
