import type { Analyzer, Token } from '../analysis/token.js';

/** The distance between the last word of an array's element and the first of the next one. */
const gap = 100;

/** The positions of a term in each unit. */
export type Postings = ReadonlyMap<number, readonly number[]>;

/** The terms of one field: an inverted index. */
export class TextField {
  /** The analyzer of queries. */
  readonly searchAnalyzer: Analyzer;
  /** The analyzer of the indexed texts. */
  readonly analyzer: Analyzer;
  readonly #postings = new Map<string, Map<number, number[]>>();
  readonly #terms = new Map<number, Set<string>>();
  /** The number of words, and the position after the last of them, in each unit. */
  readonly #sizes = new Map<number, { words: number; next: number }>();
  #words = 0;

  constructor({ analyzer, searchAnalyzer }: { readonly analyzer: Analyzer; readonly searchAnalyzer: Analyzer }) {
    this.analyzer = analyzer;
    this.searchAnalyzer = searchAnalyzer;
  }

  /** The number of units that have the field. */
  get units(): number {
    return this.#sizes.size;
  }

  /** The average number of words of a unit. */
  get averageLength(): number {
    return this.#sizes.size === 0 ? 0 : this.#words / this.#sizes.size;
  }

  lengthOf(unit: number): number {
    return this.#sizes.get(unit)?.words ?? 0;
  }

  get terms(): Iterable<string> {
    return this.#postings.keys();
  }

  termsOf(unit: number): Iterable<string> {
    return this.#terms.get(unit) ?? [];
  }

  postings(term: string): Postings | undefined {
    return this.#postings.get(term);
  }

  /** Adds a text to the texts of a unit. */
  add(unit: number, text: string): void {
    const tokens = this.analyzer.analyze(text);
    const size = this.#sizes.get(unit) ?? { words: 0, next: 0 };
    const words = wordsOf(tokens);
    for (const { term, position } of tokens) this.#note(unit, term, size.next + position);
    size.words += words;
    size.next += (tokens.at(-1)?.position ?? 0) + gap;
    this.#words += words;
    this.#sizes.set(unit, size);
  }

  #note(unit: number, term: string, position: number): void {
    let postings = this.#postings.get(term);
    if (postings === undefined) this.#postings.set(term, (postings = new Map<number, number[]>()));
    const positions = postings.get(unit);
    if (positions === undefined) postings.set(unit, [position]);
    else positions.push(position);
    const terms = this.#terms.get(unit);
    if (terms === undefined) this.#terms.set(unit, new Set([term]));
    else terms.add(term);
  }

  remove(unit: number): void {
    for (const term of this.#terms.get(unit) ?? []) {
      const postings = this.#postings.get(term)!;
      postings.delete(unit);
      if (postings.size === 0) this.#postings.delete(term);
    }
    this.#terms.delete(unit);
    this.#words -= this.lengthOf(unit);
    this.#sizes.delete(unit);
  }
}

const wordsOf = (tokens: readonly Token[]): number => new Set(tokens.map(({ position }) => position)).size;
