import type { Value } from '@tessera/mql/engine';
import { Doc, TimestampValue, fail, isAtLeast, showDoc, typeName } from '@tessera/mql/engine';
import type { Command, GenericArgs, ReadConcern, ServerState } from './command.js';
import { any, parseFields, string } from './schema.js';

const levels: readonly ReadConcern['level'][] = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

const schema = { level: string(), afterClusterTime: any(), atClusterTime: any(), provenance: string() };

/** The commands that may read from a snapshot outside of a transaction. Rule: Snapshot Reads, "Server Commands". */
const snapshotReads: ReadonlySet<string> = new Set(['find', 'aggregate', 'distinct']);

const timeOf = (value: Value | undefined, name: 'afterClusterTime' | 'atClusterTime'): TimestampValue | undefined => {
  if (value === undefined) return undefined;
  if (!(value instanceof TimestampValue)) {
    throw fail('TypeMismatch', `"${name}" had the wrong type. Expected timestamp, found ${typeName(value)}`);
  }
  if (value.t === 0 && value.i === 0) throw fail('InvalidOptions', `${name} cannot be a null timestamp`);
  return value;
};

/** Returns the error for a read concern that the command does not support. */
export const unsupported = ({ name }: Command, concern: string): Error =>
  fail('InvalidOptions', `Command ${name} does not support ${concern} :: caused by :: read concern not supported`);

/** Checks that the times are allowed with the level. @throws CommandError 72 */
const checkTimes = ({ level, after, at }: ReadConcern): void => {
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
};

/**
 * Checks the read concern of a transaction's statement. Rule: Transactions, "Behavior of the readConcern field".
 * @throws CommandError 72
 */
const checkOfTransaction = (transaction: 'start' | 'continue', { level }: ReadConcern): void => {
  if (transaction === 'continue')
    throw fail('InvalidOptions', 'Only the first command in a transaction may specify a readConcern');
  if (level === 'local' || level === 'majority' || level === 'snapshot') return;
  throw fail(
    'InvalidOptions',
    "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
  );
};

/** Checks that the command supports the level. @throws CommandError 72 */
const checkCommand = ({ level }: ReadConcern, concern: Doc, command: Command, { engine }: ServerState): void => {
  if (!command.readConcern && level !== 'local') throw unsupported(command, showDoc(concern));
  if (level !== 'snapshot') return;
  if (!isAtLeast(engine.version, '5.0'))
    throw fail('InvalidOptions', 'readConcern level snapshot is only valid in multi-statement transactions');
  if (!snapshotReads.has(command.name)) throw unsupported(command, '{ level: "snapshot" }');
};

/** Checks the read concern on a standalone, which only has its newest data. @throws CommandError 20, 123 */
const checkAlone = ({ level, after, at }: ReadConcern): void => {
  if (after !== undefined || at !== undefined) {
    throw fail(
      'IllegalOperation',
      'Cannot specify afterClusterTime or atClusterTime readConcern without replication enabled',
    );
  }
  if (level === 'linearizable' || level === 'snapshot') {
    throw fail('NotAReplicaSet', 'node needs to be a replica set member to use read concern');
  }
};

/** Returns the level that `setDefaultRWConcern` has set for commands without a read concern. */
const defaultLevel = (command: Command, { role }: ServerState): ReadConcern['level'] => {
  const level = command.readConcern ? role.defaultReadConcern?.get('level') : undefined;
  return levels.find(one => one === level) ?? 'local';
};

/**
 * Returns the read concern, or undefined if the newest data is to be read.
 * @throws CommandError 2, 14, 20, 72, 123, 40415
 */
export const readConcernOf = (
  { readConcern: concern, transaction }: Pick<GenericArgs, 'readConcern' | 'transaction'>,
  command: Command,
  server: ServerState,
): ReadConcern | undefined => {
  const standard = defaultLevel(command, server);
  if ((concern === undefined || concern.size === 0) && (standard === 'local' || transaction === 'continue'))
    return undefined;
  const given = parseFields(concern ?? Doc.EMPTY, schema, 'readConcern', server.engine.version);
  const level = given.level === undefined ? standard : levels.find(one => one === given.level);
  if (level === undefined) {
    throw fail('BadValue', `Enumeration value '${given.level}' for field 'readConcern.level' is not a valid value.`);
  }
  const after = timeOf(given.afterClusterTime, 'afterClusterTime');
  const at = timeOf(given.atClusterTime, 'atClusterTime');
  const read: ReadConcern = { level, after, at };
  // A getMore may have a read concern, but reads the data of its cursor.
  if (command.name === 'getMore') return undefined;
  if (transaction === undefined) checkCommand(read, concern ?? Doc.EMPTY, command, server);
  else checkOfTransaction(transaction, read);
  checkTimes(read);
  if (server.role.kind === 'member') return read;
  checkAlone(read);
  return undefined;
};
