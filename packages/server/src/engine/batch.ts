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

  /** The last batch had no room for what comes next. */
  get isFull(): boolean {
    return this.#waiting !== undefined;
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

// Classes, not literals with a getter: the engine makes a hidden class for each such literal, which costs more than a lookup.

class ListSource<T> implements Source<T> {
  readonly #items: readonly T[];
  #at = 0;

  constructor(items: readonly T[]) {
    this.#items = items;
  }

  next(): T | undefined {
    return this.#items[this.#at++];
  }

  get exhausted(): boolean {
    return this.#at >= this.#items.length;
  }
}

export interface Limits {
  readonly skip: number;
  /** 0: none. */
  readonly limit: number;
  /** Knows at the last one that it is the last; else only when it is asked for another. Default true. */
  readonly foresees?: boolean;
}

class LimitedSource<T> implements Source<T> {
  readonly #source: Source<T>;
  readonly #foresees: boolean;
  #toSkip: number;
  #left: number;
  #tried = false;

  constructor(source: Source<T>, { skip, limit, foresees = true }: Limits) {
    this.#source = source;
    this.#toSkip = skip;
    this.#left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.#foresees = foresees;
  }

  next(): T | undefined {
    for (; this.#toSkip > 0; this.#toSkip--) if (this.#source.next() === undefined) return undefined;
    if (this.#left === 0) {
      this.#tried = true;
      return undefined;
    }
    this.#left -= 1;
    return this.#source.next();
  }

  get exhausted(): boolean {
    return this.#left === 0 ? this.#foresees || this.#tried : this.#source.exhausted;
  }
}

class MappedSource<T> implements Source {
  readonly #source: Source<T>;
  readonly #change: (item: T) => Doc;

  constructor(source: Source<T>, change: (item: T) => Doc) {
    this.#source = source;
    this.#change = change;
  }

  next(): Doc | undefined {
    const item = this.#source.next();
    return item === undefined ? undefined : this.#change(item);
  }

  get exhausted(): boolean {
    return this.#source.exhausted;
  }
}

/** Knows its end: what was sorted, or looked up by `_id`. */
export const listed = <T>(items: readonly T[]): Source<T> => new ListSource(items);

/** Leaves out the first so many, ends after so many; 0 is no limit. */
export const limited = <T>(source: Source<T>, limits: Limits): Source<T> =>
  limits.skip === 0 && limits.limit === 0 ? source : new LimitedSource(source, limits);

export const mapped = <T>(source: Source<T>, change: (item: T) => Doc): Source => new MappedSource(source, change);
