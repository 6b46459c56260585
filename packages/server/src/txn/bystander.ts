import type { Guard } from '../engine/database.js';
import type { Ending } from './blocked.js';
import { Blocked } from './blocked.js';
import { claimOfKey, claimOfNamespace, claimOfRecord, uniqueKeysOf } from './claims.js';
import type { Pending } from './pending.js';

const heed = (owner: Ending | undefined): void => {
  if (owner !== undefined) throw new Blocked(owner);
};

/**
 * Whoever writes outside of transactions waits for those that have written the same, and whoever wants a collection to be another one for those
 * that have used it. @throws Blocked
 */
export const bystander = (pending: Pending<Ending>): Guard => ({
  row: write => {
    const { ns } = write.collection.settings;
    if (pending.writerIn(ns) === undefined) return;
    heed(pending.ownerOf(claimOfNamespace(ns)));
    if (write.record !== undefined) heed(pending.ownerOf(claimOfRecord(ns, write.record)));
    for (const key of uniqueKeysOf(write)) heed(pending.ownerOf(claimOfKey(ns, key)));
  },
  indexed: ({ settings: { ns } }) => heed(pending.writerIn(ns)),
  noted: op => {
    if (op.kind === 'insert' || op.kind === 'update' || op.kind === 'delete' || !('ns' in op)) return;
    heed(pending.writerIn(op.ns));
    // What is made takes nothing from those who know that it was not there.
    if (op.kind !== 'create') heed(pending.userOf(op.ns));
    if (op.kind === 'rename') heed(pending.userOf(op.to));
  },
});
