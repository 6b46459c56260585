import { isDue } from './meter.js';

/** A place in a sequence of results at which the command may yield to others. Stages pass it on. */
export const pause: unique symbol = Symbol('pause');
export type Pause = typeof pause;

/** Results with pauses between them. */
export type Paced<T> = Iterable<T | Pause>;

/** Work with pauses. The generator returns the result. */
export type Pieces<T> = Generator<Pause, T>;

/** Whether work was not done at once. */
export const isPieces = <T extends object>(done: T | Pieces<T>): done is Pieces<T> => 'next' in done;

/** Runs work to its end without pausing, where it must not be interrupted. */
export const inOneGo = <T>(work: Pieces<T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
};

/** Yields the items of a list, and a pause whenever the time slice is over. */
export const paced = function* <T>(list: readonly T[]): Generator<T | Pause> {
  for (const item of list) {
    if (isDue()) yield pause;
    yield item;
  }
};

/** Yields the results and skips the pauses. */
export const withoutPauses = function* <T>(results: Paced<T>): Generator<T> {
  for (const result of results) if (result !== pause) yield result;
};
