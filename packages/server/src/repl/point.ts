import type { DatabaseValue } from '../engine/database.js';
import type { OpTime } from '../log/op-time.js';

/** A position in the oplog, with the data at that position. */
export interface Point {
  readonly at: OpTime;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly value: DatabaseValue;
}
