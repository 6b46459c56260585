import { englishStem } from './english-stem.js';

/** English words that are too frequent to be indexed. */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can cannot
  could did do does doing down during each few for from further had has have having he her here hers herself him himself his how
  i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out
  over own same she should so some such than that the their theirs them themselves then there these they this those through to
  too under until up very was we were what when where which while who whom why will with would you your yours yourself
  yourselves`.split(/\s+/),
);

/** Contractions that are too frequent to be indexed. */
const contraction =
  /^(?:i'm|(?:you|we|they)'re|(?:he|she|it|that|who|what|here|there|when|where|why|how|let)'s|(?:i|you|we|they)'ve|(?:i|you|he|she|we|they)'(?:d|ll)|(?:is|are|was|were|has|have|had|does|do|did|wo|would|sha|should|ca|could|must)n't)$/i;

/** How words are compared. */
export interface Folding {
  readonly caseSensitive: boolean;
  readonly diacriticSensitive: boolean;
}

/** The folding of the words in an index. */
export const folded: Folding = { caseSensitive: false, diacriticSensitive: false };

export const fold = (text: string, { caseSensitive, diacriticSensitive }: Folding): string => {
  const cased = caseSensitive ? text : text.toLowerCase();
  return diacriticSensitive ? cased : cased.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
};

/** Returns the stem of a word in its own case. */
const stemOf = (word: string): string => {
  const lower = word.toLowerCase();
  const stem = englishStem(lower);
  return word !== lower && lower.startsWith(stem) ? word.slice(0, stem.length) : stem;
};

/** Returns the terms of a text: its words without the stop words of the language. English words are stemmed. */
export const termsOf = (text: string, folding: Folding, language: string): readonly string[] => {
  const words = fold(text, folding).match(/[\p{L}\p{N}_']+/gu) ?? [];
  const kept = words.map(word => word.replace(/^'+|'+$/g, '')).filter(word => word !== '');
  if (language !== 'english') return kept;
  return kept.filter(word => !stopWords.has(word.toLowerCase()) && !contraction.test(word)).map(stemOf);
};
