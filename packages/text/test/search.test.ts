import type { ParsedSearch } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { createTextAnalysis } from '@tessera/text';

const { parseSearch } = createTextAnalysis();

const parsed = (more: Partial<ParsedSearch>): ParsedSearch => ({
  wanted: '',
  negated: '',
  phrases: [],
  negatedPhrases: [],
  ...more,
});

test.each<readonly [title: string, search: string, Partial<ParsedSearch>]>([
  ['words', 'coffee  shop\ncake', { wanted: 'coffee shop cake' }],
  ['no words', ' ', {}],
  ['a negated word', 'coffee -shop cake', { wanted: 'coffee cake', negated: 'shop' }],
  ['a negated word at the start', '-shop', { negated: 'shop' }],
  ['a hyphen within a word', 'coffee-shop', { wanted: 'coffee shop' }],
  ['a negated word with hyphens', '-a-b c', { wanted: 'c', negated: 'a b' }],
  ['a hyphen on its own', 'a - b', { wanted: 'a b' }],
  [
    'a phrase, whose words are wanted too',
    '"ssl certificate" key',
    {
      wanted: 'ssl certificate key',
      phrases: ['ssl certificate'],
    },
  ],
  ['a hyphen in a phrase', '"a -b"', { wanted: 'a b', phrases: ['a -b'] }],
  ['a negated phrase, whose words are not negated', 'a -"b c"', { wanted: 'a', negatedPhrases: ['b c'] }],
  ['adjacent negated phrases', '-"a b"-"c d"', { negatedPhrases: ['a b', 'c d'] }],
  ['a word after a negated phrase', '-"a b"c d', { wanted: 'd', negated: 'c', negatedPhrases: ['a b'] }],
  ['a hyphen before a space and a phrase', '- "a"', { wanted: 'a', phrases: ['a'] }],
  ['a phrase that does not end', 'a "b c', { wanted: 'a b c' }],
  ['a negated phrase that does not end', 'a -"b c', { wanted: 'a' }],
  ['a tab, which does not separate the words here', 'a\tb', { wanted: 'a\tb' }],
])('parses %s', (_title, search, expected) => {
  expect(parseSearch(search)).toEqual(parsed(expected));
});
