import type { Doc } from '@tessera/mql/engine';
import { CommandError, isArray, isNumber, toDouble, toSafeInteger } from '@tessera/mql/engine';
import type { Fields } from '@tessera/server/parts';

/** What a shard says of itself, and a mongos does not hand on. */
const own: ReadonlySet<string> = new Set([
  ...['ok', '$clusterTime', 'operationTime', 'topologyVersion', 'opTime', 'electionId', 'lastCommittedOpTime'],
  ...['$configTime', '$topologyTime', 'readOnly'],
]);

const ofError: ReadonlySet<string> = new Set(['errmsg', 'code', 'codeName', 'errorLabels']);

export const isOk = (reply: Doc): boolean => {
  const ok = reply.get('ok');
  return isNumber(ok) && toDouble(ok) === 1;
};

/** What a shard has answered, without what is said of the shard alone. */
export const fieldsIn = (reply: Doc): Fields => reply.entries().filter(([name]) => !own.has(name));

export const codeIn = (reply: Doc): number => {
  const code = reply.get('code');
  return isNumber(code) ? (toSafeInteger(code) ?? 8) : 8;
};

/** The shard is not what it was; a client that read it would take the mongos for that. Rule: mongos, "rewriteStateChangeErrors". */
const stateChanges: ReadonlySet<number> = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** @returns the error that a shard has answered, as a mongos hands it on: with its labels and fields */
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

/** @throws CommandError if it is one */
export const checked = (reply: Doc): Doc => {
  if (isOk(reply)) return reply;
  throw errorIn(reply);
};
