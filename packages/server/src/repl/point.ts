import type { DatabaseValue } from '../engine/database.js';
import type { OpTime } from '../log/op-time.js';

/** A place in the history with the data as it was there. */
export interface Point {
  readonly at: OpTime;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly value: DatabaseValue;
}
