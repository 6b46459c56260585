import type { Doc, Paced, Pause, Pieces } from '@tessera/mql/engine';
import { fail, pause, spend } from '@tessera/mql/engine';

/** A sequence of results that are computed on demand. */
export interface Source<T = Doc> {
  /**
   * Returns the next result, undefined at the end, or a pause, after which other commands may run before the next call.
   */
  next(): T | Pause | undefined;
  /** Whether the end is known to be reached, without calling `next`. */
  readonly exhausted: boolean;
}

/** The maximum size of a batch in bytes. Only a single larger document may exceed it. */
export const maxBatchBytes: number = 16 * 1024 * 1024;

/** The maximum size of a single result: a stored document that grew slightly during processing. */
const maxResultBytes: number = maxBatchBytes + 16 * 1024;

export interface Batch {
  readonly docs: readonly Doc[];
  readonly bytes: number;
}

/** Takes batches from a source. A document that did not fit into one batch is kept for the next. */
export class Batches {
  readonly #source: Source;
  #waiting: Doc | undefined;
  /** The documents of the batch that is being filled, which a pause may have interrupted. */
  #docs: Doc[] = [];
  #bytes = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Whether the last batch had no room for the next document. */
  get isFull(): boolean {
    return this.#waiting !== undefined;
  }

  /** Whether no document is left. False may also mean that the source has not been checked. */
  get exhausted(): boolean {
    return this.#waiting === undefined && this.#source.exhausted;
  }

  /** Returns a batch of at most `count` documents and 16 MiB. After a pause, call it again. */
  take(count: number): Batch | Pause {
    while (this.#docs.length < count) {
      const doc = this.#waiting ?? this.#source.next();
      if (doc === pause) return pause;
      this.#waiting = undefined;
      if (doc === undefined) break;
      const size = doc.byteLength;
      spend(size >>> 8);
      if (size > maxResultBytes) {
        throw fail(
          'BSONObjectTooLarge',
          `BSONObj size: ${size} is invalid. Size must be between 0 and ${maxResultBytes}(16MB)`,
        );
      }
      if (this.#docs.length > 0 && this.#bytes + size > maxBatchBytes) {
        this.#waiting = doc;
        break;
      }
      this.#docs.push(doc);
      this.#bytes += size;
    }
    const batch = { docs: this.#docs, bytes: this.#bytes };
    this.#docs = [];
    this.#bytes = 0;
    return batch;
  }

  /** Returns a batch without pausing, for sources that are in memory. */
  takeNow(count: number): Batch {
    for (;;) {
      const batch = this.take(count);
      if (batch !== pause) return batch;
    }
  }
}

class IteratorSource<T> implements Source<T> {
  readonly #iterator: Iterator<T | Pause>;
  exhausted = false;

  constructor(iterator: Iterator<T | Pause>) {
    this.#iterator = iterator;
  }

  next(): T | Pause | undefined {
    if (this.exhausted) return undefined;
    const step = this.#iterator.next();
    if (step.done !== true) return step.value;
    this.exhausted = true;
    return undefined;
  }
}

/** Returns a source for an iterable. Its end is known only after a call of `next` has found it. */
export const iterate = <T>(items: Paced<T>): Source<T> => new IteratorSource(items[Symbol.iterator]());

// Sources are classes, because V8 creates a hidden class for each object literal with a getter, which is slow.

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

/** A source for a list that is computed at the first call of `next`. */
class MadeSource<T> implements Source<T> {
  #work: Pieces<readonly T[]> | undefined;
  #items: readonly T[] = [];
  #at = 0;

  constructor(work: Pieces<readonly T[]>) {
    this.#work = work;
  }

  next(): T | Pause | undefined {
    if (this.#work !== undefined) {
      const step = this.#work.next();
      if (step.done !== true) return pause;
      this.#work = undefined;
      this.#items = step.value;
    }
    return this.#items[this.#at++];
  }

  get exhausted(): boolean {
    return this.#work === undefined && this.#at >= this.#items.length;
  }
}

export interface Limits {
  readonly skip: number;
  /** 0: no limit. */
  readonly limit: number;
  /**
   * Whether the source is exhausted as soon as it has returned the last result within the limit. If not, only one more
   * call of `next` exhausts it. Default: true.
   */
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

  next(): T | Pause | undefined {
    for (; this.#toSkip > 0; this.#toSkip--) {
      const item = this.#source.next();
      if (item === pause || item === undefined) return item;
    }
    if (this.#left === 0) {
      this.#tried = true;
      return undefined;
    }
    const item = this.#source.next();
    if (item !== pause && item !== undefined) this.#left -= 1;
    return item;
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

  next(): Doc | Pause | undefined {
    const item = this.#source.next();
    if (item === pause) return pause;
    return item === undefined ? undefined : this.#change(item);
  }

  get exhausted(): boolean {
    return this.#source.exhausted;
  }
}

/** Returns a source for a list. Its end is known at once, as for sorted results and lookups by `_id`. */
export const listed = <T>(items: readonly T[]): Source<T> => new ListSource(items);

/** Returns a source for a list that is computed on demand. Its end is known once the list is complete. */
export const made = <T>(work: Pieces<readonly T[]>): Source<T> => new MadeSource(work);

/** Skips the first results, and ends after `limit` results. */
export const limited = <T>(source: Source<T>, limits: Limits): Source<T> =>
  limits.skip === 0 && limits.limit === 0 ? source : new LimitedSource(source, limits);

export const mapped = <T>(source: Source<T>, change: (item: T) => Doc): Source => new MappedSource(source, change);
