import { spend } from '../work/meter.js';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import { splitPath } from '../value/path.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import type { Condition } from './condition.js';
import { opaque } from './condition.js';
import { noteMetadata } from './metadata.js';
import type { Folding } from './text-tokens.js';
import { fold, folded, termsOf } from './text-tokens.js';

/** The parts of a text index that a search uses. */
export interface TextIndex {
  /** The weight of each path; `$**` means all fields. */
  readonly weights: ReadonlyMap<string, number>;
  readonly language: string;
  /** The field that overrides the language of a document. */
  readonly override: string;
  /** The paths before the text. A search must have an equality condition on each. */
  readonly prefix: readonly string[];
  /** The first paths of the collection's other indexes. A search within `$or` needs them. */
  readonly leads: ReadonlySet<string>;
}

/** A parsed search. */
interface Search {
  /** The terms as they are in the index. */
  readonly terms: readonly string[];
  /** The terms with the case and the diacritics of the search. */
  readonly exact: readonly string[];
  readonly negated: readonly string[];
  readonly phrases: readonly string[];
  readonly negatedPhrases: readonly string[];
  readonly folding: Folding;
}

const languages: ReadonlySet<string> = new Set(
  `none da danish nl dutch en english fi finnish fr french de german hu hungarian it italian nb norwegian pt portuguese ro romanian ru
  russian es spanish sv swedish tr turkish`.split(/\s+/),
);

/** Returns whether the name is a supported text search language. Case is ignored. */
export const isTextLanguage = (name: string): boolean => languages.has(name.toLowerCase());

const nameOfLanguage = (given: string): string => {
  const name = given.toLowerCase();
  return name === 'en' ? 'english' : name;
};

const flagOf = (argument: Doc, name: string): boolean => {
  const value = argument.get(name);
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw fail('TypeMismatch', `"${name}" had the wrong type. Expected bool, found ${typeName(value)}`);
};

const languageOf = (argument: Doc, { language }: TextIndex): string => {
  const given = argument.get('$language') ?? language;
  if (typeof given !== 'string')
    throw fail('TypeMismatch', `"$language" had the wrong type. Expected string, found ${typeName(given)}`);
  if (!isTextLanguage(given)) throw fail('BadValue', `unsupported language: "${given}" for text index version 3`);
  return nameOfLanguage(given);
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
  const language = languageOf(argument, index);
  const phrases: string[] = [];
  const negatedPhrases: string[] = [];
  const rest = search.replace(/(-?)"([^"]*)"/g, (_all, minus: string, phrase: string) => {
    (minus === '-' ? negatedPhrases : phrases).push(fold(phrase, folding));
    return minus === '-' ? ' ' : ` ${phrase} `;
  });
  const negated = [...rest.matchAll(/(?:^|\s)-([^\s-]+)/g)].flatMap(([, word]) => termsOf(word!, folding, language));
  const wanted = rest.replace(/(?:^|\s)-[^\s-]+/g, ' ');
  const terms = [...new Set(termsOf(wanted, folded, language))];
  return { terms, exact: termsOf(wanted, folding, language), negated, phrases, negatedPhrases, folding };
};

const textsIn = (value: Value | undefined, deep: boolean): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (isArray(value)) return value.flatMap(item => textsIn(item, deep));
  return deep && isDoc(value) ? value.entries().flatMap(([, inner]) => textsIn(inner, deep)) : [];
};

const textsAt = (value: Value | undefined, parts: readonly string[]): readonly string[] => {
  const [first, ...rest] = parts;
  if (first === undefined) return textsIn(value, false);
  if (isArray(value)) return value.flatMap(item => textsAt(item, parts));
  return isDoc(value) ? textsAt(value.get(first), rest) : [];
};

/** Returns each text that the index covers, with the weight of its field. */
const fieldsOf = (doc: Doc, { weights }: TextIndex): readonly (readonly [text: string, weight: number])[] =>
  [...weights].flatMap(([path, weight]) =>
    (path === '$**' ? textsIn(doc, true) : textsAt(doc, splitPath(path))).map(text => [text, weight] as const),
  );

/** Returns the language of a document's texts. */
const languageIn = (doc: Doc, { override, language }: TextIndex): string => {
  const own = doc.get(override);
  return typeof own === 'string' ? nameOfLanguage(own) : language;
};

/**
 * Returns the terms of a document in the index, with their scores. The score depends on the number of occurrences, the
 * length of the field and its weight. mongod: FTSSpec, version 2 and up.
 */
export const textEntries = (doc: Doc, index: TextIndex): ReadonlyMap<string, number> => {
  const language = languageIn(doc, index);
  const scores = new Map<string, number>();
  for (const [text, weight] of fieldsOf(doc, index)) {
    spend(text.length >>> 2);
    const terms = termsOf(text, folded, language);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const frequency = 2 - 2 ** (1 - count);
      const share = (0.5 * count) / terms.length + 0.5;
      const whole = fold(text, folded) === term ? 1.1 : 1;
      scores.set(term, (scores.get(term) ?? 0) + weight * frequency * share * whole);
    }
  }
  return scores;
};

/** Returns the score of a document, or undefined if it does not match. */
const scoreIn = (doc: Doc, search: Search, index: TextIndex): number | undefined => {
  const { terms, exact, phrases, negatedPhrases, negated, folding } = search;
  const entries = textEntries(doc, index);
  spend(terms.length);
  let score = 0;
  for (const term of terms) score += entries.get(term) ?? 0;
  if (score === 0) return undefined;
  const fields = fieldsOf(doc, index);
  const has = (phrase: string): boolean => fields.some(([text]) => fold(text, folding).includes(phrase));
  if (!phrases.every(has) || negatedPhrases.some(has)) return undefined;
  if (negated.length > 0 || folding.caseSensitive || folding.diacriticSensitive) {
    const language = languageIn(doc, index);
    const found = new Set(fields.flatMap(([text]) => termsOf(text, folding, language)));
    if (negated.some(term => found.has(term)) || !exact.some(term => found.has(term))) return undefined;
  }
  return score;
};

/**
 * Compiles the argument of `$text`. The score of a matching document is stored in its metadata.
 * @throws CommandError 2, 14, 27
 */
export const parseText = (argument: Value, index: TextIndex | undefined): Condition => {
  if (index === undefined) throw fail('IndexNotFound', 'text index required for $text query');
  const search = searchOf(argument, index);
  return opaque(doc => {
    const score = scoreIn(doc, search, index);
    if (score === undefined) return false;
    noteMetadata(doc, { textScore: score });
    return true;
  });
};
