import type { Document } from '@tessera/contracts';
import type { SynonymSource } from '../definition/definition.js';
import { invalid } from '../error.js';
import { Fields } from '../fields.js';
import type { PhraseTerm } from './phrase-scores.js';

/** Returns the documents of a collection that has synonyms. */
export type SynonymDocuments = (collection: string) => Iterable<Document>;

/** A sequence of words, and the sequences that a query finds for it. */
interface Entry {
  readonly input: readonly string[];
  readonly outputs: readonly (readonly string[])[];
}

/** Expands queries by synonyms. */
export interface SynonymMapping {
  /** Returns, for each word of a query, the phrases that may stand for it. */
  alternatives(query: string): readonly (readonly (readonly PhraseTerm[])[])[];
  /** Returns all variants of a query as phrases. */
  variants(query: string): readonly (readonly PhraseTerm[])[];
}

export interface Synonyms {
  /** @throws SearchError if the definition has no mapping of that name */
  named(name: string): SynonymMapping;
}

const mostVariants = 1000;

const phraseOfWords = (words: readonly string[]): readonly PhraseTerm[] =>
  words.map((term, position) => ({ terms: [term], position }));

const entriesOf = ({ analyzer, collection }: SynonymSource, documents: SynonymDocuments): readonly Entry[] => {
  const words = (text: string): readonly string[] => analyzer.analyze(text).map(({ term }) => term);
  const entries: Entry[] = [];
  for (const document of documents(collection)) {
    const fields = new Fields(document, collection);
    const isExplicit = fields.oneOf('mappingType', ['equivalent', 'explicit']) === 'explicit';
    const outputs = fields.strings('synonyms').map(words);
    for (const input of isExplicit ? fields.strings('input').map(words) : outputs) entries.push({ input, outputs });
  }
  return entries;
};

const startsWith = (words: readonly string[], at: number, input: readonly string[]): boolean =>
  input.length > 0 && input.every((word, i) => words[at + i] === word);

/** Splits a query into words and sequences that have synonyms. */
const alternativesOf = (words: readonly string[], entries: readonly Entry[]): readonly (readonly string[])[][] => {
  const found: (readonly string[])[][] = [];
  for (let at = 0; at < words.length;) {
    const matching = entries.filter(({ input }) => startsWith(words, at, input));
    const length = Math.max(1, ...matching.map(({ input }) => input.length));
    const longest = matching.filter(({ input }) => input.length === length);
    found.push(longest.length === 0 ? [words.slice(at, at + 1)] : longest.flatMap(({ outputs }) => [...outputs]));
    at += length;
  }
  return found;
};

const mappingOf = (source: SynonymSource, documents: SynonymDocuments): SynonymMapping => {
  const entries = entriesOf(source, documents);
  const split = (query: string): readonly (readonly string[])[][] =>
    alternativesOf(
      source.analyzer.analyze(query).map(({ term }) => term),
      entries,
    );
  return {
    alternatives: query => split(query).map(each => each.map(phraseOfWords)),
    variants: query => {
      let variants: (readonly string[])[] = [[]];
      for (const each of split(query)) {
        variants = variants.flatMap(variant => each.map(words => [...variant, ...words]));
        if (variants.length > mostVariants)
          throw invalid(`A query has more than ${mostVariants} variants by the synonyms "${source.name}".`);
      }
      return variants.map(phraseOfWords);
    },
  };
};

/** The documents are read when a query uses them. */
export const createSynonyms = (sources: readonly SynonymSource[], documents: SynonymDocuments): Synonyms => ({
  named: name => {
    const source = sources.find(each => each.name === name);
    if (source === undefined) throw invalid(`"${name}" is not a synonym mapping of the index.`);
    return mappingOf(source, documents);
  },
});
