/** The separators of words in text indexes of version 3, except the apostrophe. The last three are hyphens. */
const separators = String.raw`\p{White_Space}\p{Dash}\p{Quotation_Mark}\p{Terminal_Punctuation}\p{Pattern_Syntax}\p{Sentence_Terminal}\xad・・`;

const otherWords = new RegExp(`[^${separators}]+`, 'gu');
const englishWords = new RegExp(`(?:'|[^${separators}])+`, 'gu');

const none: readonly string[] = [];

/** Returns the words of a text. An apostrophe is part of a word only in English. */
export const wordsOf = (text: string, english: boolean): readonly string[] =>
  text.match(english ? englishWords : otherWords) ?? none;

const asciiSeparators = String.raw`\t-\r !-&(-/:-@[-^{-~` + '`';
const otherAsciiWords = new RegExp(`[^'${asciiSeparators}]+`, 'g');
const englishAsciiWords = new RegExp(`[^${asciiSeparators}]+`, 'g');

/** Returns the words of a text as text indexes before version 3 do, which separate words only at ASCII characters. */
export const asciiWordsOf = (text: string, english: boolean): readonly string[] =>
  text.match(english ? englishAsciiWords : otherAsciiWords) ?? none;
