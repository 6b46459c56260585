import type { Soon } from '@tessera/contracts';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { isJournaled } from '../commands/concerns.js';
import { fail } from '../errors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { toSafeInteger } from '../value/numbers.js';
import { showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber } from '../value/value.js';
import type { Member } from './member.js';
import { opTimeDoc } from '../log/op-time.js';

/** Rule: Retryable Writes, "Supported Write Operations". */
const retryable: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);

/** Their replies tell where in the history the write is. */
const placed: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);

const readsBesides: ReadonlySet<string> = new Set([
  ...['listCollections', 'listIndexes', 'listDatabases', 'collStats', 'dbStats', 'validate'],
]);

const writesBesides = (command: Command, { body }: Call): boolean => {
  if (command.name === 'mapReduce') {
    const out = body.get('out');
    return !isDoc(out) || !out.has('inline');
  }
  if (command.name !== 'aggregate') return command.writeConcern;
  const pipeline = body.get('pipeline');
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDoc(last) && (last.has('$out') || last.has('$merge'));
};

const mayBeStale = ({ body }: Call): boolean => {
  const preference = body.get('$readPreference');
  const mode = isDoc(preference) ? preference.get('mode') : undefined;
  return mode !== undefined && mode !== 'primary';
};

/** @throws CommandError 10107 for a write, 13435 for a read that is for a primary, on a member that is none */
const checkState = (member: Member, call: Call, command: Command): void => {
  if (member.isPrimary) return;
  if (writesBesides(command, call)) throw fail('NotWritablePrimary', 'not primary');
  const reads = command.readConcern || command.writeConcern || readsBesides.has(command.name);
  if (reads && !mayBeStale(call)) throw fail('NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false');
};

/** What a write concern asks that one member cannot give; the write has happened all the same. */
const unsatisfied = (w: Value | undefined): readonly [code: number, name: string, why: string] | undefined => {
  if (w === undefined || w === 'majority') return undefined;
  if (typeof w === 'string') {
    const why = `No write concern mode named '${w}' found in replica set configuration`;
    return [79, 'UnknownReplWriteConcern', why];
  }
  if (isDoc(w)) {
    return [100, 'UnsatisfiableWriteConcern', `Not enough nodes match write concern mode ${showDoc(w)}: none has tags`];
  }
  const members = isNumber(w) ? toSafeInteger(w) : undefined;
  return members === undefined || members <= 1
    ? undefined
    : [100, 'UnsatisfiableWriteConcern', 'Not enough data-bearing nodes'];
};

const concernError = (call: Call): readonly Entry[] => {
  const concern = call.generic.writeConcern;
  const wrong = unsatisfied(concern?.get('w'));
  if (concern === undefined || wrong === undefined) return [];
  const [code, codeName, errmsg] = wrong;
  const given = Doc.of([
    ['w', concern.get('w')!],
    ['wtimeout', concern.get('wtimeout') ?? 0],
    ['provenance', 'clientSupplied'],
  ]);
  const error = Doc.of([
    ['code', code],
    ['codeName', codeName],
    ['errmsg', errmsg],
    ['errInfo', Doc.of([['writeConcern', given]])],
  ]);
  return [['writeConcernError', error]];
};

/** Which statements had been carried out before. */
const retried = ({ write }: Call, command: Command): readonly Entry[] => {
  if (write === undefined || write.retried.length === 0) return [];
  return command.name === 'findAndModify'
    ? [['retriedStmtId', write.retried[0]!]]
    : [['retriedStmtIds', write.retried]];
};

const finished = (member: Member, call: Call, command: Command, reply: Fields | Reply): Fields | Reply => {
  if (command.writeConcern && isJournaled(call.generic.writeConcern, call.engine)) call.engine.flush();
  const place: readonly Entry[] = placed.has(command.name)
    ? [
        ['electionId', member.electionId],
        ['opTime', opTimeDoc(member.opTime)],
      ]
    : [];
  const more = [...concernError(call), ...place, ...retried(call, command)];
  if (more.length === 0) return reply;
  return 'fields' in reply ? { ...reply, fields: [...reply.fields, ...more] } : [...reply, ...more];
};

/** Carries out a command as a member of a replica set does: a write only on a primary, and a retried one only once. */
export const replicated = (
  member: Member,
  call: Call,
  command: Command,
  work: () => Soon<Fields | Reply>,
): Soon<Fields | Reply> => {
  checkState(member, call, command);
  const { write } = call;
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
    const reply = work();
    return reply instanceof Promise
      ? reply.then(done => finished(member, call, command, done))
      : finished(member, call, command, reply);
  } finally {
    write?.end();
  }
};
