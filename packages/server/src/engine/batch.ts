import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';

/** Results that are drawn one by one. */
export interface Source<T = Doc> {
  next(): T | undefined;
  /** Known to have no more, without looking. */
  readonly exhausted: boolean;
}

/** Bytes of documents in one batch; only a single larger document may exceed it. */
export const maxBatchBytes: number = 16 * 1024 * 1024;

/** What a single result may have: a document that was read and grew a little on its way. */
const maxResultBytes: number = maxBatchBytes + 16 * 1024;

export interface Batch {
  readonly docs: readonly Doc[];
  readonly bytes: number;
}

/** Draws batches from a source: one document may wait because the last batch had no room for it. */
export class Batches {
  readonly #source: Source;
  #waiting: Doc | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** No document is left; false may also mean that nobody has looked. */
  get exhausted(): boolean {
    return this.#waiting === undefined && this.#source.exhausted;
  }

  /** So many documents at most, and 16 MiB. */
  take(count: number): Batch {
    const docs: Doc[] = [];
    let bytes = 0;
    while (docs.length < count) {
      const doc = this.#waiting ?? this.#source.next();
      this.#waiting = undefined;
      if (doc === undefined) break;
      const size = doc.byteLength;
      if (size > maxResultBytes) {
        throw fail(
          'BSONObjectTooLarge',
          `BSONObj size: ${size} is invalid. Size must be between 0 and ${maxResultBytes}(16MB)`,
        );
      }
      if (docs.length > 0 && bytes + size > maxBatchBytes) {
        this.#waiting = doc;
        break;
      }
      docs.push(doc);
      bytes += size;
    }
    return { docs, bytes };
  }
}

class IteratorSource<T> implements Source<T> {
  readonly #iterator: Iterator<T>;
  exhausted = false;

  constructor(iterator: Iterator<T>) {
    this.#iterator = iterator;
  }

  next(): T | undefined {
    if (this.exhausted) return undefined;
    const step = this.#iterator.next();
    if (step.done !== true) return step.value;
    this.exhausted = true;
    return undefined;
  }
}

/** Knows that it is at its end only after it has tried to go on. */
export const iterate = <T>(items: Iterable<T>): Source<T> => new IteratorSource(items[Symbol.iterator]());

/** Knows its end: what was sorted, or looked up by `_id`. */
export const listed = <T>(items: readonly T[]): Source<T> => {
  let at = 0;
  return {
    next: () => items[at++],
    get exhausted() {
      return at >= items.length;
    },
  };
};

/** Leaves out the first so many, ends after so many; 0 is no limit. */
export const limited = <T>(source: Source<T>, skip: number, limit: number): Source<T> => {
  let toSkip = skip;
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  return {
    next: () => {
      for (; toSkip > 0; toSkip--) if (source.next() === undefined) return undefined;
      if (left === 0) return undefined;
      left -= 1;
      return source.next();
    },
    get exhausted() {
      return left === 0 || source.exhausted;
    },
  };
};

export const mapped = <T>(source: Source<T>, change: (item: T) => Doc): Source => ({
  next: () => {
    const item = source.next();
    return item === undefined ? undefined : change(item);
  },
  get exhausted() {
    return source.exhausted;
  },
});
