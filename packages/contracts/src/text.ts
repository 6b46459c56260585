/** How a text search compares words. */
export interface TextFolding {
  /** Whether words that differ only in the case of letters are different. */
  readonly caseSensitive: boolean;
  /** Whether words that differ only in diacritics, such as accents, are different. */
  readonly diacriticSensitive: boolean;
}

/** The parts of a search string. */
export interface ParsedSearch {
  /** The words of which a document must contain one, separated by spaces. */
  readonly wanted: string;
  /** The words that a document must not contain, separated by spaces. */
  readonly negated: string;
  /** The phrases that a document must contain. */
  readonly phrases: readonly string[];
  /** The phrases that a document must not contain. */
  readonly negatedPhrases: readonly string[];
}

/** Splits texts of one language into the terms of a text index. */
export interface TextAnalyzer {
  /** Returns the terms of a text in its order: the stems of its words. Stop words are included only on request. */
  terms(text: string, folding: TextFolding, stopWords: 'with stop words' | 'without stop words'): readonly string[];
  /** Returns whether a text contains a phrase. */
  contains(text: string, phrase: string, folding: TextFolding): boolean;
  /** Adds the score of each term of a text to the scores of a document. */
  addScores(text: string, weight: number, scores: Map<string, number>): void;
}

/**
 * The languages of text indexes, and the parser of searches. The embedded server uses it; the driver does not. `@tessera/text`
 * implements it.
 */
export interface TextAnalysis {
  /**
   * Returns the analyzer of a language for a version of text indexes (1, 2 or 3).
   * @param language a name such as `spanish`, a code such as `es`, or `none`, in lower case. Others are like `none`.
   */
  analyzer(language: string, version: number): TextAnalyzer;
  /** Parses the `$search` of the operator `$text`: words, `"phrases"`, and words or phrases that a hyphen negates. */
  parseSearch(search: string): ParsedSearch;
}
