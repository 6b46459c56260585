import type { Doc, Paced, Pause, Pieces } from '@tessera/mql/engine';
import { fail, pause, spend } from '@tessera/mql/engine';

/** Results that are drawn one by one. */
export interface Source<T = Doc> {
  /** A pause where others may have their turn before there is a next one. */
  next(): T | Pause | undefined;
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
  /** Of the batch that is being filled. */
  #docs: Doc[] = [];
  #bytes = 0;

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

  /** So many documents at most, and 16 MiB. After a pause it is to be asked again. */
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

  /** The same without giving way: of what is there already. */
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

/** Knows that it is at its end only after it has tried to go on. */
export const iterate = <T>(items: Paced<T>): Source<T> => new IteratorSource(items[Symbol.iterator]());

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

/** A list that is still to be made. */
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

/** Knows its end: what was sorted, or looked up by `_id`. */
export const listed = <T>(items: readonly T[]): Source<T> => new ListSource(items);

/** Knows its end once the list is made. */
export const made = <T>(work: Pieces<readonly T[]>): Source<T> => new MadeSource(work);

/** Leaves out the first so many, ends after so many; 0 is no limit. */
export const limited = <T>(source: Source<T>, limits: Limits): Source<T> =>
  limits.skip === 0 && limits.limit === 0 ? source : new LimitedSource(source, limits);

export const mapped = <T>(source: Source<T>, change: (item: T) => Doc): Source => new MappedSource(source, change);
