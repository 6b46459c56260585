import type { Address, Listening, Socket } from '@tessera/contracts';
import type {
  Auth,
  Entrance,
  InterceptOptions,
  Plain,
  ScriptedRequest,
  ServerRuntime,
  ServerState,
} from '@tessera/server/parts';
import {
  FailPoints,
  Front,
  Profiler,
  Usage,
  createRouter,
  dispatch,
  isKnownTo,
  openEngine,
  serverDefaults,
} from '@tessera/server/parts';
import type { Catalog } from './catalog.js';
import { createRouterCommands } from './commands.js';
import { Mongos } from './mongos.js';
import { primaryOf } from './shard.js';

export interface MongosOptions {
  readonly version: string;
  readonly parameters: Readonly<Record<string, boolean | number>>;
  readonly testCommands: boolean;
  readonly maxIncomingConnections: number;
}

/** A router in front of the shards of a cluster. It has its own sockets, cursors, fail points and sessions. */
export interface MongosServer {
  /** @throws MongoError `network` if the address is not available */
  listen(at: Address): Promise<Listening>;
  /** Serves a socket. */
  accept(socket: Socket, entrance?: Entrance): void;
  /**
   * Intercepts a request, as on a server.
   * @throws ScriptError if none arrives in time
   */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
  /** The address, for example `127.0.0.1:27017`, once it is known. */
  readonly address: Address;
  /** Whether the process has neither crashed nor been closed. */
  readonly isRunning: boolean;
  /** Whether it has `maxIncomingConnections` connections. */
  readonly isFull: boolean;
  /**
   * Crashes the process. Its cursors and fail points are lost and connections are reset. The data of the shards is
   * kept.
   */
  crash(): void;
  /**
   * Starts a new process at the same addresses.
   * @throws RangeError if the process has not crashed
   */
  restart(): Promise<void>;
  /** @throws ScriptError if an intercepted request was not answered or never arrived */
  close(): Promise<void>;
}

const loopback: Address = '127.0.0.1:27017';

/** Users are stored on the config shard. Without a primary, its first member is used. */
const authOf = ({ config }: Catalog): Auth => (primaryOf(config) ?? config.members[0]!).state.auth;

export const openMongos = (runtime: ServerRuntime, catalog: Catalog, options: MongosOptions): MongosServer => {
  const { version, parameters, testCommands, maxIncomingConnections } = options;
  const engine = openEngine(runtime, { ...serverDefaults, version, parameters });
  const mongos = new Mongos(runtime, catalog);
  const commands = createRouterCommands(mongos, testCommands);
  const front = new Front(
    runtime,
    engine.parameters,
    (client, request) => dispatch(commands, state, client, request),
    client => isKnownTo(state, client),
    maxIncomingConnections,
  );
  const state: ServerState = {
    engine,
    compressors: runtime.compressors,
    processId: engine.newObjectId(),
    address: loopback,
    connections: front.counts,
    get auth() {
      return authOf(catalog);
    },
    counters: new Map(),
    usage: new Usage(),
    traffic: front.traffic,
    testCommands,
    role: createRouter(mongos.time),
    failPoints: new FailPoints(),
    capacity: undefined,
    profiler: new Profiler(),
    shutDown: () => void shutDown(),
  };

  const end = (how: { readonly orderly: boolean }): void => {
    if (!front.isRunning) return;
    state.processId = engine.newObjectId();
    front.crash(how);
    engine.crash();
    mongos.forget();
    state.failPoints.clear();
    state.counters.clear();
    state.usage.clear();
  };
  const shutDown = async (): Promise<void> => {
    const { processId } = state;
    // The client that requested the shutdown receives its reply first.
    await runtime.clock.sleep(0);
    if (state.processId === processId) end({ orderly: true });
  };

  return {
    accept: (socket, entrance) => front.accept(socket, entrance),
    intercept: (command, subset, interceptOptions) => front.intercept(command, subset, interceptOptions),
    listen: async at => {
      const listening = await front.listen(at);
      state.address = listening.address;
      return listening;
    },
    get address() {
      return state.address;
    },
    get isRunning() {
      return front.isRunning;
    },
    get isFull() {
      return front.isFull;
    },
    crash: () => end({ orderly: false }),
    restart: async () => {
      await front.listenersClosed();
      engine.restart();
      await front.restart();
    },
    close: async () => {
      front.closeConnections();
      engine.close();
      await front.close();
    },
  };
};
