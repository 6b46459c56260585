import type { TimestampValue } from '@tessera/mql/engine';
import { BinaryValue, Doc } from '@tessera/mql/engine';
import type { Collection, DatabaseValue } from '@tessera/store';
import { Tree, recordKey, compareTimes } from '@tessera/store';
import type { Entry } from './entry.js';
import type { Log } from './log.js';
import { oplogDocuments } from './oplog-entry.js';

const ns = 'local.oplog.rs';

/** Returns an empty collection. Like mongod's, it has no index. */
const emptyOf = (size: number): Collection => ({
  settings: {
    ns,
    uuid: new BinaryValue(4, new Uint8Array(16)),
    options: Doc.of([
      ['capped', true],
      ['size', BigInt(size)],
    ]),
    capped: { size, max: Number.POSITIVE_INFINITY },
    validator: undefined,
  },
  records: Tree.empty(),
  nextRecord: 1,
  bytes: 0,
  indexes: [],
});

/** A member's log as the capped collection `local.oplog.rs`. It is read-only, and built when a client reads it. */
export class Oplog {
  readonly #empty: Collection;
  #collection: Collection;
  #first: number;
  #upTo: Entry | undefined;
  #over: { readonly base: DatabaseValue; readonly value: DatabaseValue } | undefined;

  /** @param size the maximum size of the log in bytes */
  constructor(size: number) {
    this.#empty = emptyOf(size);
    this.#collection = this.#empty;
    this.#first = this.#empty.nextRecord;
  }

  /** Returns the data with the log added. */
  over(base: DatabaseValue, log: Log): DatabaseValue {
    if (this.#over?.base === base && this.#upTo === log.last) return this.#over.value;
    this.#follow(log);
    const value = { ...base, namespaces: base.namespaces.set(ns, this.#collection, { for: ns }) };
    this.#over = { base, value };
    return value;
  }

  #follow(log: Log): void {
    // If the entry was rolled back, or removed before it was copied, start again. Tailing cursors on it have lost their
    // position.
    if (this.#upTo !== undefined && log.at(this.#upTo.at.ts) !== this.#upTo) this.#begin();
    const edit = { for: ns };
    let { records, nextRecord, bytes } = this.#collection;
    for (const entry of log.after(this.#upTo?.at.ts)) {
      for (const doc of oplogDocuments(entry)) {
        records = records.set(recordKey(nextRecord), doc, edit);
        nextRecord += 1;
        bytes += doc.byteLength;
      }
      this.#upTo = entry;
    }
    for (; this.#first < nextRecord; this.#first++) {
      const key = recordKey(this.#first);
      const oldest = records.get(key)!;
      if (log.forgotten === undefined || compareTimes(oldest.get('ts') as TimestampValue, log.forgotten) > 0) break;
      bytes -= oldest.byteLength;
      records = records.delete(key, edit);
    }
    this.#collection = { ...this.#empty, records, nextRecord, bytes };
  }

  /** Continues the record numbers, because they must not be reused. */
  #begin(): void {
    const { nextRecord } = this.#collection;
    this.#collection = { ...this.#empty, nextRecord };
    this.#first = nextRecord;
    this.#upTo = undefined;
  }
}
