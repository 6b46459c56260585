import { MongoError } from '@tessera/contracts';
import type { Document, Origin, Reply } from '@tessera/contracts';

/** The server's no, in its own words. */
export const refusal = (reply: Reply, origin: Origin): MongoError => {
  const document = reply.document();
  const message = textOf(document['errmsg']) ?? textOf(document['$err']) ?? 'The server refused and gave no reason.';
  const labels = document['errorLabels'] as unknown;
  return new MongoError('server', message, {
    code: codeOf(document),
    codeName: textOf(document['codeName']),
    labels: Array.isArray(labels) ? labels.map(String) : undefined,
    reply: document,
    origin,
  });
};

/**
 * The same for a write that was done but not replicated as asked: the deployment looks at its code, too.
 * Rule: Server Discovery and Monitoring, "'not writable primary' and 'node is recovering'".
 */
export const writeConcernRefusal = (reply: Reply, origin: Origin): MongoError => {
  const document = reply.document();
  const told = (document['writeConcernError'] ?? {}) as Document;
  return new MongoError('server', textOf(told['errmsg']) ?? 'The write concern was not satisfied.', {
    code: codeOf(told),
    codeName: textOf(told['codeName']),
    reply: document,
    origin,
  });
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const codeOf = (told: Document): number | undefined => {
  const code = told['code'] as unknown;
  return code === undefined || code === null ? undefined : Number(code);
};
