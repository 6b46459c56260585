import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import { toSafeInteger } from '../value/numbers.js';
import { showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isNumber, typeName } from '../value/value.js';
import type { Command, ServerState } from './command.js';
import type { Schema } from './schema.js';
import { any, long, object, parseFields, since, strictBool, string } from './schema.js';

/** Rule: "generic arguments", which any command takes. */
export const genericSchema: Schema = {
  $db: string(),
  $readPreference: object(),
  $clusterTime: object(),
  lsid: object(),
  txnNumber: long(),
  autocommit: strictBool(),
  startTransaction: strictBool(),
  maxTimeMS: any(),
  maxTimeMSOpOnly: any(),
  readConcern: object(),
  writeConcern: object(),
  comment: any(),
  apiVersion: since('5.0', string()),
  apiStrict: since('5.0', strictBool()),
  apiDeprecationErrors: since('5.0', strictBool()),
  rawData: since('8.2', strictBool()),
};

/** @throws CommandError 2, 14 */
export const maxTimeOf = (value: Value | undefined, where: string): number | undefined => {
  if (value === undefined || value === null) return undefined;
  if (!isNumber(value)) {
    throw fail(
      'TypeMismatch',
      `BSON field '${where}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double']`,
    );
  }
  const n = toSafeInteger(value);
  if (n === undefined) throw fail('BadValue', 'maxTimeMS has non-integral value');
  if (n < 0 || n > 0x7fffffff) throw fail('BadValue', `${n} value for maxTimeMS is out of range [0, 2147483647]`);
  return n;
};

const concernSchema = {
  w: any(),
  j: any(),
  fsync: any(),
  wtimeout: any(),
  provenance: string(),
} satisfies Schema;

/** A standalone has nobody to wait for; a member of a set says so when the write has happened. @throws CommandError 2, 9, 72, 40415 */
export const checkWriteConcern = (concern: Doc | undefined, command: Command, server: ServerState): void => {
  if (concern === undefined) return;
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
} satisfies Schema;

/** @throws CommandError 9, 72, 123, 40415 */
export const checkReadConcern = (concern: Doc | undefined, command: Command, server: ServerState): void => {
  if (concern === undefined || concern.size === 0) return;
  const { level, afterClusterTime, atClusterTime } = parseFields(
    concern,
    readConcernSchema,
    'readConcern',
    server.engine.version,
  );
  if (level !== undefined && !levels.has(level)) {
    throw fail('BadValue', `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  }
  if (!command.readConcern && level !== undefined && level !== 'local') {
    throw fail(
      'InvalidOptions',
      `Command ${command.name} does not support ${showDoc(concern)} :: caused by :: read concern not supported`,
    );
  }
  if (server.member !== undefined) {
    // One member has all there is: it never lags behind what a client has seen.
    if (level === 'snapshot') throw fail('CommandNotSupported', 'Snapshot reads are not supported by this server');
    return;
  }
  if (afterClusterTime !== undefined || atClusterTime !== undefined) {
    throw fail(
      'IllegalOperation',
      'Cannot specify afterClusterTime or atClusterTime readConcern without replication enabled',
    );
  }
  if (level === 'linearizable' || level === 'snapshot') {
    throw fail('NotAReplicaSet', 'node needs to be a replica set member to use read concern');
  }
};
