import type { Document } from '@tessera/contracts';
import { call, property } from '../facade.js';
import type { Operation } from '../format.js';
import type { SessionEntity } from '../session-entity.js';
import { row } from './table.js';
import type { Table } from './table.js';

const transactions = 'readConcern writeConcern readPreference maxCommitTimeMS';

/** Runs an operation inside another. Rethrows its error even if it was expected. */
export type RunInner = (operation: Operation) => Promise<void>;

/** Returns the session operations. `withTransaction` runs its callback's operations with `runInner`. */
export const onSessions = (runInner: RunInner): Table<SessionEntity> => ({
  abortTransaction: row('', '', ({ session }, _, options) => call(session, 'abortTransaction', options)),
  commitTransaction: row('', '', ({ session }, _, options) => call(session, 'commitTransaction', options)),
  endSession: row('', '', session => session.end()),
  getSnapshotTime: row('', '', ({ session }) => property(session, 'snapshotTime')),
  startTransaction: row('', transactions, ({ session }, _, options) => call(session, 'startTransaction', options)),
  withTransaction: row('callback', transactions, ({ session }, { callback }, options: Document) =>
    call(
      session,
      'withTransaction',
      async () => {
        for (const operation of callback as readonly Operation[]) await runInner(operation);
      },
      options,
    ),
  ),
});
