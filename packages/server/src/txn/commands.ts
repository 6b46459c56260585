import type { Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, object } from '../commands/schema.js';
import { numberedOf } from './within.js';

/** A shard accepts a recovery token, but has nothing to recover. */
const schema = { recoveryToken: object(), commitTimestamp: any() };

const commitTransaction = command({
  name: 'commitTransaction',
  schema,
  adminOnly: true,
  writeConcern: true,
  stable: true,
  help: 'Commits a transaction. It can be repeated, and then has the same result.',
  run: call => {
    call.engine.transactions.commit(numberedOf(call));
    return [];
  },
});

const abortTransaction = command({
  name: 'abortTransaction',
  schema,
  adminOnly: true,
  writeConcern: true,
  stable: true,
  help: 'Aborts a transaction.',
  run: call => {
    const numbered = numberedOf(call);
    const { transactions } = call.engine;
    transactions.resume(numbered);
    transactions.abort(numbered.session);
    return [];
  },
});

export const transactionCommands: readonly Command[] = [commitTransaction, abortTransaction];
