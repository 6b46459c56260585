import { Auth, AuthConfig } from './auth/auth.js';
import { checkOptions, serverOptionTypes } from './check-options.js';
import { ReplicaSet } from './repl/replica-set.js';
import { MemberRole, standalone } from './repl/role.js';
import { firstConfig } from './repl/set-config.js';
import type { ServerOptions } from './server-options.js';
import { serverDefaults } from './server-options.js';
import type { Server, ServerParts, ServerRuntime } from './server-process.js';
import { openEngine, openProcess } from './server-process.js';

/**
 * Creates a MongoDB-compatible server for tests and development: a standalone, or a replica set with one member. It
 * speaks the wire protocol and keeps its data in memory. With the option `data` it also saves the data in a folder.
 * Time, randomness and sockets come from the runtime, so the server runs on TCP ports and in a simulation.
 * @example
 * ```ts
 * const server = createServer(createNode(), { replicaSet: 'rs0' });
 * const { address } = await server.listen('127.0.0.1:0');
 * const client = new MongoClient(`mongodb://${address}/?replicaSet=rs0`);
 * ```
 * @param runtime the parts of a `Runtime` that the server uses: `createNode()` of `@tessera/node` creates a `Runtime`
 * @throws RangeError for an unsupported `version`, for unknown or invalid `parameters`, for an `oplogSizeMB`, `memoryLimitMB` or
 * `maxIncomingConnections` below 1,
 * and for `users` that lack a required password or have the same name
 * @throws TypeError for an unknown option, and for a value of another type
 */
export const createServer = (runtime: ServerRuntime, options: ServerOptions = {}): Server => {
  const resolved = { ...serverDefaults, ...checkOptions('createServer', options, serverOptionTypes) };
  const { replicaSet } = resolved;
  const engine = openEngine(runtime, resolved);
  const auth = new Auth(new AuthConfig(runtime, resolved, () => engine.newUuid()), engine);
  const role = replicaSet === undefined ? standalone : setOfOne(runtime, replicaSet, engine);
  const initiate = (): void => {
    if (role.kind === 'member') role.set.initiate();
  };
  if (resolved.data === undefined) initiate();
  return openProcess(runtime, resolved, { engine, auth, role, loaded: initiate });
};

const setOfOne = (runtime: ServerRuntime, name: string, engine: ServerParts['engine']): MemberRole => {
  const config = firstConfig(name, [{ host: '127.0.0.1:27017' }], { replicaSetId: engine.newObjectId() });
  const set = new ReplicaSet(runtime, config, [engine]);
  return new MemberRole(set, set.members[0]!);
};
