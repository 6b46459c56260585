import { MongoError, serverSays, writeConcernErrorOf } from '@tessera/contracts';
import type { Origin, Reply } from '@tessera/contracts';

/** The server's no, in its own words. */
export const serverError = (reply: Reply, origin: Origin): MongoError => {
  const said = serverSays(reply.document());
  return new MongoError('server', said.message ?? 'The server refused and gave no reason.', { ...said, origin });
};

/**
 * The same for a write that was done but not replicated as asked: the deployment looks at its code, too.
 * Rule: Server Discovery and Monitoring, "'not writable primary' and 'node is recovering'".
 */
export const writeConcernError = (reply: Reply, origin: Origin): MongoError => {
  const document = reply.document();
  const said = serverSays(document, writeConcernErrorOf(document));
  return new MongoError('server', said.message ?? 'The write concern was not satisfied.', { ...said, origin });
};
