import { MongoError } from './errors.js';
import type { Origin } from './errors.js';
import { serverSays, writeConcernErrorOf } from './server-says.js';
import type { Document } from './values.js';

const silent = 'the server gave no reason';

/**
 * The error of a reply that is `ok: 0`: the server's own message, its code and labels, and the whole reply.
 * @param command for commands of the driver itself, whose callers know neither command nor server: the message names both
 */
export const serverError = (reply: Document, origin?: Origin, command?: string): MongoError => {
  const said = serverSays(reply);
  const { code, codeName, message = silent } = said;
  if (command === undefined) return new MongoError('server', message, { ...said, origin });
  const numbered = code === undefined ? '' : ` (code ${code}${codeName === undefined ? '' : `, ${codeName}`})`;
  const where = `'${command}' failed at ${origin?.address ?? 'the server'}`;
  return new MongoError('server', `${where}: ${message}${numbered}`, { ...said, origin });
};

/**
 * The error of a write that was done, but not as safely as was asked; the reply tells both. It is an error so that the write
 * can be retried. Rule: Retryable Writes, "Determining Retryable Write Errors".
 */
export const writeConcernError = (reply: Document, origin?: Origin): MongoError => {
  const said = serverSays(reply, writeConcernErrorOf(reply));
  return new MongoError('server', `The write concern was not satisfied: ${said.message ?? silent}`, {
    ...said,
    origin,
  });
};
