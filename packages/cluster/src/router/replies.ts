import type { Doc } from '@tessera/mql/engine';
import { CommandError, isArray, isNumber, toDouble, toSafeInteger } from '@tessera/mql/engine';
import type { Fields } from '@tessera/server/parts';

/** Fields that describe the shard itself, which a mongos does not return. */
const own: ReadonlySet<string> = new Set([
  ...['ok', '$clusterTime', 'operationTime', 'topologyVersion', 'opTime', 'electionId', 'lastCommittedOpTime'],
  ...['$configTime', '$topologyTime', 'readOnly'],
]);

const ofError: ReadonlySet<string> = new Set(['errmsg', 'code', 'codeName', 'errorLabels']);

export const isOk = (reply: Doc): boolean => {
  const ok = reply.get('ok');
  return isNumber(ok) && toDouble(ok) === 1;
};

/** Returns the fields of a shard's reply except the fields that describe the shard itself. */
export const fieldsIn = (reply: Doc): Fields => reply.entries().filter(([name]) => !own.has(name));

export const codeIn = (reply: Doc): number => {
  const code = reply.get('code');
  return isNumber(code) ? (toSafeInteger(code) ?? 8) : 8;
};

/**
 * Codes of state changes. A client would apply them to the mongos instead of the shard. Rule: mongos,
 * "rewriteStateChangeErrors".
 */
const stateChanges: ReadonlySet<number> = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** Converts a shard's error reply to the error that the mongos returns, with its labels and fields. */
export const errorIn = (reply: Doc): CommandError => {
  const code = codeIn(reply);
  const message = reply.get('errmsg');
  const labels = reply.get('errorLabels');
  const text = typeof message === 'string' ? message : 'the shard gave no reason';
  return new CommandError(
    stateChanges.has(code) ? 6 : code,
    stateChanges.has(code) ? text.replace('not primary', '(NOT_PRIMARY)') : text,
    fieldsIn(reply).filter(([name]) => !ofError.has(name)),
    isArray(labels) ? labels.filter(label => typeof label === 'string') : [],
  );
};

/**
 * Returns the reply.
 * @throws CommandError if the reply is an error
 */
export const checked = (reply: Doc): Doc => {
  if (isOk(reply)) return reply;
  throw errorIn(reply);
};
