import type { Address, Listening, Millis, Runtime, Socket } from '@tessera/contracts';
import { Auth } from './auth/auth.js';
import type { UserOption } from './auth/auth.js';
import { Login } from './auth/login.js';
import { createCommands } from './commands/all.js';
import type { ClientState, ServerState } from './commands/command.js';
import { dispatch, refusal } from './commands/dispatch.js';
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
   * `failCommand`, `failGetMoreAfterCursorCheckout` and `maxTimeAlwaysTimeOut`.
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
}

const defaults: Required<Omit<ServerOptions, 'auth' | 'replicaSet'>> = {
  version: '8.2.1',
  cursorIdleLimit: 600_000,
  testCommands: false,
  loadBalanced: false,
  users: [],
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
    auth: required = users.length > 0,
  } = { ...defaults, ...options };
  const engine = new Engine(runtime, { version: parseVersion(version), cursorIdleLimit });
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
  const listenings = new Set<Listening>();
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
    profiler: new Profiler(),
  };
  const interceptions = new Interceptions(runtime.clock);
  let closed = false;

  const accept = (socket: Socket): void => {
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
      const listening = await runtime.listener.listen(at, accept);
      state.address = listening.address;
      listenings.add(listening);
      return {
        address: listening.address,
        close: async () => {
          listenings.delete(listening);
          await listening.close();
        },
      };
    },
    close: async () => {
      closed = true;
      for (const connection of [...connections]) connection.close();
      engine.close();
      member?.close();
      await Promise.all([...listenings].map(listening => listening.close()));
      listenings.clear();
      interceptions.close();
    },
  };
};
