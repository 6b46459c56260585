import type { Millis } from '@tessera/contracts';
import { TimestampValue } from '@tessera/mql/engine';
import type { Doc } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { compareTimes } from '@tessera/store';
import type { Entry } from './entry.js';
import type { Op } from './op.js';

export interface LogLimits {
  /** The approximate memory that the entries may use, in bytes. */
  readonly bytes: number;
  /**
   * The number of newest entries that keep the data after them. Each of them keeps data alive that was overwritten
   * later.
   */
  readonly values: number;
  /** The approximate memory that the kept data may use, in bytes. */
  readonly valueBytes: number;
  /** How long entries keep the data, in milliseconds: mongod's `minSnapshotHistoryWindowInSeconds`. */
  readonly window: Millis;
}

/** Returns the limits of a log that may use this many bytes. */
export const logLimitsOf = (bytes: number): LogLimits => ({
  bytes,
  values: 1_000,
  valueBytes: bytes / 2,
  window: 300_000,
});

/** An entry whose value may be released. */
type Held = Omit<Entry, 'value'> & { value: DatabaseValue | undefined };

/** The placeholder for a removed entry, until the array is compacted. */
const nothing: Entry = {
  at: { ts: new TimestampValue(0, 0), term: 0n },
  first: new TimestampValue(0, 0),
  wall: 0,
  ops: [],
  author: undefined,
  transaction: false,
  batches: false,
  value: undefined,
};

/** The measured memory of an entry and of each operation, without their documents, in bytes. */
const entryBytes = 1_024;
const opBytes = 256;

/** Returns the memory of an overwritten document: for a small one, three times the size of its BSON. */
const pastBytes = ({ byteLength }: Doc): number => byteLength + Math.min(2 * byteLength, 2_048);

const bytesOf = (op: Op): number => {
  switch (op.kind) {
    case 'insert':
      // The document is usually part of the current data as well.
      return opBytes + op.doc.byteLength;
    case 'update':
    case 'delete':
      return opBytes + pastBytes(op.before);
    default:
      return opBytes;
  }
};

const sizeOf = ({ ops }: Pick<Entry, 'ops'>): number => {
  let bytes = entryBytes;
  for (const op of ops) bytes += bytesOf(op);
  return bytes;
};

/** The oplog of a replica set member: its commits in order. The oldest entries are removed when it gets too large. */
export class Log {
  readonly #limits: LogLimits;
  #entries: Entry[] = [];
  /** The position of the first entry that was not removed. */
  #first = 0;
  /** The position of the first entry whose value was not released. */
  #valued = 0;
  #bytes = 0;
  #valueBytes = 0;
  #forgotten: TimestampValue | undefined;

  /** @param forgotten the time of the last entry before the log's start */
  constructor(limits: LogLimits, forgotten?: TimestampValue) {
    this.#limits = limits;
    this.#forgotten = forgotten;
  }

  /** Returns an empty log with the same limits. @param forgotten the time of the last entry before the log's start */
  emptied(forgotten: TimestampValue | undefined): Log {
    return new Log(this.#limits, forgotten);
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  /** The entry before {@link last}. */
  get secondLast(): Entry | undefined {
    return this.size > 1 ? this.#entries.at(-2) : undefined;
  }

  get oldest(): Entry | undefined {
    return this.#entries[this.#first];
  }

  /** The time of the newest entry that was removed. */
  get forgotten(): TimestampValue | undefined {
    return this.#forgotten;
  }

  /** Appends an entry. @param entry an entry later than {@link last} */
  append(entry: Entry): void {
    this.#entries.push(entry);
    const size = sizeOf(entry);
    this.#bytes += size;
    this.#valueBytes += size;
    this.#letGo(entry.wall);
    while (this.size > 1 && this.#bytes > this.#limits.bytes) this.#forgetOldest();
    if (this.#first > 1_000 && this.#first > this.#entries.length >> 1) this.#compact();
  }

  #forgetOldest(): void {
    const entry = this.#entries[this.#first]!;
    this.#forgotten = entry.at.ts;
    const size = sizeOf(entry);
    this.#bytes -= size;
    if (this.#valued === this.#first) {
      this.#valued += 1;
      this.#valueBytes -= size;
    }
    this.#entries[this.#first] = nothing;
    this.#first += 1;
  }

  #compact(): void {
    this.#entries = this.#entries.slice(this.#first);
    this.#valued -= this.#first;
    this.#first = 0;
  }

  /** Releases values beyond the limits. The newest entry keeps its value. */
  #letGo(now: number): void {
    const { values, valueBytes, window } = this.#limits;
    for (; this.#valued < this.#entries.length - 1; this.#valued++) {
      const entry: Held = this.#entries[this.#valued]!;
      // The value of an entry was current until the next entry was written.
      const heldUntil = this.#entries[this.#valued + 1]!.wall;
      const isRecent = heldUntil > now - window && this.#entries.length - this.#valued <= values;
      if (isRecent && this.#valueBytes <= valueBytes) return;
      entry.value = undefined;
      this.#valueBytes -= sizeOf(entry);
    }
  }

  /** Returns the position of the first entry after a time. */
  #after(ts: TimestampValue): number {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareTimes(this.#entries[middle]!.at.ts, ts) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Returns the last entry at or before a time, or undefined if it was removed. */
  at(ts: TimestampValue): Entry | undefined {
    const position = this.#after(ts) - 1;
    return position < this.#first ? undefined : this.#entries[position];
  }

  /** Returns the data as of a time, or undefined if it was released. @param nowMs milliseconds since 1970 */
  valueAt(ts: TimestampValue, nowMs: number): DatabaseValue | undefined {
    this.#letGo(nowMs);
    return this.at(ts)?.value;
  }

  /** Returns the first entry after a time, if any. */
  next(ts: TimestampValue): Entry | undefined {
    return this.#entries[this.#after(ts)];
  }

  /**
   * Iterates over the entries after a time, or over all. It includes entries that are appended during the iteration.
   */
  *after(ts: TimestampValue | undefined): Generator<Entry> {
    let entry = ts === undefined ? this.oldest : this.next(ts);
    while (entry !== undefined) {
      yield entry;
      entry = this.next(entry.at.ts);
    }
  }

  /** Removes the entries after a time. Returns the removed entries, the oldest first. */
  truncateAfter(ts: TimestampValue): readonly Entry[] {
    const taken = this.#entries.splice(this.#after(ts));
    for (const entry of taken) this.#bytes -= sizeOf(entry);
    this.#valued = Math.min(this.#valued, Math.max(this.#first, this.#entries.length - 1));
    this.#valueBytes = 0;
    for (let i = this.#valued; i < this.#entries.length; i++) this.#valueBytes += sizeOf(this.#entries[i]!);
    return taken;
  }
}
