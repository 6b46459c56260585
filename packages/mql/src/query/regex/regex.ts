import { spend } from '../../work/meter.js';
import { waysOf } from './cost.js';
import type { Found, Searcher } from './match.js';
import { createSearcher } from './match.js';
import type { Pattern } from './syntax.js';
import { parsePattern } from './syntax.js';

/**
 * The number of attempts up to which JavaScript's engine is used. It cannot be interrupted, but it is faster, and most
 * patterns need few attempts.
 */
const maxTries = 1_000_000;

const foundBy = (match: RegExpExecArray | null): Found | undefined =>
  match === null
    ? undefined
    : {
        index: match.index,
        text: match[0],
        groups: new Map(Object.entries(match.groups ?? {}).filter(([, text]) => text !== undefined)),
      };

/** The number of attempts of JavaScript's engine that take as long as one step. */
const triesPerStep = 16;

/** The length of texts up to which the cost of a search is not counted. */
const short = 32;

/** A regular expression whose searches always terminate. */
export class Regex {
  /** The number of capturing groups. The source names them g1, g2, … */
  readonly groupCount: number;
  readonly #once: RegExp;
  readonly #global: RegExp;
  readonly #source: string;
  readonly #flags: string;
  #pattern: Pattern | undefined;
  #searcher: Searcher | undefined;
  /** The greatest length of texts known to be safe for JavaScript's engine. */
  #tameLength = -1;

  /** @throws SyntaxError if JavaScript does not accept the pattern */
  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
    this.#once = new RegExp(source, flags);
    this.#global = new RegExp(source, `${flags}g`);
    this.groupCount = source.match(/\(\?<g\d+>/g)?.length ?? 0;
  }

  /**
   * Returns whether the text matches.
   * @throws CommandError 51156 if the search takes too long
   */
  test(text: string): boolean {
    return this.#isTame(text) ? this.#once.test(text) : this.#search(text, 0) !== undefined;
  }

  /**
   * Returns the first match that begins at the code unit or later.
   * @throws CommandError 51156 if the search takes too long
   */
  find(text: string, from = 0): Found | undefined {
    if (!this.#isTame(text)) return this.#search(text, from);
    this.#global.lastIndex = from;
    return foundBy(this.#global.exec(text));
  }

  /** Returns whether JavaScript's engine needs few enough attempts: every way of matching, from every offset. */
  #isTame(text: string): boolean {
    const { length } = text;
    if (length <= this.#tameLength) {
      if (length > short) spend(this.#tries(length) / triesPerStep);
      return true;
    }
    this.#pattern ??= parsePattern(this.#source, this.#flags);
    const isTame = this.#tries(length) <= maxTries;
    if (isTame) this.#tameLength = length;
    return isTame;
  }

  #tries(length: number): number {
    return waysOf(this.#pattern!, length) * (length + 1);
  }

  #search(text: string, from: number): Found | undefined {
    this.#searcher ??= createSearcher(this.#pattern!, this.#flags.includes('i'));
    return this.#searcher(text, from);
  }
}
