import type { Soon } from '@tessera/contracts';
import { CommandError, Doc, isNumber, toSafeInteger } from '@tessera/mql/engine';
import type { Engine } from '../engine/engine.js';
import type { Call, Command, Fields, Reply } from './command.js';

/** Whether the write concern requires journaling. On a standalone, `majority` implies it. */
const isAwaited = (concern: Doc | undefined): boolean => {
  const j = concern?.get('j');
  if (j === undefined) return concern?.get('w') === 'majority';
  return j === true || (isNumber(j) && toSafeInteger(j) !== 0);
};

/** Adds a write concern error to the reply: the write happened, but a crash would lose it. */
const withError = (reply: Fields | Reply, { code, codeName, message }: CommandError): Fields | Reply => {
  const error = Doc.of([
    ['code', code],
    ['codeName', codeName],
    ['errmsg', message],
  ]);
  const more: Fields = [['writeConcernError', error]];
  return 'fields' in reply ? { ...reply, fields: [...reply.fields, ...more] } : [...reply, ...more];
};

const saved = (engine: Engine, reply: Fields | Reply): Soon<Fields | Reply> => {
  const saving = engine.flush();
  if (saving === undefined) return reply;
  return saving.then(
    () => reply,
    (error: unknown) => {
      if (error instanceof CommandError) return withError(reply, error);
      throw error;
    },
  );
};

/** On a standalone with a disk, delays the reply until the write is durable, if the write concern requires that. */
export const journaled = (call: Call, command: Command, reply: Soon<Fields | Reply>): Soon<Fields | Reply> => {
  const { engine } = call;
  if (engine.disk === undefined || !command.writeConcern || !isAwaited(call.generic.writeConcern)) return reply;
  return reply instanceof Promise ? reply.then(done => saved(engine, done)) : saved(engine, reply);
};
