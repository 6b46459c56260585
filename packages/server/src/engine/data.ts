import type { CommandError, TimestampValue } from '@tessera/mql/engine';
import { detached } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import type { Author } from '../log/entry.js';
import type { Draft } from './database.js';

/** The data as of a cluster time. */
export interface Snapshot {
  readonly at: TimestampValue;
  readonly value: DatabaseValue;
}

/** A change that lasts while other commands run. */
export interface OpenChange {
  readonly draft: Draft;
  /** Whether the data has not changed since the change began. Otherwise the change cannot be committed. */
  isCurrent(): boolean;
  commit(): void;
}

/** The data that a command reads and writes. */
export interface Data {
  readonly value: DatabaseValue;
  /** Commits the changes of `work`. If `work` throws, nothing changes. */
  change<T>(what: string, work: (draft: Draft) => T): T;
  /** Begins a change that lasts while other commands run. Undefined: changes cannot be interrupted. */
  readonly begin?: (what: string) => OpenChange;
  /**
   * Called for a statement that failed within a batch. Returns 'stop' if the rest must not be performed; without this
   * method, the batch decides.
   */
  readonly failed?: (error: CommandError) => 'stop';
}

/** The newest committed data. A change may have an author: a session with its transaction number. */
export interface Newest {
  readonly value: DatabaseValue;
  change<T>(what: string, work: (draft: Draft) => T, author?: Author): T;
  begin(what: string, author?: Author): OpenChange;
}

/** Returns the newest data. Changes are recorded for the author. */
export const authored = (newest: Newest, { lsid, txnNumber }: Author): Data => ({
  get value() {
    return newest.value;
  },
  // The log outlives the request's buffer, so copy the author.
  change: (what, work) => newest.change(what, work, { lsid: detached(lsid), txnNumber }),
  begin: what => newest.begin(what, { lsid: detached(lsid), txnNumber }),
});
