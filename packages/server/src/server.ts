import type { Address, Listening, Millis, Runtime, Socket } from '@tessera/contracts';
import { Auth } from './auth/auth.js';
import type { UserOption } from './auth/auth.js';
import { Login } from './auth/login.js';
import { createCommands } from './commands/all.js';
import type { ClientState, ServerState } from './commands/command.js';
import { dispatch, refusal } from './commands/dispatch.js';
import type { CapacityOptions, LoadCounts } from './engine/capacity.js';
import { Capacity } from './engine/capacity.js';
import { Engine } from './engine/engine.js';
import { FailPoints } from './engine/fail-points.js';
import { Profiler } from './engine/profiler.js';
import { Member } from './repl/member.js';
import { parseVersion } from './engine/version.js';
import type { InterceptOptions } from './script/interceptions.js';
import { Interceptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';
import { Connection } from './wire/connection.js';

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

/** Where it listens; a new listening after a restart. */
interface Place {
  listening: Listening;
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
  const member = replicaSet === undefined ? undefined : new Member(runtime.clock, replicaSet);
  if (member !== undefined) engine.onCommit = () => member.advance();
  const commands = createCommands(testCommands);
  const auth = new Auth(runtime, required);
  auth.addAll(users, () => engine.newUuid());
  const connections = new Set<Connection>();
  const places = new Set<Place>();
  const capacity = capacityOptions === undefined ? undefined : new Capacity(runtime.clock, capacityOptions);
  const counts = { current: 0, totalCreated: 0 };
  const state: ServerState = {
    engine,
    compressors: runtime.compressors,
    processId: engine.newObjectId(),
    address: loopback,
    connections: counts,
    auth,
    counters: new Map(),
    testCommands,
    loadBalanced,
    member,
    failPoints: new FailPoints(),
    capacity,
    profiler: new Profiler(),
  };
  const interceptions = new Interceptions(runtime.clock);
  let closed = false;
  /** Of a process that is gone: settled when nobody listens any more. */
  let gone: Promise<unknown> | undefined;

  const accept = (socket: Socket): void => {
    if (gone !== undefined) return socket.reset === undefined ? socket.destroy() : socket.reset();
    counts.totalCreated += 1;
    const connection = new Connection(counts.totalCreated, socket);
    const client: ClientState = { peer: connection, metadata: undefined, isInternal: false, login: new Login() };
    counts.current += 1;
    connections.add(connection);
    connection.start({
      compressors: runtime.compressors,
      answer: request =>
        interceptions.armed
          ? interceptions.answer(request, connection, () => dispatch(commands, state, client, request))
          : dispatch(commands, state, client, request),
      refuse: refusal,
      closed: () => {
        if (connections.delete(connection)) counts.current -= 1;
      },
    });
    if (closed) connection.close();
  };

  return {
    accept,
    intercept: (command, subset, interceptOptions) => interceptions.intercept(command, subset, interceptOptions),
    listen: async (at = loopback) => {
      const place: Place = { listening: await runtime.listener.listen(at, accept) };
      const { address } = place.listening;
      state.address = address;
      places.add(place);
      return {
        address,
        close: async () => {
          places.delete(place);
          await place.listening.close();
        },
      };
    },
    get load() {
      return capacity?.counts ?? { admitted: 0, refused: 0 };
    },
    crash: () => {
      if (gone !== undefined || closed) return;
      gone = Promise.all([...places].map(({ listening }) => listening.close()));
      // Whoever was to be answered later finds another process.
      state.processId = engine.newObjectId();
      for (const connection of [...connections]) connection.reset();
      engine.crash();
      member?.close();
      capacity?.clear();
      state.failPoints.clear();
      state.counters.clear();
      counts.totalCreated = 0;
    },
    restart: async () => {
      if (gone === undefined || closed)
        throw new RangeError('The server runs, or is closed: only after a crash it can be restarted');
      await gone;
      engine.restart();
      member?.restart();
      gone = undefined;
      for (const place of places) place.listening = await runtime.listener.listen(place.listening.address, accept);
    },
    close: async () => {
      closed = true;
      for (const connection of [...connections]) connection.close();
      engine.close();
      member?.close();
      await Promise.all([...places].map(({ listening }) => listening.close()));
      places.clear();
      interceptions.close();
    },
  };
};
