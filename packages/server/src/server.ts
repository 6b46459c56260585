import type { Address, Listening, Millis, Runtime, Socket } from '@tessera/contracts';
import { Auth } from './auth/auth.js';
import type { UserOption } from './auth/auth.js';
import { createCommands } from './commands/all.js';
import type { ServerState } from './commands/command.js';
import { dispatch } from './commands/dispatch.js';
import type { CapacityOptions, LoadCounts } from './engine/capacity.js';
import { Capacity } from './engine/capacity.js';
import { Engine } from './engine/engine.js';
import { FailPoints } from './engine/fail-points.js';
import { Profiler } from './engine/profiler.js';
import { Front } from './front.js';
import { Member } from './repl/member.js';
import { parseVersion } from './engine/version.js';
import type { InterceptOptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';

export interface ServerOptions {
  /** The version that the server stands in for, from 4.2.0 to 8.2.x: it decides on wire version, fields and some behaviour. */
  readonly version?: string;
  /** After how long without use a cursor is forgotten, in milliseconds. */
  readonly cursorIdleLimit?: Millis;
  /**
   * Knows the commands that are for tests only, as mongod does with `enableTestCommands=1`: `configureFailPoint` with the fail points
   * `failCommand`, `onPrimaryTransactionalWrite`, `failGetMoreAfterCursorCheckout` and `maxTimeAlwaysTimeOut`.
   */
  readonly testCommands?: boolean;
  /**
   * Passes for a mongos behind a load balancer: hello says `msg: 'isdbgrid'` and, to whoever says `loadBalanced: true`, a
   * serviceId. Nothing else is different: it knows no transaction numbers (`retryWrites=false`).
   */
  readonly loadBalanced?: boolean;
  /**
   * The name of a replica set whose only member this is, initiated already and primary: `mongodb://…/?replicaSet=rs0`. It takes
   * retryable writes, tells `$clusterTime`, and steps down when told. No transactions, no change streams. Its host in the set
   * is the address that it listens at.
   */
  readonly replicaSet?: string;
  /**
   * Whoever is not logged in may do next to nothing; by SCRAM-SHA-256, SCRAM-SHA-1 or MONGODB-X509. Default: if there are `users`. While nobody is
   * known the first user can be made by `createUser`.
   */
  readonly auth?: boolean;
  /** Who is known from the beginning. Roles are told, but not looked at: whoever is logged in may do everything. */
  readonly users?: readonly UserOption[];
  /**
   * How often the journal is written, in milliseconds: what was written since is lost in a {@link Server.crash}, unless
   * somebody waited for it, by `j: true` or a write concern of majority.
   */
  readonly journalInterval?: Millis;
  /** How much it can do: commands that read or write take their time and wait for one another. Default: no limits. */
  readonly capacity?: CapacityOptions;
}

const defaults: Required<Omit<ServerOptions, 'auth' | 'replicaSet' | 'capacity'>> = {
  version: '8.2.1',
  cursorIdleLimit: 600_000,
  testCommands: false,
  loadBalanced: false,
  users: [],
  journalInterval: 100,
};

export interface Server {
  /**
   * Accepts connections at an address; port 0 asks for a free one. Without `auth` nobody is asked for a password: give it an
   * address that only this machine reaches. @throws MongoError `network` if it cannot be had
   */
  listen(at?: Address): Promise<Listening>;
  /** Serves one socket. */
  accept(socket: Socket): void;
  /**
   * Takes the next request of that command out of the server's hands, if it has at least these fields: one exception to what
   * the server does. The verbs are those of a black pipe, and `proceed`. `any` stands for what cannot be known.
   * @throws ScriptError if none came in time
   */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
  /** Commands that had to wait for their turn, and those that were refused: with the option `capacity`. */
  readonly load: LoadCounts;
  /**
   * The process is gone: nobody listens, connections are reset, and what had not been journaled is lost, as are cursors,
   * sessions and fail points. Users stay.
   */
  crash(): void;
  /**
   * It runs again at its addresses, as another process, with what the journal has: documents, and which retryable writes
   * were done. A member of a set is elected at once. @throws RangeError unless it has crashed
   */
  restart(): Promise<void>;
  /**
   * Accepts no more and closes every connection. The data is gone.
   * @throws ScriptError if a request that was intercepted was not answered, or never came
   */
  close(): Promise<void>;
}

/** Only this machine can reach it. */
const loopback: Address = '127.0.0.1:27017';

/**
 * A MongoDB server for tests and development: a standalone, or a replica set of one member, that speaks the wire protocol and keeps its data in memory.
 * It takes time, chance and sockets from the runtime, so it runs on ports and in a simulated world alike.
 * @throws RangeError for a version that it cannot stand in for, and for one that is a replica set and load balanced
 */
export const createServer = (
  runtime: Pick<Runtime, 'clock' | 'crypto' | 'random' | 'listener' | 'compressors'>,
  options: ServerOptions = {},
): Server => {
  const {
    version,
    cursorIdleLimit,
    testCommands,
    loadBalanced,
    users,
    replicaSet,
    journalInterval,
    capacity: capacityOptions,
    auth: required = users.length > 0,
  } = { ...defaults, ...options };
  const engine = new Engine(runtime, { version: parseVersion(version), cursorIdleLimit, journalInterval });
  if (replicaSet !== undefined && loadBalanced) {
    throw new RangeError(
      'A server is a member of a replica set or stands behind a load balancer: leave out one of the two',
    );
  }
  const member = replicaSet === undefined ? undefined : new Member(engine, replicaSet);
  const commands = createCommands(testCommands);
  const auth = new Auth(runtime, required);
  auth.addAll(users, () => engine.newUuid());
  const capacity = capacityOptions === undefined ? undefined : new Capacity(runtime.clock, capacityOptions);
  const front = new Front(runtime, (client, request) => dispatch(commands, state, client, request));
  const state: ServerState = {
    engine,
    compressors: runtime.compressors,
    processId: engine.newObjectId(),
    address: loopback,
    connections: front.counts,
    auth,
    counters: new Map(),
    testCommands,
    loadBalanced,
    member,
    mongos: undefined,
    failPoints: new FailPoints(),
    capacity,
    profiler: new Profiler(),
  };

  return {
    accept: socket => front.accept(socket),
    intercept: (command, subset, interceptOptions) => front.intercept(command, subset, interceptOptions),
    listen: async (at = loopback) => {
      const listening = await front.listen(at);
      state.address = listening.address;
      return listening;
    },
    get load() {
      return capacity?.counts ?? { admitted: 0, refused: 0 };
    },
    crash: () => {
      if (!front.isRunning) return;
      // Whoever was to be answered later finds another process.
      state.processId = engine.newObjectId();
      front.crash();
      engine.crash();
      member?.close();
      capacity?.clear();
      state.failPoints.clear();
      state.counters.clear();
    },
    restart: async () => {
      await front.nobodyListens();
      engine.restart();
      member?.restart();
      await front.restart();
    },
    close: async () => {
      front.closeConnections();
      engine.close();
      member?.close();
      await front.close();
    },
  };
};
