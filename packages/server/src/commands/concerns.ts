import type { Snapshot } from '../engine/data.js';
import { isAtLeast } from '../engine/version.js';
import { fail } from '../errors.js';
import { compareTimes } from '../log/op-time.js';
import type { Member } from '../repl/member.js';
import { toSafeInteger } from '../value/numbers.js';
import { show, showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isDoc, isNumber, TimestampValue, typeName } from '../value/value.js';
import { endsTransaction } from '../txn/allowed.js';
import type { Command, GenericArgs, ServerState } from './command.js';
import { any, parseFields, string } from './schema.js';
import type { Args } from './schema.js';

const concernSchema = {
  w: any(),
  j: any(),
  fsync: any(),
  wtimeout: any(),
  provenance: string(),
};

/** @throws CommandError 72 */
const checkWithin = (transaction: GenericArgs['transaction'], command: Command): void => {
  if (transaction === undefined || endsTransaction(command)) return;
  throw fail('InvalidOptions', 'writeConcern is not allowed within a multi-statement transaction');
};

/** A standalone has nobody to wait for; a member of a set says so when the write has happened. @throws CommandError 2, 9, 72, 40415 */
export const checkWriteConcern = (
  { writeConcern: concern, transaction }: Pick<GenericArgs, 'writeConcern' | 'transaction'>,
  command: Command,
  server: ServerState,
): void => {
  if (concern === undefined) return;
  checkWithin(transaction, command);
  if (!command.writeConcern) throw fail('InvalidOptions', `Command ${command.name} does not support writeConcern`);
  const { w, j } = parseFields(concern, concernSchema, 'writeConcern', server.engine.version);
  if (j !== undefined && typeof j !== 'boolean' && !isNumber(j)) {
    throw fail('FailedToParse', 'j must be numeric or a boolean value');
  }
  if (w === undefined || w === 'majority') return;
  const isMember = server.member !== undefined;
  if (typeof w === 'string') {
    if (isMember) return;
    throw fail('BadValue', `cannot use non-majority 'w' mode ${w} when a host is not a member of a replica set`);
  }
  if (isDoc(w) && isMember) return;
  if (!isNumber(w)) throw fail('FailedToParse', `w has to be a number, string, or object; found: ${typeName(w)}`);
  const n = toSafeInteger(w);
  if (n === undefined || n < 0 || n > 50)
    throw fail('FailedToParse', 'w has to be a non-negative number and not greater than 50');
  if (n > 1 && !isMember) throw fail('BadValue', "cannot use 'w' > 1 when a host is not replicated");
};

const levels: ReadonlySet<string> = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot']);

const readConcernSchema = {
  level: string(),
  afterClusterTime: any(),
  atClusterTime: any(),
  provenance: string(),
};

type ReadConcern = Args<typeof readConcernSchema>;

/** The commands that may read from a snapshot outside a transaction. Rule: Snapshot Reads, "Server Commands". */
const snapshotReads: ReadonlySet<string> = new Set(['find', 'aggregate', 'distinct']);

const timeOf = (value: Value, name: 'afterClusterTime' | 'atClusterTime'): TimestampValue => {
  if (!(value instanceof TimestampValue)) {
    throw fail('TypeMismatch', `"${name}" had the wrong type. Expected timestamp, found ${typeName(value)}`);
  }
  if (value.t === 0 && value.i === 0) throw fail('InvalidOptions', `${name} cannot be a null timestamp`);
  return value;
};

/** It has what was written at that time; on a primary that wrote nothing since, a note in the log makes it so. */
const checkReached = (member: Member, time: TimestampValue, name: 'afterClusterTime' | 'atClusterTime'): void => {
  if (compareTimes(time, member.clusterTime) > 0) {
    throw fail(
      'InvalidOptions',
      `readConcern ${name} value must not be greater than the current clusterTime. Requested clusterTime: ${show(time)}; current clusterTime: ${show(member.clusterTime)}`,
    );
  }
  if (compareTimes(time, member.opTime.ts) > 0) member.advance();
};

