import type { CommandError, TimestampValue } from '@tessera/mql/engine';
import { detached } from '@tessera/mql/engine';
import type { Author } from '../log/entry.js';
import type { DatabaseValue, Draft } from './database.js';

/** The data as it was at a time. */
export interface Snapshot {
  readonly at: TimestampValue;
  readonly value: DatabaseValue;
}

/** What a command reads and writes. */
export interface Data {
  readonly value: DatabaseValue;
  /** Makes the next value of it; if the work throws, nothing has changed. */
  change<T>(what: string, work: (draft: Draft) => T): T;
  /** Told of a statement that failed among others: whether those after it may be carried out is not for it to say, if it is not there. */
  readonly failed?: (error: CommandError) => 'stop';
}

/** The newest data, which may be changed in a session's name. */
export interface Newest {
  readonly value: DatabaseValue;
  change<T>(what: string, work: (draft: Draft) => T, author?: Author): T;
}

/** The newest data; what is written is written in somebody's name. */
export const authored = (newest: Newest, { lsid, txnNumber }: Author): Data => ({
  get value() {
    return newest.value;
  },
  // The request's bytes go; the author stays in the log.
  change: (what, work) => newest.change(what, work, { lsid: detached(lsid), txnNumber }),
});
