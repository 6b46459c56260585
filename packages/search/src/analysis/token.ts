/** A term of a text, with its place in the text. */
export interface Token {
  readonly term: string;
  /** The number of the word. Tokens of one word share it. */
  readonly position: number;
  /** The range of the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** Splits a text into tokens. */
export type Tokenizer = (text: string) => readonly Token[];

/** Changes the tokens of a text. */
export type TokenFilter = (tokens: readonly Token[]) => readonly Token[];

export interface Analyzer {
  readonly name: string;
  analyze(text: string): readonly Token[];
  /** Whether a text becomes one token, as `wildcard` and `regex` expect. */
  readonly isKeyword: boolean;
  /** Changes a term of a pattern as the analyzer would change it, without splitting it. */
  normalize(term: string): string;
}
