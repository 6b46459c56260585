import type { Document } from '@tessera/contracts';
import { createSearchIndex } from '@tessera/search';
import { describe, expect, test } from 'vitest';

/** Returns whether an index with a definition finds a text by a query. */
const finds = (field: Document, text: string, query: string, definition: Document = {}): boolean => {
  const index = createSearchIndex({ ...definition, mappings: { fields: { a: { type: 'string', ...field } } } });
  index.set('1', { a: text });
  return index.search({ text: { path: 'a', query } }).hits.length > 0;
};

describe('built-in analyzers', () => {
  test.each([
    ['lucene.standard', 'The Fox-trot', 'fox', true],
    ['lucene.standard', 'version 3.14', '3.14', true],
    ['lucene.standard', "O'Brien", 'brien', false],
    ['lucene.standard', '日本語', '本', true],
    ['lucene.standard', 'running', 'run', false],
    ['lucene.simple', "O'Brien 7", 'brien', true],
    ['lucene.simple', 'agent 7', '7', false],
    ['lucene.whitespace', 'Fox-trot', 'Fox-trot', true],
    ['lucene.whitespace', 'Fox trot', 'fox', false],
    ['lucene.keyword', 'Fox trot', 'Fox trot', true],
    ['lucene.keyword', 'Fox trot', 'Fox', false],
    ['lucene.english', "the runners' running dogs", 'dog', true],
    ['lucene.english', "the dog's bowl", 'dog', true],
    ['lucene.english', 'the dog', 'the', false],
    ['lucene.french', 'les continuités', 'continuité', true],
    ['lucene.german', 'die Häuser', 'die', false],
    ['lucene.russian', 'книги', 'книга', true],
    ['lucene.thai', 'word', 'word', true],
  ])('%s: the text %j has the query %j: %s', (analyzer, text, query, expected) => {
    expect(finds({ analyzer }, text, query)).toBe(expected);
  });

  test('a search analyzer applies to queries only', () => {
    expect(finds({ analyzer: 'lucene.keyword', searchAnalyzer: 'lucene.simple' }, 'fox', 'FOX')).toBe(true);
    expect(finds({}, 'Fox', 'FOX', { analyzer: 'lucene.keyword', searchAnalyzer: 'lucene.keyword' })).toBe(false);
  });
});

describe('custom analyzers', () => {
  const finding = (analyzer: Document, text: string, query: string): boolean =>
    finds({ analyzer: 'own' }, text, query, { analyzers: [{ name: 'own', ...analyzer }] });
  const filtered = (...tokenFilters: readonly Document[]): Document => ({
    tokenizer: { type: 'standard' },
    tokenFilters,
  });

  test.each([
    ['htmlStrip', { charFilters: [{ type: 'htmlStrip' }], tokenizer: { type: 'whitespace' } }, '<b>bold</b>', 'bold'],
    [
      'mapping',
      { charFilters: [{ type: 'mapping', mappings: { '-': '' } }], tokenizer: { type: 'keyword' } },
      'a-b',
      'ab',
    ],
    ['icuNormalize', { charFilters: [{ type: 'icuNormalize' }], tokenizer: { type: 'keyword' } }, 'ﬁne', 'fine'],
    ['edgeGram', { tokenizer: { type: 'edgeGram', minGram: 2, maxGram: 3 } }, 'apple', 'app'],
    ['nGram', { tokenizer: { type: 'nGram', minGram: 3, maxGram: 3 } }, 'apple', 'ppl'],
    ['regexSplit', { tokenizer: { type: 'regexSplit', pattern: '[-_.]+' } }, 'a-bc._d', 'bc'],
    ['regexCaptureGroup', { tokenizer: { type: 'regexCaptureGroup', pattern: '^#(\\d+)', group: 1 } }, '#17 x', '#17'],
    ['uaxUrlEmail', { tokenizer: { type: 'uaxUrlEmail' } }, 'to ann@example.com', 'ann@example.com'],
    ['asciiFolding', filtered({ type: 'asciiFolding' }), 'Élan', 'Elan'],
    ['icuFolding', filtered({ type: 'icuFolding' }), 'Élan', 'ELAN'],
    ['englishPossessive', filtered({ type: 'englishPossessive' }), "dog's", 'dog'],
    ['lowercase', filtered({ type: 'lowercase' }), 'DOG', 'dog'],
    ['porterStemming', filtered({ type: 'porterStemming' }), 'dogs', 'dog'],
    ['snowballStemming', filtered({ type: 'snowballStemming', stemmerName: 'spanish' }), 'gatos', 'gato'],
    ['regex', filtered({ type: 'regex', pattern: '\\d', replacement: '', matches: 'all' }), 'a1b2', 'ab'],
    ['reverse', filtered({ type: 'reverse' }), 'dog', 'dog'],
    ['shingle', filtered({ type: 'shingle', minShingleSize: 2, maxShingleSize: 2 }), 'big red dog', 'red dog'],
    ['edgeGram filter', filtered({ type: 'edgeGram', minGram: 1, maxGram: 2 }), 'dog', 'do'],
    ['nGram filter', filtered({ type: 'nGram', minGram: 1, maxGram: 2 }), 'dog', 'og'],
    ['trim', { tokenizer: { type: 'keyword' }, tokenFilters: [{ type: 'trim' }] }, ' dog ', 'dog'],
    ['removeDuplicates', filtered({ type: 'keywordRepeat' }, { type: 'removeDuplicates' }), 'dog', 'dog'],
    ['icuNormalizer', filtered({ type: 'icuNormalizer' }), 'ﬁne', 'FINE'],
  ])('%s', (_name, analyzer, text, query) => {
    expect(finding(analyzer, text, query)).toBe(true);
  });

  test.each([
    ['stopword', filtered({ type: 'stopword', tokens: ['the'] }), 'The dog', 'The'],
    ['length', filtered({ type: 'length', min: 3, max: 4 }), 'a doggy', 'doggy'],
  ])('%s removes words', (_name, analyzer, text, query) => {
    expect(finding(analyzer, text, query)).toBe(false);
  });

  test.each([
    [{ tokenizer: { type: 'words' } }, 'must be one of [edgeGram, keyword, nGram,'],
    [
      { tokenizer: { type: 'nGram', minGram: 3, maxGram: 2 } },
      '"analyzers[0].tokenizer.maxGram" must be within bounds',
    ],
    [{ tokenizer: { type: 'regexSplit', pattern: '(' } }, 'is not a valid regular expression'],
    [filtered({ type: 'stopwords' }), '"analyzers[0].tokenFilters[0].type" must be one of'],
  ])('%j is refused', (analyzer, message) => {
    expect(() => finding(analyzer, '', '')).toThrow(message);
  });

  test('the name of a custom analyzer must not be that of a built-in one', () => {
    const analyzers = [{ name: 'lucene.own', tokenizer: { type: 'keyword' } }];
    expect(() => createSearchIndex({ analyzers, mappings: { dynamic: true } })).toThrow(
      'must not start with "lucene."',
    );
  });
});

