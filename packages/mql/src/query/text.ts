import type { TextFolding } from '@tessera/contracts';
import { spend } from '../work/meter.js';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isDoc, typeName } from '../value/value.js';
import type { Condition, TextSearch } from './condition.js';
import { opaque } from './condition.js';
import { metadataOf, noteMetadata } from './metadata.js';
import type { TextIndex, TextVisitor } from './text-index.js';
import { analyzerOf, isTextLanguage, visitTexts } from './text-index.js';

interface Search extends TextSearch {
  /** The terms with the case and the diacritics of the search. Undefined if it considers neither. */
  readonly exact: ReadonlySet<string> | undefined;
  readonly folding: TextFolding;
}

const folded: TextFolding = { caseSensitive: false, diacriticSensitive: false };

const flagOf = (argument: Doc, name: string): boolean => {
  const value = argument.get(name);
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw fail('TypeMismatch', `"${name}" had the wrong type. Expected bool, found ${typeName(value)}`);
};

const languageOf = (argument: Doc, { language, version }: TextIndex): string => {
  const given = argument.get('$language') ?? language;
  if (typeof given !== 'string')
    throw fail('TypeMismatch', `"$language" had the wrong type. Expected string, found ${typeName(given)}`);
  if (!isTextLanguage(given) && version > 1)
    throw fail('BadValue', `unsupported language: "${given}" for text index version ${version}`);
  return given;
};

/**
 * Parses words, `"phrases"` and negations that start with `-`.
 * @throws CommandError 2, 14
 */
const searchOf = (argument: Value, index: TextIndex): Search => {
  if (!isDoc(argument)) throw fail('BadValue', '$text expects an object');
  const search = argument.get('$search');
  if (search === undefined) throw fail('BadValue', 'Missing expected field "$search"');
  if (typeof search !== 'string')
    throw fail('TypeMismatch', `"$search" had the wrong type. Expected string, found ${typeName(search)}`);
  const known = ['$search', '$language', '$caseSensitive', '$diacriticSensitive'];
  if (argument.keys().some(name => !known.includes(name))) throw fail('BadValue', 'extra fields in $text');
  const folding = {
    caseSensitive: flagOf(argument, '$caseSensitive'),
    diacriticSensitive: flagOf(argument, '$diacriticSensitive'),
  };
  const analyzer = analyzerOf(index, languageOf(argument, index));
  const { wanted, negated, phrases, negatedPhrases } = index.analysis.parseSearch(search);
  const termsOf = (words: string, how: TextFolding): ReadonlySet<string> =>
    new Set(analyzer.terms(words, how, 'without stop words'));
  const isSensitive = folding.caseSensitive || folding.diacriticSensitive;
  return {
    terms: [...termsOf(wanted, folded)].sort(),
    exact: isSensitive ? termsOf(wanted, folding) : undefined,
    negated: termsOf(negated, folding),
    phrases,
    negatedPhrases,
    folding,
  };
};

/**
 * Returns the terms of a document in the index, with their scores.
 * @throws CommandError 17261, 17262 for a language override that is not a supported language
 */
export const textEntries = (doc: Doc, index: TextIndex): ReadonlyMap<string, number> => {
  const scores = new Map<string, number>();
  visitTexts(doc, index, (text, weight, analyzer) => {
    spend(text.length >>> 2);
    analyzer.addScores(text, weight, scores);
  });
  return scores;
};

/** Returns whether any of a document's texts passes a test. */
const anyText = (doc: Doc, index: TextIndex, test: (...visited: Parameters<TextVisitor>) => boolean): boolean => {
  let found = false;
  visitTexts(doc, index, (text, weight, analyzer) => {
    spend(text.length >>> 3);
    found ||= test(text, weight, analyzer);
  });
  return found;
};

/** Returns whether a document that contains a term of the search also fulfills the rest of it. */
const fulfills = (doc: Doc, search: Search, index: TextIndex): boolean => {
  const { exact, negated, phrases, negatedPhrases, folding } = search;
  const hasOf = (terms: ReadonlySet<string>): boolean =>
    anyText(doc, index, (text, _weight, analyzer) =>
      analyzer.terms(text, folding, 'with stop words').some(term => terms.has(term)),
    );
  const has = (phrase: string): boolean =>
    anyText(doc, index, (text, _weight, analyzer) => analyzer.contains(text, phrase, folding));
  if (exact !== undefined && !hasOf(exact)) return false;
  if (negated.size > 0 && hasOf(negated)) return false;
  return phrases.every(has) && !negatedPhrases.some(has);
};

/** Returns the score of a document, or undefined if it contains no term of the search. */
const scoreIn = (doc: Doc, { terms }: Search, index: TextIndex): number | undefined => {
  const entries = textEntries(doc, index);
  spend(terms.length);
  let score = 0;
  for (const term of terms) score += entries.get(term) ?? 0;
  return score === 0 ? undefined : score;
};

/**
 * Compiles the argument of `$text`. The score of a matching document is stored in its metadata. If a walk through the
 * index has stored it before, the document contains a term.
 * @throws CommandError 2, 14, 27
 */
export const parseText = (argument: Value, index: TextIndex | undefined): Condition => {
  if (index === undefined) throw fail('IndexNotFound', 'text index required for $text query');
  const search = searchOf(argument, index);
  const matches = (doc: Doc): boolean => {
    const known = metadataOf(doc)?.textScore;
    const score = known ?? scoreIn(doc, search, index);
    if (score === undefined || !fulfills(doc, search, index)) return false;
    if (known === undefined) noteMetadata(doc, { textScore: score });
    return true;
  };
  return { ...opaque(matches), search };
};
