import { fail, isArray, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Call, Command } from '../commands/command.js';
import { internalDatabases } from '../engine/database.js';

/** Commands that are allowed in transactions. Rule: "Transactions and Operations". */
const allowed: ReadonlySet<string> = new Set([
  'abortTransaction',
  'aggregate',
  'bulkWrite',
  'commitTransaction',
  'delete',
  'distinct',
  'find',
  'findAndModify',
  'getMore',
  'insert',
  'killCursors',
  'update',
]);

const writing: ReadonlySet<string> = new Set(['delete', 'findAndModify', 'insert', 'update']);

/** Commands that are allowed in transactions from 4.4 on. */
const allowedLater: ReadonlySet<string> = new Set(['create', 'createIndexes']);

/** Commands on the database `admin` that are allowed, because they do not write to it. */
const administrative: ReadonlySet<string> = new Set(['abortTransaction', 'bulkWrite', 'commitTransaction']);

/** Stages that have other effects, or do not read data. */
const refusedStages: ReadonlySet<string> = new Set([
  '$changeStream',
  '$collStats',
  '$currentOp',
  '$indexStats',
  '$listLocalSessions',
  '$listSearchIndexes',
  '$listSessions',
  '$merge',
  '$out',
  '$planCacheStats',
  '$search',
  '$searchMeta',
  '$vectorSearch',
]);

const notIn = (message: string): Error => fail('OperationNotSupportedInTransaction', message);

export const endsTransaction = ({ name }: Pick<Command, 'name'>): boolean =>
  name === 'commitTransaction' || name === 'abortTransaction';

/** Checks that a command is allowed in transactions. @throws CommandError 263 */
export const checkAllowed = ({ db, body, spelling, engine, generic }: Call, { name }: Command): void => {
  if (name === 'count') {
    throw notIn(
      "Cannot run 'count' in a multi-document transaction. Please see http://dochub.mongodb.org/core/transaction-count for a recommended alternative.",
    );
  }
  if (!allowed.has(name) && !(allowedLater.has(name) && isAtLeast(engine.version, '4.4')))
    throw notIn(`Cannot run '${spelling}' in a multi-document transaction.`);
  if (name === 'killCursors' && generic.transaction === 'start')
    throw notIn('Cannot run killCursors as the first operation in a multi-document transaction.');
  const target = writing.has(name) ? body.entries()[0]![1] : undefined;
  if (target === 'system.profile') throw notIn(`Cannot write to ${db}.system.profile in a transaction.`);
  if (typeof target === 'string' && target.startsWith('system.') && !target.startsWith('system.buckets.'))
    throw fail(50791, `Cannot write to system collection ${db}.${target} within a transaction.`);
  // A bulkWrite's cursor is in the database `admin`.
  if (administrative.has(name) || name === 'getMore') return;
  if (internalDatabases.has(db)) throw notIn(`Cannot run command against the '${db}' database in a transaction.`);
  const pipeline = name === 'aggregate' ? body.get('pipeline') : undefined;
  const stages = isArray(pipeline) ? pipeline.map(stage => (isDoc(stage) ? stage.keys()[0] : undefined)) : [];
  const refused = stages.find(stage => stage !== undefined && refusedStages.has(stage));
  if (refused !== undefined) throw notIn(`Stage not supported inside of a multi-document transaction: ${refused}`);
};