describe('mappings', () => {
  const finds = (mappings: Document, document: Document, query: Document, more: Document = {}): boolean => {
    const index = createSearchIndex({ ...more, mappings });
    index.set('1', document);
    return index.search(query).hits.length > 0;
  };
  const query = { text: { path: 'a.b', query: 'dog' } };

  test('static mappings index only the fields that they name', () => {
    const fields = { a: { type: 'document', fields: { b: { type: 'string' } } } };
    expect(finds({ fields }, { a: { b: 'dog' } }, query)).toBe(true);
    expect(finds({ fields }, { a: [{ b: 'dog' }] }, query)).toBe(true);
    expect(finds({ dynamic: false, fields: {} }, { a: { b: 'dog' } }, query)).toBe(false);
    expect(finds({ dynamic: true, fields: { a: { type: 'document' } } }, { a: { b: 'dog' } }, query)).toBe(false);
    expect(finds({ fields: { a: { type: 'document', dynamic: true } } }, { a: { b: 'dog' } }, query)).toBe(true);
  });

  test('a field may have several types', () => {
    const fields = { a: [{ type: 'string' }, { type: 'token' }, { type: 'autocomplete' }] };
    const document = { a: 'Dogs bark' };
    expect(finds({ fields }, document, { equals: { path: 'a', value: 'Dogs bark' } })).toBe(true);
    expect(finds({ fields }, document, { autocomplete: { path: 'a', query: 'bar' } })).toBe(true);
    expect(finds({ fields }, document, { text: { path: 'a', query: 'bark' } })).toBe(true);
  });

  test('a type set says how dynamic fields are indexed', () => {
    const typeSets = [{ name: 'tokens', types: [{ type: 'token' }] }];
    const mappings = { dynamic: { typeSet: 'tokens' } };
    expect(finds(mappings, { a: { b: 'dog' } }, { equals: { path: 'a.b', value: 'dog' } }, { typeSets })).toBe(true);
    expect(finds(mappings, { a: { b: 'dog' } }, query, { typeSets })).toBe(false);
  });

  test('ignoreAbove leaves out long texts', () => {
    expect(
      finds(
        { fields: { a: { type: 'string', ignoreAbove: 4 } } },
        { a: 'a dog' },
        { text: { path: 'a', query: 'dog' } },
      ),
    ).toBe(false);
  });
});
