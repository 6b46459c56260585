/** English words that are too frequent to be indexed. */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can cannot
  could did do does doing down during each few for from further had has have having he her here hers herself him himself his how
  i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out
  over own same she should so some such than that the their theirs them themselves then there these they this those through to
  too under until up very was we were what when where which while who whom why will with would you your yours yourself
  yourselves`.split(/\s+/),
);

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

/** Returns the words of a text without the stop words of its language. Words are not stemmed. */
export const wordsOf = (text: string, folding: Folding, language: string): readonly string[] => {
  const words = fold(text, folding).match(/[\p{L}\p{N}_']+/gu) ?? [];
  const kept = words.map(word => word.replace(/^'+|'+$/g, '')).filter(word => word !== '');
  return language === 'english' ? kept.filter(word => !stopWords.has(word.toLowerCase())) : kept;
};
