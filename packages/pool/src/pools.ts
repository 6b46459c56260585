import type { OpenPool, PoolDeps, PoolOptions } from '@tessera/contracts';
import { resolveOptions } from './options.js';
import { Pool } from './pool.js';

/**
 * Returns a function that creates the pool of one server, paused, with these options.
 * Rule: Connection Monitoring and Pooling; Load Balancers, "Connection Pooling".
 *
 * Errors of `checkOut`:
 *
 * | kind | `cause` | reason | retry? |
 * | --- | --- | --- | --- |
 * | `pool` | a MongoError | the pool was cleared by that error and is paused, or was never ready (PoolClearedError) | yes |
 * | `pool` | none | the pool is closed, or `waitQueueTimeoutMS` has passed | no |
 * | `timeout` | none | the operation's deadline has passed | no |
 * | `aborted` | the signal's reason | the caller's signal aborted | no |
 * | any other | | the handshake of the connection for this operation failed; the pool has also reported the error | depends on its kind |
 *
 * All except the last have `origin.phase` `checkOut` and `origin.sent` false, and do not indicate a problem with the server. A
 * command whose connection is interrupted by `clear` fails like the first row, with `origin.phase` `command`.
 *
 * If an operation stops waiting, the pool keeps the connection that is being opened for it. Only `connectTimeoutMS` limits its
 * handshake, so operations with short deadlines cannot prevent all connections to a slow server.
 *
 * @throws MongoError `usage` for invalid options
 */
export const createPools = (deps: PoolDeps, options: Partial<PoolOptions> = {}): OpenPool => {
  const resolved = resolveOptions(options);
  return (at, report) => new Pool(at, deps, resolved, report);
};
