import { MongoError } from '@tessera/contracts';
import type { Document, Origin } from '@tessera/contracts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An `ok: 0` reply as an error: code, codeName, labels, and the reply itself. */
export const serverError = (command: string, reply: Document, origin: Origin): MongoError => {
  const code: unknown = reply['code'];
  const codeName = text(reply['codeName']);
  const labels: unknown = reply['errorLabels'];
  const numbered = typeof code === 'number' ? ` (code ${code}${codeName === undefined ? '' : `, ${codeName}`})` : '';
  const said = text(reply['errmsg']) ?? text(reply['$err']) ?? 'it did not say why';
  return new MongoError('server', `'${command}' failed at ${origin.address ?? 'the server'}: ${said}${numbered}`, {
    code: typeof code === 'number' ? code : undefined,
    codeName,
    labels: Array.isArray(labels) ? labels.filter(label => typeof label === 'string') : [],
    reply,
    origin,
  });
};
