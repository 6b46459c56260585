import { spend } from '../../work/meter.js';
import { waysOf } from './cost.js';
import type { Found, Searcher } from './match.js';
import { createSearcher } from './match.js';
import type { Pattern } from './syntax.js';
import { parsePattern } from './syntax.js';

/** Tries that the engine of the language may make, which nobody can stop: it is faster, and for most patterns it needs few. */
const mostTries = 1_000_000;

const foundBy = (match: RegExpExecArray | null): Found | undefined =>
  match === null
    ? undefined
    : {
        index: match.index,
        text: match[0],
        groups: new Map(Object.entries(match.groups ?? {}).filter(([, text]) => text !== undefined)),
      };

/** Tries of the engine of the language that take as long as a step. */
const triesPerStep = 16;

/** Texts so short that they cost nothing to speak of, with most patterns. */
const short = 32;

/** A regular expression that always comes to an end. */
export class Regex {
  /** Capturing groups, in their order: those named g1, g2, … in the source. */
  readonly groupCount: number;
  readonly #once: RegExp;
  readonly #global: RegExp;
  readonly #source: string;
  readonly #flags: string;
  #pattern: Pattern | undefined;
  #searcher: Searcher | undefined;
  /** Of texts of that length and shorter ones it is known. */
  #tameLength = -1;

  /** @throws SyntaxError if JavaScript does not accept it */
  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
    this.#once = new RegExp(source, flags);
    this.#global = new RegExp(source, `${flags}g`);
    this.groupCount = source.match(/\(\?<g\d+>/g)?.length ?? 0;
  }

  /** @throws CommandError 51156 if it would take too long */
  test(text: string): boolean {
    return this.#isTame(text) ? this.#once.test(text) : this.#search(text, 0) !== undefined;
  }

  /** The first match that begins at that code unit or later. @throws CommandError 51156 if it would take too long */
  find(text: string, from = 0): Found | undefined {
    if (!this.#isTame(text)) return this.#search(text, from);
    this.#global.lastIndex = from;
    return foundBy(this.#global.exec(text));
  }

  /** Each place is a beginning, and each beginning may be tried in every way. */
  #isTame(text: string): boolean {
    const { length } = text;
    if (length <= this.#tameLength) {
      if (length > short) spend(this.#tries(length) / triesPerStep);
      return true;
    }
    this.#pattern ??= parsePattern(this.#source, this.#flags);
    const isTame = this.#tries(length) <= mostTries;
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
