import type { Millis, Soon } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { CommandError, fail, isDoc } from '@tessera/mql/engine';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { opTimeDoc } from '../log/op-time.js';
import { endsTransaction } from '../txn/allowed.js';
import { acknowledged } from './acknowledgement.js';
import { attemptedOf, labelsFor, noSuchTransaction } from './labels.js';
import { checkLiveOplog } from './live-oplog.js';
import type { Member } from './member.js';
import { halved, isForSecondary, outputOf, writerFor } from './secondary-output.js';

/** Rule: Retryable Writes, "Supported Write Operations". */
const retryable: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);

/** Their replies tell where in the history the write is. */
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

/** One command at work. */
interface Work {
  readonly member: Member;
  readonly call: Call;
  readonly command: Command;
  /** On the clock. */
  readonly begun: Millis;
  /** The member reads, and the primary writes. */
  readonly isShared: boolean;
}

/** @throws CommandError 10107 for a write, 13435 for a read that is for a primary, on a member that is none */
export const checkState = (member: Member, call: Call, command: Command): void => {
  if (member.isPrimary) return;
  const isShared = mayBeStale(call) && isForSecondary(call, command);
  if (writesBesides(command, call) && !isShared) {
    // Whoever wants no answer is to find out all the same.
    if (call.generic.writeConcern?.get('w') === 0) call.client.peer.close();
    throw fail('NotWritablePrimary', 'not primary');
  }
  const reads = command.readConcern || command.writeConcern || readsBesides.has(command.name);
  if (reads && !mayBeStale(call)) throw fail('NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false');
  if (!member.isReadable && (reads || command.name === 'getMore')) {
    throw fail('NotPrimaryOrSecondary', 'node is not in primary or recovering state');
  }
};

/** Which statements had been carried out before. */
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

/** A write that has happened, and nobody knows whether it will stay. */
const labelsOfConcern = ({ generic, engine }: Call, command: Command, [error]: Fields): Fields => {
  const code = error !== undefined && isDoc(error[1]) ? error[1].get('code') : undefined;
  if (typeof code !== 'number') return [];
  const labels = labelsFor(attemptedOf(generic, command), { code: undefined, concernCode: code }, engine.version);
  return labels.length === 0 ? [] : [['errorLabels', labels]];
};

/** A write is answered when it is where its write concern wants it. */
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
 * Who gave a write concern is told of it also when the command fails: what made it fail may have been written just before. That there is no
 * such transaction counts once a majority has heard it of this primary: another may have committed it.
 */
const failed = ({ member, call, command, begun }: Work, error: unknown): Promise<never> | never => {
  const { writeConcern, transaction } = call.generic;
  if (writeConcern === undefined || !member.isPrimary || !(error instanceof CommandError)) throw error;
  const isUnknown = error.code === noSuchTransaction && endsTransaction(command);
  if (!isUnknown && (transaction !== undefined || !writesBesides(command, call))) throw error;
  if (isUnknown) member.engine.noop('NoSuchTransaction error');
  const told = (field: Fields): never => {
    throw new CommandError(error.code, error.message, [...error.extra, ...field], error.labels);
  };
  const concern = acknowledged(member, call, begun);
  return concern instanceof Promise ? concern.then(told) : told(concern);
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

/** Carries out a command as a member of a replica set does: a write only on a primary, and a retried one only once. */
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
  // Without a primary it is not begun.
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
