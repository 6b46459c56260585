import { isDue } from './meter.js';

/** Stands among results for a place at which others may have their turn: whoever passes on results passes it on. */
export const pause: unique symbol = Symbol('pause');
export type Pause = typeof pause;

/** Results, and pauses between them. */
export type Paced<T> = Iterable<T | Pause>;

/** Work in pieces: what it comes to is its last value. */
export type Pieces<T> = Generator<Pause, T>;

/** What the work comes to, without giving way: for what must not be interrupted. */
export const inOneGo = <T>(work: Pieces<T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
};

/** What is in a list, with pauses where they are due. */
export const paced = function* <T>(list: readonly T[]): Generator<T | Pause> {
  for (const item of list) {
    if (isDue()) yield pause;
    yield item;
  }
};

/** The results alone, without giving way. */
export const withoutPauses = function* <T>(results: Paced<T>): Generator<T> {
  for (const result of results) if (result !== pause) yield result;
};
