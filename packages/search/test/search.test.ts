import type { Document } from '@tessera/contracts';
import { createSearchIndex, SearchError } from '@tessera/search';
import { Long, ObjectId, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { films, idsOf, indexed } from './films.js';

const dynamic = { mappings: { dynamic: true } };

const found = (query: Document, definition: Document = dynamic, documents = films): readonly number[] =>
  idsOf(indexed(definition, documents).search(query));

const sorted = (ids: readonly number[]): readonly number[] => ids.toSorted((a, b) => a - b);

const refusal = (query: Document, definition: Document = dynamic): string => {
  try {
    indexed(definition).search(query);
  } catch (error) {
    if (error instanceof SearchError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('text', () => {
  test('ranks short texts with the term before long ones', () => {
    expect(found({ text: { path: 'title', query: 'SURFER' } })).toEqual([2, 1]);
  });

  test('scores with BM25 of Lucene', () => {
    const { hits } = indexed(dynamic).search({ text: { path: 'title', query: 'surfer' } });
    const idf = Math.log(1 + (5 - 2 + 0.5) / (2 + 0.5));
    const score = (length: number): number => Math.fround(idf / (1 + 1.2 * (0.25 + (0.75 * length) / 2.6)));
    expect(hits.map(({ score: found }) => found)).toEqual([score(2), score(3)]);
  });

  test.each([
    ['any term of the query', { path: 'title', query: 'surfer stories' }, [1, 2, 3]],
    ['all terms with matchCriteria', { path: 'plot', query: 'new york', matchCriteria: 'all' }, [1, 3, 5]],
    ['any of several queries', { path: 'title', query: ['girl', 'brooms'] }, [2, 4]],
    ['several paths', { path: ['title', 'plot'], query: 'york' }, [1, 3, 5]],
    ['paths by a wildcard', { path: { wildcard: 'ca*' }, query: 'cole' }, [1, 2]],
    ['all paths by a wildcard', { path: { wildcard: '*' }, query: 'surfer' }, [1, 2]],
    ['an array of paths and wildcards', { path: ['title', { wildcard: 'pl*' }], query: 'ice girl' }, [2, 4]],
    ['strings in arrays', { path: 'genres', query: 'drama' }, [2, 3]],
    ['no path of that name', { path: 'nothing', query: 'drama' }, []],
  ])('finds %s', (_title, text, ids) => {
    expect(sorted(found({ text }))).toEqual(ids);
  });

  test.each([
    ['two edits by default', {}, [1, 3, 5]],
    ['one edit', { maxEdits: 1 }, [1, 3, 5]],
    ['a prefix that must match', { prefixLength: 3 }, []],
    ['swapped characters', { maxEdits: 1, prefixLength: 1 }, [1, 3, 5]],
  ])('finds similar terms with fuzzy: %s', (_title, fuzzy, ids) => {
    expect(sorted(found({ text: { path: 'plot', query: 'yrok', fuzzy } }))).toEqual(ids);
  });

  test('limits the number of similar terms', () => {
    const fuzzy = { maxExpansions: 1 };
    expect(sorted(found({ text: { path: 'title', query: 'surfed', fuzzy } }))).toEqual([1, 2]);
    expect(found({ text: { path: 'title', query: 'me', fuzzy: { maxEdits: 1, maxExpansions: 1 } } })).toEqual([5, 4]);
  });

  test('expands queries by synonyms', () => {
    const definition = {
      mappings: { dynamic: true },
      synonyms: [{ name: 'words', analyzer: 'lucene.standard', source: { collection: 'synonyms' } }],
    };
    const index = createSearchIndex(definition, {
      synonyms: () => [
        { mappingType: 'equivalent', synonyms: ['nyc', 'new york'] },
        { mappingType: 'explicit', input: ['wave'], synonyms: ['surfer', 'wave'] },
      ],
    });
    for (const film of films) index.set(String(film['_id']), film);
    const search = (text: Document): readonly number[] =>
      sorted(idsOf(index.search({ text: { synonyms: 'words', ...text } })));
    expect(search({ path: 'plot', query: 'nyc', matchCriteria: 'any' })).toEqual([1, 3]);
    expect(search({ path: 'plot', query: 'city nyc', matchCriteria: 'all' })).toEqual([3]);
    expect(search({ path: 'title', query: 'nyc stories' })).toEqual([3]);
    expect(search({ path: 'title', query: 'wave', matchCriteria: 'any' })).toEqual([1, 2]);
    expect(search({ path: 'title', query: 'surfer', matchCriteria: 'any' })).toEqual([1, 2]);
    expect(() => index.search({ text: { path: 'a', query: 'b', synonyms: 'other' } })).toThrow(
      '"other" is not a synonym mapping of the index.',
    );
  });
});

describe('phrase', () => {
  test.each([
    ['words in order', { path: 'plot', query: 'new york' }, [1, 3]],
    ['words in another order with enough slop', { path: 'plot', query: 'new york', slop: 5 }, [1, 3, 5]],
    ['words with others between them', { path: 'plot', query: 'stories city', slop: 2 }, [3]],
    ['not words that are too far apart', { path: 'plot', query: 'stories city', slop: 1 }, []],
    ['any of several phrases', { path: 'title', query: ['silver surfer', 'surfer girl'] }, [1, 2]],
    ['not words of different elements of an array', { path: 'genres', query: 'action adventure', slop: 5 }, []],
  ])('finds %s', (_title, phrase, ids) => {
    expect(sorted(found({ phrase }))).toEqual(ids);
  });

  test('ranks a close match before a distant one', () => {
    const documents = [
      { _id: 1, a: 'red one two apple' },
      { _id: 2, a: 'red apple one two' },
    ];
    expect(found({ phrase: { path: 'a', query: 'red apple', slop: 3 } }, dynamic, documents)).toEqual([2, 1]);
  });
});

describe('autocomplete', () => {
  const ofTitles = (rule: Document): Document => ({
    mappings: { dynamic: false, fields: { title: { type: 'autocomplete', ...rule } } },
  });

  test.each([
    ['the start of a word', {}, { query: 'bro' }, [4]],
    ['not the middle of a word', {}, { query: 'room' }, []],
    ['the middle of a word with nGram', { tokenization: 'nGram', minGrams: 3 }, { query: 'room' }, [4]],
    ['the end of a word with rightEdgeGram', { tokenization: 'rightEdgeGram' }, { query: 'fer' }, [1, 2]],
    ['not fewer characters than minGrams', { minGrams: 4 }, { query: 'sur' }, []],
    ['the first maxGrams characters of longer words', { maxGrams: 4 }, { query: 'surfers' }, [1, 2]],
    ['words in any order', {}, { query: 'brooms men', tokenOrder: 'any' }, [4, 5]],
    ['words in sequence', {}, { query: 'men wi', tokenOrder: 'sequential' }, [4]],
    ['similar words with fuzzy', {}, { query: 'surt', fuzzy: { maxEdits: 1, prefixLength: 3 } }, [1, 2]],
  ])('finds %s', (_title, rule, query, ids) => {
    expect(sorted(found({ autocomplete: { path: 'title', ...query } }, ofTitles(rule)))).toEqual(ids);
  });

  test('ranks texts with the words in sequence first', () => {
    expect(found({ autocomplete: { path: 'title', query: 'men wi' } }, ofTitles({}))[0]).toBe(4);
  });

  test('folds diacritics unless foldDiacritics is false', () => {
    const documents = [{ _id: 1, title: 'Élan' }];
    const query = { autocomplete: { path: 'title', query: 'ela' } };
    expect(found(query, ofTitles({}), documents)).toEqual([1]);
    expect(found(query, ofTitles({ foldDiacritics: false }), documents)).toEqual([]);
  });
});

describe('values', () => {
  const id = new ObjectId('0123456789abcdef01234567');
  const uuid = new UUID('0123456789abcdef0123456789abcdef');
  const documents = [
    { _id: 1, a: 5, flag: true, when: new Date(1000), id, uuid, word: 'Red', gone: null, tags: ['x', 'y'] },
    { _id: 2, a: Long.fromNumber(7), flag: false, when: new Date(2000), word: 'blue', tags: ['y'], list: [1, 20] },
    { _id: 3, a: 'five', b: { c: 9.5 }, word: 'green' },
  ];
  const definition = {
    mappings: {
      dynamic: true,
      fields: { word: [{ type: 'token', normalizer: 'lowercase' }, { type: 'string' }], tags: { type: 'token' } },
    },
  };

  test.each([
    [{ equals: { path: 'a', value: 5 } }, [1]],
    [{ equals: { path: 'a', value: 7 } }, [2]],
    [{ equals: { path: 'flag', value: false } }, [2]],
    [{ equals: { path: 'when', value: new Date(1000) } }, [1]],
    [{ equals: { path: 'id', value: id } }, [1]],
    [{ equals: { path: 'uuid', value: uuid } }, [1]],
    [{ equals: { path: 'gone', value: null } }, [1]],
    [{ equals: { path: 'word', value: 'RED' } }, [1]],
    [{ equals: { path: 'tags', value: 'y' } }, [1, 2]],
    [{ in: { path: 'a', value: [5, 7] } }, [1, 2]],
    [{ in: { path: 'tags', value: ['x', 'z'] } }, [1]],
    [{ in: { path: 'b.c', value: 9.5 } }, [3]],
    [{ exists: { path: 'b' } }, [3]],
    [{ exists: { path: 'b.c' } }, [3]],
    [{ exists: { path: 'gone' } }, [1]],
    [{ range: { path: 'a', gt: 5 } }, [2]],
    [{ range: { path: 'a', gte: 5, lte: 7 } }, [1, 2]],
    [{ range: { path: 'list', gt: 10 } }, [2]],
    [{ range: { path: 'when', lt: new Date(2000) } }, [1]],
    [{ range: { path: 'word', gte: 'C', lt: 'Z' } }, [1, 3]],
    [{ range: { path: 'id', gte: id } }, [1]],
    [{ range: { path: ['a', 'b.c'], gt: 6 } }, [2, 3]],
  ])('%j', (query, ids) => {
    expect(sorted(found(query, definition, documents))).toEqual(ids);
  });

  test('near scores by the distance: numbers', () => {
    const { hits } = indexed(definition, documents).search({ near: { path: 'a', origin: 6, pivot: 2 } });
    expect(hits.map(({ key, score }) => [key, score])).toEqual([
      ['1', Math.fround(2 / 3)],
      ['2', Math.fround(2 / 3)],
    ]);
  });

  test('near scores by the distance: dates, and not those in arrays', () => {
    const list = [...documents, { _id: 4, when: [new Date(1000)] }];
    const { hits } = indexed(definition, list).search({ near: { path: 'when', origin: new Date(1000), pivot: 1000 } });
    expect(hits.map(({ key, score }) => [key, score])).toEqual([
      ['1', 1],
      ['2', 0.5],
    ]);
  });
});

describe('places', () => {
  const at = (longitude: number, latitude: number): Document => ({ type: 'Point', coordinates: [longitude, latitude] });
  const documents = [
    { _id: 1, place: at(-8.61308, 41.1413) },
    { _id: 2, place: at(-8.61294, 41.14126) },
    { _id: 3, place: at(13.4, 52.5) },
  ];
  const definition = { mappings: { fields: { place: { type: 'geo' } } } };

  test('near scores by the distance in meters', () => {
    const origin = at(-8.61308, 41.1413);
    const { hits } = indexed(definition, documents).search({ near: { path: 'place', origin, pivot: 1000 } });
    expect(hits.map(({ key, score }) => [key, score.toFixed(2)])).toEqual([
      ['1', '1.00'],
      ['2', '0.99'],
      ['3', '0.00'],
    ]);
  });

  test.each([
    [{ circle: { center: at(13, 52), radius: 100_000 } }, [3]],
    [{ box: { bottomLeft: at(-9, 41), topRight: at(-8, 42) } }, [1, 2]],
    [
      {
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [13, 52],
              [14, 52],
              [14, 53],
              [13, 53],
              [13, 52],
            ],
          ],
        },
      },
      [3],
    ],
  ])('geoWithin finds points in %j', (shape, ids) => {
    expect(sorted(found({ geoWithin: { path: 'place', ...shape } }, definition, documents))).toEqual(ids);
  });
});

describe('patterns', () => {
  const definition = {
    mappings: {
      fields: {
        title: {
          type: 'string',
          analyzer: 'lucene.keyword',
          multi: { words: { type: 'string', analyzer: 'lucene.standard' } },
        },
      },
    },
  };

  test.each([
    [{ wildcard: { path: 'title', query: 'Men*' } }, [4]],
    [{ wildcard: { path: 'title', query: '*Surfer*' } }, [1, 2]],
    [{ wildcard: { path: 'title', query: '?en with*' } }, [4]],
    [{ wildcard: { path: 'title', query: 'men*' } }, []],
    [{ regex: { path: 'title', query: '(Men|New).*' } }, [3, 4]],
    [{ regex: { path: 'title', query: '[A-M]en.{1,6}Brooms' } }, [4]],
    [{ regex: { path: 'title', query: '"New York"@' } }, [3]],
    [{ regex: { path: 'title', query: 'Men' } }, []],
    [{ wildcard: { path: { value: 'title', multi: 'words' }, query: 'surf*', allowAnalyzedField: true } }, [1, 2]],
  ])('%j', (query, ids) => {
    expect(sorted(found(query, definition))).toEqual(ids);
  });

  test('refuse analyzed fields unless allowAnalyzedField is true', () => {
    expect(refusal({ wildcard: { path: 'title', query: '*' } })).toBe(
      '"title" is analyzed by "lucene.standard". Index it with "lucene.keyword", or set "wildcard.allowAnalyzedField" to true.',
    );
  });

  test('take time in proportion to the text', () => {
    const documents = [{ _id: 1, title: 'a'.repeat(5000) }];
    expect(found({ regex: { path: 'title', query: '(a|a)*(a+)+b' } }, definition, documents)).toEqual([]);
  });

  test.each([
    ['(a', '"regex.query" is invalid. The pattern has a "(" without a ")".'],
    ['a)', '"regex.query" is invalid. The pattern has an unexpected ")" at character 1.'],
    ['*a', '"regex.query" is invalid. The pattern has a "*" that repeats nothing.'],
    ['a{2,1}', '"regex.query" is invalid. The pattern has an invalid number of repetitions.'],
    [
      'a~b',
      '"regex.query" is invalid. The pattern has the operator "~", which is not supported. Quote the character as "\\~".',
    ],
    ['((a{1000}){1000})', '"regex.query" is invalid. The pattern is too large.'],
  ])('refuse the invalid pattern %s', (query, message) => {
    expect(refusal({ regex: { path: 'title', query } })).toBe(message);
  });
});

describe('compound', () => {
  const title = (query: string): Document => ({ text: { path: 'title', query } });
  const plot = (query: string): Document => ({ text: { path: 'plot', query } });

  test.each([
    ['all of must', { must: [title('surfer'), plot('girl')] }, [2]],
    ['a clause without an array', { must: title('girl') }, [2]],
    ['none of mustNot', { must: [title('surfer')], mustNot: [plot('girl')] }, [1]],
    ['everything but mustNot', { mustNot: [title('surfer')] }, [3, 4, 5]],
    ['all of filter', { filter: [plot('york'), title('stories')] }, [3]],
    ['any of should', { should: [title('girl'), title('brooms')] }, [2, 4]],
    ['must even without should', { must: [title('surfer')], should: [plot('girl')] }, [1, 2]],
    ['minimumShouldMatch', { should: [title('new'), plot('york'), plot('night')], minimumShouldMatch: 3 }, [3]],
    ['minimumShouldMatch beside must', { must: [plot('york')], should: [plot('night')], minimumShouldMatch: 1 }, [3]],
    ['nested compounds', { must: [{ compound: { should: [title('girl'), title('men')] } }] }, [2, 4, 5]],
  ])('finds documents that match %s', (_title, compound, ids) => {
    expect(sorted(found({ compound }))).toEqual(ids);
  });

  test('adds the scores of must and should, and none of filter', () => {
    const index = indexed(dynamic);
    const score = (query: Document): number => index.search(query).hits.find(({ key }) => key === '2')?.score ?? 0;
    const both = score({ compound: { must: [title('surfer')], should: [plot('girl')], filter: [plot('learns')] } });
    expect(both).toBeCloseTo(score(title('surfer')) + score(plot('girl')), 5);
    expect(score({ compound: { filter: [title('surfer')] } })).toBe(0);
  });

  test('takes the best score with dismax', () => {
    const should = [
      { text: { path: 'title', query: 'girl', score: { constant: { value: 3 } } } },
      { text: { path: 'plot', query: 'girl', score: { constant: { value: 4 } } } },
    ];
    const score = { dismax: { tieBreakerScore: 0.5 } };
    expect(indexed(dynamic).search({ compound: { should, score } }).hits[0]!.score).toBe(5.5);
  });
});

describe('score', () => {
  const scoreOf = (score: Document): number =>
    indexed(dynamic)
      .search({ exists: { path: 'cast', score } })
      .hits.find(({ key }) => key === '1')!.score;

  test.each([
    [{ boost: { value: 3 } }, 3],
    [{ boost: { path: 'imdb.votes' } }, 300],
    [{ boost: { path: 'missing', undefined: 2 } }, 2],
    [{ boost: { path: 'missing' } }, 0],
    [{ constant: { value: 5 } }, 5],
    [{ function: { constant: 4 } }, 4],
    [{ function: { path: 'imdb.votes' } }, 300],
    [{ function: { path: { value: 'missing', undefined: 2.5 } } }, 2.5],
    [{ function: { score: 'relevance' } }, 1],
    [{ function: { add: [{ path: 'imdb.votes' }, { score: 'relevance' }] } }, 301],
    [{ function: { multiply: [{ path: 'imdb.votes' }, { constant: 0.5 }] } }, 150],
    [{ function: { log: { constant: 1000 } } }, 3],
    [{ function: { log: { constant: -5 } } }, 0],
    [{ function: { log1p: { constant: 9 } } }, 1],
    [{ function: { gauss: { path: 'imdb.votes', origin: 100, scale: 100, offset: 100, decay: 0.5 } } }, 0.5],
  ])('%j', (score, expected) => {
    expect(scoreOf(score)).toBe(Math.fround(expected));
  });
});

describe('embeddedDocument', () => {
  const definition = {
    mappings: { dynamic: true, fields: { cast: { type: 'embeddedDocuments', dynamic: true } } },
  };
  const nameAndRole = (name: string, role: string): Document => ({
    compound: {
      must: [{ text: { path: 'cast.name', query: name } }, { text: { path: 'cast.role', query: role } }],
    },
  });

  test('finds documents in which one embedded document matches', () => {
    const operator = nameAndRole('cole', 'surfer');
    expect(found({ embeddedDocument: { path: 'cast', operator } }, definition)).toEqual([2]);
    expect(found(nameAndRole('cole', 'surfer'))).toEqual([2, 1]);
  });

  test.each([
    ['sum', 2],
    ['maximum', 1],
    ['minimum', 1],
    ['mean', 1],
  ])('combines scores by %s', (aggregate, score) => {
    const operator = { exists: { path: 'cast.name' } };
    const embedded = { aggregate, outerScore: { boost: { value: 10 } } };
    const { hits } = indexed(definition).search({ embeddedDocument: { path: 'cast', operator, score: { embedded } } });
    expect(hits.find(({ key }) => key === '1')!.score).toBe(10 * score);
  });

  test('finds documents within embedded documents', () => {
    const nested = {
      mappings: {
        fields: {
          a: {
            type: 'embeddedDocuments',
            fields: { b: { type: 'embeddedDocuments', fields: { c: { type: 'number' } } } },
          },
        },
      },
    };
    const documents = [
      { _id: 1, a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: [{ c: 3 }] }] },
      { _id: 2, a: [{ b: [] }, {}] },
    ];
    const operator = { range: { path: 'a.b.c', gte: 2 } };
    const { hits } = indexed(nested, documents).search({ embeddedDocument: { path: 'a.b', operator } });
    expect(hits.map(({ key, score }) => [key, score])).toEqual([['1', 2]]);
  });
});

