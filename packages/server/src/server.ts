import { Auth, AuthConfig } from './auth/auth.js';
import { ReplicaSet } from './repl/replica-set.js';
import { MemberRole, standalone } from './repl/role.js';
import { firstConfig } from './repl/set-config.js';
import type { ServerOptions } from './server-options.js';
import { serverDefaults } from './server-options.js';
import type { Server, ServerParts, ServerRuntime } from './server-process.js';
import { openEngine, openProcess } from './server-process.js';

/**
 * Creates a MongoDB-compatible server for tests and development: a standalone, or a replica set with one member. It
 * speaks the wire protocol and keeps its data in memory, or also in a folder with the option `data`. Time, randomness
 * and sockets come from the runtime, so the server runs on real ports and in a simulated world.
 * @throws RangeError for an unsupported `version`, and for unknown or invalid `parameters`
 */
export const createServer = (runtime: ServerRuntime, options: ServerOptions = {}): Server => {
  const resolved = { ...serverDefaults, ...options };
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
