import type { OpenPool, PoolDeps, PoolOptions } from '@tessera/contracts';
import { resolveOptions } from './options.js';
import { Pool } from './pool.js';

/**
 * Pools of connections under one set of options: each call of what it answers makes the pool of one server, paused.
 * Rule: Connection Monitoring and Pooling; Load Balancers, "Connection Pooling".
 *
 * What `checkOut` fails with tells how to react:
 *
 * | kind | `cause` | what happened | try again? |
 * | --- | --- | --- | --- |
 * | `pool` | a MongoError | the pool was cleared by that error, is paused, or was never ready (PoolClearedError) | yes |
 * | `pool` | none | the pool is closed, or `waitQueueTimeoutMS` has passed | no |
 * | `timeout` | none | the operation's deadline has passed | no |
 * | `aborted` | the signal's reason | the caller gave up | no |
 * | any other | | the handshake of the connection that was opened for it failed; it was reported too | its kind decides |
 *
 * All but the last have `origin.phase` `checkOut` and were not sent; they say nothing about the server. A command whose
 * connection is interrupted by `clear` fails as the first row, with `origin.phase` `command`.
 *
 * An operation that gives up leaves the connection that is being opened for it to the pool: it is not closed, and only
 * `connectTimeoutMS` limits its handshake, so that a short deadline cannot keep a slow server without connections.
 *
 * @throws MongoError `usage` for options that cannot be.
 */
export const createPools = (deps: PoolDeps, options: Partial<PoolOptions> = {}): OpenPool => {
  const resolved = resolveOptions(options);
  return (at, report) => new Pool(at, deps, resolved, report);
};
