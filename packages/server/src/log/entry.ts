import type { Doc, TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import type { Op } from './op.js';
import type { OpTime } from './op-time.js';

/** In whose name something was written. */
export interface Author {
  readonly lsid: Doc;
  readonly txnNumber: bigint;
}

/** What one commit did: a command's writes, or those of a transaction. It is handed from member to member as it is. */
export interface Entry {
  /** Of the last of its steps. */
  readonly at: OpTime;
  /** Of the first of its steps: see `Step`. */
  readonly first: TimestampValue;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly ops: readonly Op[];
  /** Undefined: no transaction number was given. */
  readonly author: Author | undefined;
  /** All ops are those of one transaction. */
  readonly transaction: boolean;
  /** Inserts of it were done in batches, as from 8.0 on. */
  readonly batches: boolean;
  /** The data after it; undefined once it is let go, see `Log`. */
  readonly value: DatabaseValue | undefined;
}
