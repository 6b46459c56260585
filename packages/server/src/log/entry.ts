import type { DatabaseValue } from '../engine/database.js';
import type { Doc } from '../value/doc.js';
import type { Op } from './op.js';
import type { OpTime } from './op-time.js';

/** In whose name something was written. */
export interface Author {
  readonly lsid: Doc;
  readonly txnNumber: bigint;
}

/** What one commit did: a command's writes, or those of a transaction. It is handed from member to member as it is. */
export interface Entry {
  readonly at: OpTime;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly ops: readonly Op[];
  /** Undefined: no transaction number was given. */
  readonly author: Author | undefined;
  /** All ops are those of one transaction. */
  readonly transaction: boolean;
  /** The data after it; undefined once it is let go, see `Log`. */
  readonly value: DatabaseValue | undefined;
}
