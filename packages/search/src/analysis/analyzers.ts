import { invalid } from '../error.js';
import type { Fields } from '../fields.js';
import { createTokenFilter, lowercase, possessive, removing, replacing } from './filters.js';
import { languageNames, stemmerOf, stopWordsOf } from './languages.js';
import type { Analyzer, TokenFilter, Tokenizer } from './token.js';
import {
  createTokenizer,
  keywordTokenizer,
  letterTokenizer,
  standardTokenizer,
  whitespaceTokenizer,
} from './tokenizers.js';

/** Replaces characters of a text before it is split. Tokens then refer to the replaced text. */
type CharFilter = (text: string) => string;

const analyzer = (
  name: string,
  tokenizer: Tokenizer,
  filters: readonly TokenFilter[],
  charFilters: readonly CharFilter[] = [],
): Analyzer => ({
  name,
  analyze: text => {
    const filtered = charFilters.reduce((value, filter) => filter(value), text);
    return filters.reduce((tokens, filter) => filter(tokens), tokenizer(filtered));
  },
  isKeyword: tokenizer === keywordTokenizer,
  normalize: term => {
    const tokens = filters
      .filter(filter => filter === lowercase)
      .reduce((all, filter) => filter(all), keywordTokenizer(term));
    return tokens[0]?.term ?? term;
  },
});

const ofLanguage = (language: string): Analyzer => {
  const stem = stemmerOf(language);
  return analyzer(`lucene.${language}`, standardTokenizer(), [
    ...(language === 'english' ? [possessive] : []),
    lowercase,
    removing(stopWordsOf(language)),
    ...(stem === undefined ? [] : [replacing(stem)]),
  ]);
};

const builtIn: ReadonlyMap<string, () => Analyzer> = new Map<string, () => Analyzer>([
  ['lucene.standard', () => analyzer('lucene.standard', standardTokenizer(), [lowercase])],
  ['lucene.simple', () => analyzer('lucene.simple', letterTokenizer, [lowercase])],
  ['lucene.whitespace', () => analyzer('lucene.whitespace', whitespaceTokenizer, [])],
  ['lucene.keyword', () => analyzer('lucene.keyword', keywordTokenizer, [])],
  ...languageNames.map((language): [string, () => Analyzer] => [`lucene.${language}`, () => ofLanguage(language)]),
]);

const mapping = (fields: Fields): CharFilter => {
  const { document } = fields.child('mappings');
  const pairs = Object.entries(document).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const longestFirst = pairs.toSorted(([a], [b]) => b.length - a.length);
  return text => {
    let result = '';
    for (let at = 0; at < text.length;) {
      const found = longestFirst.find(([from]) => from !== '' && text.startsWith(from, at));
      result += found === undefined ? text[at]! : found[1];
      at += found === undefined ? 1 : found[0].length;
    }
    return result;
  };
};

const charFilters: ReadonlyMap<string, (fields: Fields) => CharFilter> = new Map<
  string,
  (fields: Fields) => CharFilter
>([
  ['htmlStrip', () => text => text.replace(/<[^>]*>/g, tag => ' '.repeat(tag.length))],
  ['icuNormalize', () => text => text.normalize('NFKC')],
  ['mapping', mapping],
  ['persian', () => text => text.replaceAll('\u200c', ' ')],
]);

const custom = (fields: Fields): Analyzer => {
  fields.allow('name', 'charFilters', 'tokenizer', 'tokenFilters');
  const filtersOfText = fields
    .children('charFilters')
    .map(filter => charFilters.get(filter.oneOf('type', [...charFilters.keys()]))!(filter));
  return analyzer(
    fields.string('name'),
    createTokenizer(fields.child('tokenizer')),
    fields.children('tokenFilters').map(createTokenFilter),
    filtersOfText,
  );
};

/** The analyzers that a definition may name. */
export interface Analyzers {
  /** @throws SearchError if there is no analyzer of that name */
  named(name: string): Analyzer;
}

/**
 * Creates the analyzers of a definition: its own and those of Lucene, which are created when first used.
 * @throws SearchError if an analyzer is invalid
 */
export const createAnalyzers = (definitions: readonly Fields[]): Analyzers => {
  const known = new Map<string, Analyzer>();
  for (const fields of definitions) {
    const made = custom(fields);
    if (/^(?:lucene|builtin|mongodb)\./.test(made.name))
      throw fields.problem('name', `must not start with "${made.name.split('.')[0]!}."`);
    known.set(made.name, made);
  }
  return {
    named: name => {
      const found = known.get(name) ?? builtIn.get(name)?.();
      if (found === undefined) throw invalid(`Analyzer "${name}" is neither defined in "analyzers" nor built in.`);
      known.set(name, found);
      return found;
    },
  };
};

/** Creates a normalizer of `token` fields. */
export const normalizerNamed = (name: 'lowercase' | 'none'): ((text: string) => string) =>
  name === 'lowercase' ? text => text.toLowerCase() : text => text;
