import type { Guard } from '../engine/database.js';
import type { Ending } from './blocked.js';
import { Blocked } from './blocked.js';
import { claimOfKey, claimOfNamespace, claimOfRecord, uniqueKeysOf } from './claims.js';
import type { Pending } from './pending.js';

const throwIfBlocked = (owner: Ending | undefined): void => {
  if (owner !== undefined) throw new Blocked(owner);
};

/**
 * Returns the guard of writes outside of transactions. A write waits for transactions that have written the same
 * document. A change of a collection's definition waits for transactions that have used the collection.
 * @throws Blocked
 */
export const outsideGuard = (pending: Pending<Ending>): Guard => ({
  row: write => {
    const { ns } = write.collection.settings;
    if (pending.writerIn(ns) === undefined) return;
    throwIfBlocked(pending.ownerOf(claimOfNamespace(ns)));
    if (write.record !== undefined) throwIfBlocked(pending.ownerOf(claimOfRecord(ns, write.record)));
    for (const key of uniqueKeysOf(write)) throwIfBlocked(pending.ownerOf(claimOfKey(ns, key)));
  },
  indexed: ({ settings: { ns } }) => throwIfBlocked(pending.writerIn(ns)),
  noted: op => {
    if (op.kind === 'insert' || op.kind === 'update' || op.kind === 'delete' || !('ns' in op)) return;
    throwIfBlocked(pending.writerIn(op.ns));
    // Creating a collection does not affect transactions that found it missing.
    if (op.kind !== 'create') throwIfBlocked(pending.userOf(op.ns));
    if (op.kind === 'rename') throwIfBlocked(pending.userOf(op.to));
  },
});
