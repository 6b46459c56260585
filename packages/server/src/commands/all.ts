import { saslCommands } from '../auth/sasl-commands.js';
import { roleCommands } from '../auth/role-commands.js';
import { userCommands } from '../auth/user-commands.js';
import { aggregate } from './aggregate.js';
import { applyOps } from './apply-ops.js';
import { bulkWrite } from './bulk-write.js';
import { cappedCommands } from './capped.js';
import { collStats } from './coll-stats.js';
import { collectionCommands } from './collections.js';
import { counting } from './count-distinct.js';
import { cursorCommands } from './cursors.js';
import { deleteCommand } from './delete.js';
import { diagnostics, listCommands } from './diagnostics.js';
import { explain } from './explain.js';
import { findAndModify } from './find-and-modify.js';
import { find } from './find.js';
import { hello, isMaster } from './hello.js';
import { indexCommands } from './indexes.js';
import { insert } from './insert.js';
import { maintenance } from './maintenance.js';
import { mapReduce } from './map-reduce.js';
import { profile } from './profile.js';
import type { Registry } from './registry.js';
import { createRegistry } from './registry.js';
import { sessionCommands } from './sessions.js';
import { operationCommands } from './operation-commands.js';
import { testCommands } from './test-commands.js';
import { update } from './update.js';
import { upkeep } from './upkeep.js';
import { replicationCommands } from '../repl/commands.js';
import { searchCommands } from '../search/commands.js';
import { transactionCommands } from '../txn/commands.js';

/** Creates the registry of all commands. @param forTests whether to include the commands for tests */
export const createCommands = (forTests: boolean): Registry => {
  const registry: Registry = createRegistry([
    hello,
    isMaster,
    ...diagnostics,
    listCommands(() => registry),
    insert,
    update,
    deleteCommand,
    find,
    ...cursorCommands,
    aggregate,
    mapReduce,
    ...counting,
    findAndModify,
    ...collectionCommands,
    ...indexCommands,
    ...searchCommands,
    collStats,
    ...sessionCommands,
    ...transactionCommands,
    bulkWrite,
    explain,
    ...maintenance,
    ...cappedCommands,
    applyOps,
    ...upkeep,
    ...operationCommands,
    ...replicationCommands,
    ...saslCommands,
    ...userCommands,
    ...roleCommands,
    profile,
    ...(forTests ? testCommands : []),
  ]);
  return registry;
};