describe('queryString', () => {
  test.each([
    ['surfer', [1, 2]],
    ['surfer AND girl', [2]],
    ['girl OR brooms', [2, 4]],
    ['surfer NOT girl', [1]],
    ['(girl OR silver) AND surfer', [1, 2]],
    ['"new york"', [3]],
    ['plot:york', [1, 3, 5]],
    ['plot:(hungry OR york) AND stories', [3]],
    ['bro*', [4]],
    ['surfar~1', [1, 2]],
    ['[sil TO stz]', [1, 3]],
  ])('%s', (query, ids) => {
    expect(sorted(found({ queryString: { defaultPath: 'title', query } }))).toEqual(ids);
  });

  test.each(['a AND', '(a', 'a)', 'a:"b'])('refuses %s', query => {
    expect(refusal({ queryString: { defaultPath: 'title', query } })).toMatch(
      /^"queryString.query" is not a valid query/,
    );
  });
});

test('moreLikeThis finds documents with the words of others', () => {
  const like = { title: 'Surfer', plot: 'girl' };
  expect(found({ moreLikeThis: { like } })).toEqual([2, 1]);
});

describe('errors', () => {
  test.each([
    [{}, /^Exactly one operator or "facet" must be present, but there are 0\./],
    [{ text: { path: 'a', query: 'b' }, exists: { path: 'a' } }, /^Exactly one operator .* there are 2\./],
    [{ find: { path: 'a' } }, /^Unrecognized field "find"\. The known fields are: /],
    [{ text: { query: 'b' } }, '"text.path" is required.'],
    [{ text: { path: 'a' } }, '"text.query" is required.'],
    [{ text: { path: 'a', query: 1 } }, '"text.query" must be a string or an array of strings.'],
    [{ text: { path: 'a', query: 'b', fuzy: {} } }, /^Unrecognized field "text\.fuzy"\./],
    [
      { text: { path: 'a', query: 'b', fuzzy: { maxEdits: 3 } } },
      '"text.fuzzy.maxEdits" must be within bounds [1..2].',
    ],
    [{ text: { path: 'a', query: 'b', fuzzy: true } }, '"text.fuzzy" must be a document.'],
    [
      { text: { path: 'a', query: 'b', matchCriteria: 'some' } },
      '"text.matchCriteria" must be one of [any, all], but is "some".',
    ],
    [
      { compound: {} },
      '"compound.must" is missing: at least one of [must, mustNot, should, filter] must have a clause.',
    ],
    [
      { compound: { must: [{ txt: {} }] } },
      /^"compound\.must\[0\]\.txt" is not one of the operators \[autocomplete, compound, /,
    ],
    [
      { compound: { must: [{ exists: { path: 'a' } }], minimumShouldMatch: 1 } },
      '"compound.minimumShouldMatch" needs clauses in "should".',
    ],
    [{ range: { path: 'a' } }, '"range.path" needs bounds: must specify at least one of [lt, lte, gt, gte].'],
    [
      { range: { path: 'a', lt: 1, lte: 2 } },
      '"range.lt" and "lte" exclude each other: at most one of [lt, lte] may be present.',
    ],
    [{ range: { path: 'a', lt: true } }, '"range.lt" must be of type [date, number, objectId, string, uuid].'],
    [{ near: { path: 'a', origin: 1, pivot: 0 } }, '"near.pivot" must be positive.'],
    [{ near: { path: 'a', origin: 'x', pivot: 1 } }, '"near.origin" must be a number, a date or a GeoJSON point.'],
    [{ exists: { path: 'a', score: { boost: {}, constant: {} } } }, /only one of \[boost, constant, function\]/],
    [{ exists: { path: 'a' }, returnStoredSource: true }, /^"returnStoredSource" needs an index/],
  ])('refuses %j', (query, message) => {
    const refused = refusal(query);
    if (typeof message === 'string') expect(refused).toBe(message);
    else expect(refused).toMatch(message);
  });

  test.each([
    [{}, '"mappings" is required.'],
    [{ mappings: { dynamic: true }, extra: 1 }, /^Unrecognized field "extra"\./],
    [
      { mappings: { fields: { a: { type: 'strng' } } } },
      /^"mappings\.fields\.a\.type" must be one of \[autocomplete, /,
    ],
    [
      { analyzer: 'lucene.klingon', mappings: { dynamic: true } },
      'Analyzer "lucene.klingon" is neither defined in "analyzers" nor built in.',
    ],
  ])('refuses the definition %j', (definition, message) => {
    const create = (): unknown => createSearchIndex(definition);
    expect(create).toThrow(SearchError);
    expect(create).toThrow(message);
  });
});