const snapshotAt = (server: ServerState, member: Member, at: Value | undefined): Snapshot => {
  const { engine } = server;
  if (at === undefined) return { at: member.opTime.ts, value: engine.value };
  const time = timeOf(at, 'atClusterTime');
  checkReached(member, time, 'atClusterTime');
  const value = member.log.valueAt(time, engine.clock.wallTime());
  if (value !== undefined) return { at: time, value };
  throw fail('SnapshotTooOld', `Read timestamp ${show(time)} is older than the oldest available timestamp.`);
};

const readAsMember = (
  { level, afterClusterTime: after, atClusterTime: at, transaction }: ReadConcern & Pick<GenericArgs, 'transaction'>,
  command: Command,
  server: ServerState,
  member: Member,
): Snapshot | undefined => {
  if (after !== undefined && at !== undefined) {
    throw fail('InvalidOptions', 'Specifying both afterClusterTime and atClusterTime is not supported');
  }
  if (after !== undefined && (level === 'available' || level === 'linearizable')) {
    throw fail(
      'InvalidOptions',
      'afterClusterTime field can be set only if level is equal to majority, local, or snapshot',
    );
  }
  if (at !== undefined && level !== 'snapshot') {
    throw fail('InvalidOptions', 'atClusterTime field can be set only if level is equal to snapshot');
  }
  if (after !== undefined) checkReached(member, timeOf(after, 'afterClusterTime'), 'afterClusterTime');
  // What a majority has is never taken back: here, what the journal has.
  if (level === 'majority' || level === 'linearizable') server.engine.flush();
  if (level !== 'snapshot') return undefined;
  // A transaction reads a snapshot anyway.
  if (transaction !== undefined) return at === undefined ? undefined : snapshotAt(server, member, at);
  if (!isAtLeast(server.engine.version, '5.0')) {
    throw fail('InvalidOptions', 'readConcern level snapshot is only valid in multi-statement transactions');
  }
  if (!snapshotReads.has(command.name)) throw unsupported(command, 'snapshot');
  return snapshotAt(server, member, at);
};

const unsupported = ({ name }: Command, level: string): Error =>
  fail(
    'InvalidOptions',
    `Command ${name} does not support { level: "${level}" } :: caused by :: read concern not supported`,
  );

/** Rule: Transactions, "Behavior of the readConcern field". @throws CommandError 72 */
const checkOfTransaction = (transaction: 'start' | 'continue', level: string | undefined): void => {
  if (transaction === 'continue')
    throw fail('InvalidOptions', 'Only the first command in a transaction may specify a readConcern');
  if (level === undefined || level === 'local' || level === 'majority' || level === 'snapshot') return;
  throw fail(
    'InvalidOptions',
    "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
  );
};

/** What is to be read, if it is not the newest data. @throws CommandError 2, 14, 20, 72, 123, 239, 40415 */
export const checkReadConcern = (
  { readConcern: concern, transaction }: Pick<GenericArgs, 'readConcern' | 'transaction'>,
  command: Command,
  server: ServerState,
): Snapshot | undefined => {
  if (concern === undefined || concern.size === 0) return undefined;
  const given = parseFields(concern, readConcernSchema, 'readConcern', server.engine.version);
  const { level, afterClusterTime, atClusterTime } = given;
  if (level !== undefined && !levels.has(level)) {
    throw fail('BadValue', `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  }
  if (transaction !== undefined) checkOfTransaction(transaction, level);
  if (transaction === undefined && !command.readConcern && level !== undefined && level !== 'local') {
    throw fail(
      'InvalidOptions',
      `Command ${command.name} does not support ${showDoc(concern)} :: caused by :: read concern not supported`,
    );
  }
  if (server.member !== undefined) return readAsMember({ ...given, transaction }, command, server, server.member);
  if (afterClusterTime !== undefined || atClusterTime !== undefined) {
    throw fail(
      'IllegalOperation',
      'Cannot specify afterClusterTime or atClusterTime readConcern without replication enabled',
    );
  }
  if (level === 'linearizable' || level === 'snapshot') {
    throw fail('NotAReplicaSet', 'node needs to be a replica set member to use read concern');
  }
  return undefined;
};
