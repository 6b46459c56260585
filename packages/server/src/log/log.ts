import type { Millis } from '@tessera/contracts';
import { TimestampValue } from '@tessera/mql/engine';
import type { Doc } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import type { Entry } from './entry.js';
import type { Op } from './op.js';
import { compareTimes } from './op-time.js';

export interface LogLimits {
  /** About how many bytes of memory the log's entries may take. */
  readonly bytes: number;
  /** So many of the newest entries keep the value after them: each holds on to whatever has been overwritten since. */
  readonly values: number;
  /** About how many bytes of memory those entries may take. */
  readonly valueBytes: number;
  /** How long they keep it: mongod's `minSnapshotHistoryWindowInSeconds`. */
  readonly window: Millis;
}

/** Returns the limits of a log that may take this many bytes. */
export const logLimitsOf = (bytes: number): LogLimits => ({
  bytes,
  values: 1_000,
  valueBytes: bytes / 2,
  window: 300_000,
});

/** An entry whose value may be let go. */
type Held = Omit<Entry, 'value'> & { value: DatabaseValue | undefined };

/** Stands where an entry is forgotten until its place is used again. */
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

/** What an entry and each of its ops take beside the documents in them, in bytes: measured. */
const entryBytes = 1_024;
const opBytes = 256;

/** What a document of the past takes: a small one three times the bytes of its BSON. */
const pastBytes = ({ byteLength }: Doc): number => byteLength + Math.min(2 * byteLength, 2_048);

const bytesOf = (op: Op): number => {
  switch (op.kind) {
    case 'insert':
      // Mostly it is part of the data as well.
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

/** What a member of a set has committed, in order. The oldest is forgotten when it grows too long. */
export class Log {
  readonly #limits: LogLimits;
  #entries: Entry[] = [];
  /** Before this position entries are forgotten. */
  #first = 0;
  /** Before this position values are let go. */
  #valued = 0;
  #bytes = 0;
  #valueBytes = 0;
  #forgotten: TimestampValue | undefined;

  /** @param forgotten when the last was written before it */
  constructor(limits: LogLimits, forgotten?: TimestampValue) {
    this.#limits = limits;
    this.#forgotten = forgotten;
  }

  /** An empty log of the same limits. @param forgotten when the last was written before it */
  emptied(forgotten: TimestampValue | undefined): Log {
    return new Log(this.#limits, forgotten);
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  /** The one before {@link last}. */
  get secondLast(): Entry | undefined {
    return this.size > 1 ? this.#entries.at(-2) : undefined;
  }

  get oldest(): Entry | undefined {
    return this.#entries[this.#first];
  }

  /** When the newest of those was written that have been forgotten. */
  get forgotten(): TimestampValue | undefined {
    return this.#forgotten;
  }

  /** @param entry later than {@link last} */
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

  /** The newest keeps its value. */
  #letGo(now: number): void {
    const { values, valueBytes, window } = this.#limits;
    for (; this.#valued < this.#entries.length - 1; this.#valued++) {
      const entry: Held = this.#entries[this.#valued]!;
      // An entry's value held until the next one was made.
      const heldUntil = this.#entries[this.#valued + 1]!.wall;
      const isRecent = heldUntil > now - window && this.#entries.length - this.#valued <= values;
      if (isRecent && this.#valueBytes <= valueBytes) return;
      entry.value = undefined;
      this.#valueBytes -= sizeOf(entry);
    }
  }

  /** The position of the first entry later than that. */
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

  /** The last entry at that time or before it; undefined if it is forgotten. */
  at(ts: TimestampValue): Entry | undefined {
    const position = this.#after(ts) - 1;
    return position < this.#first ? undefined : this.#entries[position];
  }

  /** The data as it was at that time; undefined if it is let go. @param nowMs since 1970 */
  valueAt(ts: TimestampValue, nowMs: number): DatabaseValue | undefined {
    this.#letGo(nowMs);
    return this.at(ts)?.value;
  }

  /** The first entry after that time, if there is one. */
  next(ts: TimestampValue): Entry | undefined {
    return this.#entries[this.#after(ts)];
  }

  /** The entries after that time, or all; those that come while it is walked too. */
  *after(ts: TimestampValue | undefined): Generator<Entry> {
    let entry = ts === undefined ? this.oldest : this.next(ts);
    while (entry !== undefined) {
      yield entry;
      entry = this.next(entry.at.ts);
    }
  }

  /** Takes back what came after an entry of this log. Returns what is taken back, the oldest first. */
  truncateAfter(ts: TimestampValue): readonly Entry[] {
    const taken = this.#entries.splice(this.#after(ts));
    for (const entry of taken) this.#bytes -= sizeOf(entry);
    this.#valued = Math.min(this.#valued, Math.max(this.#first, this.#entries.length - 1));
    this.#valueBytes = 0;
    for (let i = this.#valued; i < this.#entries.length; i++) this.#valueBytes += sizeOf(this.#entries[i]!);
    return taken;
  }
}
