import type { TextAnalysis, TextAnalyzer } from '@tessera/contracts';
import { asciiLowerCase, lowerCase, withoutDiacritics } from './characters.js';
import type { Language } from './languages.js';
import { isCode, languageOf, nameOf } from './languages.js';
import { parseSearch } from './search.js';
import { asciiWordsOf, wordsOf } from './words.js';

type Terms = TextAnalyzer['terms'];

const plain = { caseSensitive: false, diacriticSensitive: false };

/**
 * Returns the scores of a text's terms. They depend on the number of occurrences, the length of the text and the weight
 * of its field. A term that is the whole text has a higher score.
 */
const scorer =
  (terms: Terms): TextAnalyzer['addScores'] =>
  (text, weight, scores) => {
    const all = terms(text, plain, 'without stop words');
    const counts = new Map<string, number>();
    for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const frequency = 2 - 2 ** (1 - count);
      const share = (0.5 * count) / all.length + 0.5;
      const isWhole = text.length === term.length && asciiLowerCase(text) === asciiLowerCase(term);
      scores.set(term, (scores.get(term) ?? 0) + weight * frequency * share * (isWhole ? 1.1 : 1));
    }
  };

const analyzerOf = (terms: Terms, contains: TextAnalyzer['contains']): TextAnalyzer => ({
  terms,
  contains,
  addScores: scorer(terms),
});

/** Returns the analyzer of a language for text indexes of version 3. */
const unicodeAnalyzer = ({ name, stem, stopWords }: Language): TextAnalyzer => {
  const isTurkish = name === 'turkish';
  const isEnglish = name === 'english';
  const terms: Terms = (text, { caseSensitive, diacriticSensitive }, kept) => {
    const found: string[] = [];
    for (const word of wordsOf(text, isEnglish)) {
      const lower = lowerCase(word, isTurkish);
      if (kept === 'without stop words' && stopWords.has(lower)) continue;
      // Stemmers depend on diacritics.
      const term = stem(caseSensitive ? word : lower);
      found.push(diacriticSensitive ? term : withoutDiacritics(term));
    }
    return found;
  };
  return analyzerOf(terms, (text, phrase, { caseSensitive, diacriticSensitive }) => {
    const fold = (given: string): string => {
      const cased = caseSensitive && !isTurkish ? given : lowerCase(given, isTurkish);
      return diacriticSensitive ? cased : withoutDiacritics(cased);
    };
    return fold(text).includes(fold(phrase));
  });
};

/** Returns the analyzer of a language for text indexes before version 3, which distinguish diacritics. */
const asciiAnalyzer = ({ name, stem, stopWords }: Language): TextAnalyzer => {
  const terms: Terms = (text, { caseSensitive }, kept) => {
    const found: string[] = [];
    for (const word of asciiWordsOf(text, name === 'english')) {
      const lower = asciiLowerCase(word);
      if (kept === 'with stop words' || !stopWords.has(lower)) found.push(stem(caseSensitive ? word : lower));
    }
    return found;
  };
  return analyzerOf(terms, (text, phrase, { caseSensitive }) =>
    caseSensitive ? text.includes(phrase) : asciiLowerCase(text).includes(asciiLowerCase(phrase)),
  );
};

/** Returns a function that returns the analyzer of a language by name or code, always the same. */
const finder = (create: (language: Language) => TextAnalyzer): ((given: string) => TextAnalyzer) => {
  const known = new Map<string, TextAnalyzer>();
  return given => {
    let found = known.get(given);
    if (found === undefined) {
      const name = nameOf(given);
      found = known.get(name) ?? create(languageOf(name));
      // There are few names, because other ones have the name `none`.
      known.set(name, found);
      if (given !== name && isCode(given)) known.set(given, found);
    }
    return found;
  };
};

/**
 * Creates the analyzers of all languages of MongoDB's text indexes.
 *
 * @example
 * ```ts
 * const analyzer = createTextAnalysis().analyzer('spanish', 3);
 * analyzer.terms('Los caballos', { caseSensitive: false, diacriticSensitive: false }, 'without stop words'); // ['caball']
 * ```
 */
export const createTextAnalysis = (): TextAnalysis => {
  const unicode = finder(unicodeAnalyzer);
  const ascii = finder(asciiAnalyzer);
  return {
    analyzer: (language, version) => (version < 3 ? ascii : unicode)(language),
    parseSearch,
  };
};
