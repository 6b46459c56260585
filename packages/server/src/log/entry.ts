import type { Doc, TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue, OpTime } from '@tessera/store';
import type { Op } from './op.js';

/** The session and transaction number of a write. */
export interface Author {
  readonly lsid: Doc;
  readonly txnNumber: bigint;
}

/**
 * An oplog entry: the operations of one commit, which are those of a command or of a transaction. Members share entry
 * objects.
 */
export interface Entry {
  /** The optime of the last step. */
  readonly at: OpTime;
  /** The time of the first step: see `Step`. */
  readonly first: TimestampValue;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly ops: readonly Op[];
  /** Undefined: the write had no transaction number. */
  readonly author: Author | undefined;
  /** Whether the operations form a transaction. */
  readonly transaction: boolean;
  /** Whether inserts were done in batches, as from 8.0 on. */
  readonly batches: boolean;
  /** The data after the entry; undefined once it was released, see `Log`. */
  readonly value: DatabaseValue | undefined;
}
