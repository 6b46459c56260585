/** A position in the oplog, with the data at that position. */
export interface Point {
  readonly at: OpTime;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly value: DatabaseValue;
}
import type { DatabaseValue, OpTime } from '@tessera/store';
