import type { Millis, Soon } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { CommandError, fail, isDoc } from '@tessera/mql/engine';
import { opTimeDoc } from '@tessera/store';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { endsTransaction } from '../txn/allowed.js';
import { acknowledged } from './acknowledgement.js';
import { attemptedOf, labelsFor, noSuchTransaction } from './labels.js';
import { checkLiveOplog } from './live-oplog.js';
import type { Member } from './member.js';
import { halved, isForSecondary, outputOf, writerFor } from './secondary-output.js';

/** Commands that can be retried. Rule: Retryable Writes, "Supported Write Operations". */
const retryable: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);

/** Commands whose replies contain the optime of the write. */
const placed: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);

const readsBesides: ReadonlySet<string> = new Set([
  ...['listCollections', 'listIndexes', 'listDatabases', 'collStats', 'dbStats', 'validate'],
]);

const writesBesides = (command: Command, call: Call): boolean => {
  if (command.name === 'mapReduce') {
    const out = call.body.get('out');
    return !isDoc(out) || !out.has('inline');
  }
  return command.name === 'aggregate' ? outputOf(call) !== undefined : command.writeConcern;
};

const mayBeStale = ({ body }: Call): boolean => {
  const preference = body.get('$readPreference');
  const mode = isDoc(preference) ? preference.get('mode') : undefined;
  return mode !== undefined && mode !== 'primary';
};

/** A command that is being executed. */
interface Work {
  readonly member: Member;
  readonly call: Call;
  readonly command: Command;
  /** The clock's time at which the command started. */
  readonly begun: Millis;
  /** Whether the member reads and the primary writes. */
  readonly isShared: boolean;
}

/**
 * Checks that the member may execute the command.
 * @throws CommandError 10107 for a write and 13435 for a primary read, if it is not the primary
 */
export const checkState = (member: Member, call: Call, command: Command): void => {
  if (member.isPrimary) return;
  const isShared = mayBeStale(call) && isForSecondary(call, command);
  if (writesBesides(command, call) && !isShared) {
    // A client that does not read replies notices the failure by the closed connection.
    if (call.generic.writeConcern?.get('w') === 0) call.client.peer.close();
    throw fail('NotWritablePrimary', 'not primary');
  }
  const reads = command.readConcern || command.writeConcern || readsBesides.has(command.name);
  if (reads && !mayBeStale(call)) throw fail('NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false');
  if (!member.isReadable && (reads || command.name === 'getMore')) {
    throw fail('NotPrimaryOrSecondary', 'node is not in primary or recovering state');
  }
};

/** Returns the field with the ids of statements that an earlier attempt has performed. */
const retried = ({ write }: Call, command: Command): readonly Entry[] => {
  if (write === undefined || write.retried.length === 0) return [];
  return command.name === 'findAndModify'
    ? [['retriedStmtId', write.retried[0]!]]
    : [['retriedStmtIds', write.retried]];
};

const withMore = (reply: Fields | Reply, more: Fields): Fields | Reply => {
  if (more.length === 0) return reply;
  return 'fields' in reply ? { ...reply, fields: [...reply.fields, ...more] } : [...reply, ...more];
};

/** Returns the error labels of a write whose write concern has failed. */
const labelsOfConcern = ({ generic, engine }: Call, command: Command, [error]: Fields): Fields => {
  const code = error !== undefined && isDoc(error[1]) ? error[1].get('code') : undefined;
  if (typeof code !== 'number') return [];
  const labels = labelsFor(attemptedOf(generic, command), { code: undefined, concernCode: code }, engine.version);
  return labels.length === 0 ? [] : [['errorLabels', labels]];
};

/** Waits for the write concern, and completes the reply. */
const finished = ({ member, call, command, begun, isShared }: Work, reply: Fields | Reply): Soon<Fields | Reply> => {
  const place: readonly Entry[] = placed.has(command.name)
    ? [
        ['electionId', member.electionId],
        ['opTime', opTimeDoc(member.opTime)],
      ]
    : [];
  const more = [...place, ...retried(call, command)];
  const isStatement = call.generic.transaction !== undefined && !endsTransaction(command);
  if (isStatement || !writesBesides(command, call)) return withMore(reply, more);
  const concern = acknowledged(isShared ? writerFor(member, call) : member, call, begun);
  const answer = (error: Fields): Fields | Reply =>
    withMore(reply, [...error, ...labelsOfConcern(call, command, error), ...more]);
  return concern instanceof Promise ? concern.then(answer) : answer(concern);
};

/**
 * Waits for the write concern of a failed command too, because its error may result from a recent write. For an unknown
 * transaction, a majority must confirm that this member is the primary, because the transaction may have been committed
 * elsewhere.
 */
const failed = ({ member, call, command, begun }: Work, error: unknown): Promise<never> | never => {
  const { writeConcern, transaction } = call.generic;
  if (writeConcern === undefined || !member.isPrimary || !(error instanceof CommandError)) throw error;
  const isUnknown = error.code === noSuchTransaction && endsTransaction(command);
  if (!isUnknown && (transaction !== undefined || !writesBesides(command, call))) throw error;
  if (isUnknown) member.engine.noop('NoSuchTransaction error');
  const withConcern = (field: Fields): never => {
    throw new CommandError(error.code, error.message, [...error.extra, ...field], error.labels);
  };
  const concern = acknowledged(member, call, begun);
  return concern instanceof Promise ? concern.then(withConcern) : withConcern(concern);
};

const carriedOut = (doing: Work, work: () => Soon<Fields | Reply>): Soon<Fields | Reply> => {
  let reply: Soon<Fields | Reply>;
  try {
    reply = work();
  } catch (error) {
    return failed(doing, error);
  }
  if (!(reply instanceof Promise)) return finished(doing, reply);
  return reply.then(
    settled => finished(doing, settled),
    (error: unknown) => failed(doing, error),
  );
};

/** Executes a command on a replica set member. Writes require a primary, and a retried write is performed only once. */
export const replicated = (
  member: Member,
  call: Call,
  command: Command,
  work: (call: Call) => Soon<Fields | Reply>,
): Soon<Fields | Reply> => {
  checkState(member, call, command);
  if (command.writeConcern) checkLiveOplog(call, command);
  const { write } = call;
  const isShared = !member.isPrimary && isForSecondary(call, command);
  // Fail early without a primary.
  if (isShared) writerFor(member, call);
  const doing: Work = { member, call, command, begun: call.engine.clock.now(), isShared };
  if (write !== undefined) {
    if (!retryable.has(command.name)) {
      throw fail(
        50768,
        `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
      );
    }
    write.begin();
  }
  try {
    const done = carriedOut(doing, () => work(isShared ? { ...call, data: halved(member, call) } : call));
    return done instanceof Promise ? member.inFlight.guard(done) : done;
  } finally {
    write?.end();
  }
};
