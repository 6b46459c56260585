import type { Clock, Millis } from '@tessera/contracts';
import type { TimestampValue } from '../value/value.js';
import type { DatabaseValue } from './database.js';

/** The data as it was at a time. */
export interface Snapshot {
  readonly at: TimestampValue;
  readonly value: DatabaseValue;
}

interface Kept extends Snapshot {
  readonly since: Millis;
}

/** As long as mongod keeps history for reads: `minSnapshotHistoryWindowInSeconds`. */
const historyWindow: Millis = 300_000;

/** So many at most: each holds on to whatever has been overwritten since. */
const mostKept = 1_000;

/** Values that reads with level snapshot were given: whoever names their time reads them again. */
export class Snapshots {
  readonly #clock: Clock;
  /** By time, the oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #forgetOld(): void {
    const oldest = this.#clock.now() - historyWindow;
    for (const [key, { since }] of this.#kept) {
      if (since > oldest && this.#kept.size <= mostKept) return;
      this.#kept.delete(key);
    }
  }

  keep(snapshot: Snapshot): Snapshot {
    const key = keyOf(snapshot.at);
    if (!this.#kept.has(key)) this.#kept.set(key, { ...snapshot, since: this.#clock.now() });
    this.#forgetOld();
    return snapshot;
  }

  get(at: TimestampValue): Snapshot | undefined {
    this.#forgetOld();
    return this.#kept.get(keyOf(at));
  }

  clear(): void {
    this.#kept.clear();
  }
}

const keyOf = ({ t, i }: TimestampValue): string => `${t}:${i}`;
