import { MongoError, serverSays } from '@tessera/contracts';
import type { Document, Origin } from '@tessera/contracts';

/** An `ok: 0` reply as an error: code, codeName, labels, and the reply itself. */
export const serverError = (command: string, reply: Document, origin: Origin): MongoError => {
  const said = serverSays(reply);
  const { code, codeName, message = 'it did not say why' } = said;
  const numbered = code === undefined ? '' : ` (code ${code}${codeName === undefined ? '' : `, ${codeName}`})`;
  return new MongoError('server', `'${command}' failed at ${origin.address ?? 'the server'}: ${message}${numbered}`, {
    ...said,
    origin,
  });
};
