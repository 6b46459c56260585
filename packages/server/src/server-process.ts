import type { Address, Host, Listening, Millis, Runtime, Socket } from '@tessera/contracts';
import { fail, isAtLeast, parseVersion } from '@tessera/mql/engine';
import type { Auth } from './auth/auth.js';
import { createCommands } from './commands/all.js';
import type { ServerState } from './commands/command.js';
import { dispatch, errorReply, isKnownTo } from './commands/dispatch.js';
import { Storage } from './disk/storage.js';
import type { LoadCounts } from './engine/capacity.js';
import { Capacity } from './engine/capacity.js';
import { Engine } from './engine/engine.js';
import { memoryLimitOf } from './engine/memory-limit.js';
import { FailPoints } from './engine/fail-points.js';
import { Profiler } from './engine/profiler.js';
import { Usage } from './engine/usage.js';
import { Front } from './front.js';
import type { DataRole } from './repl/role.js';
import { Search } from './search/search.js';
import type { InterceptOptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';
import type { Resolved } from './server-options.js';

/** The parts of a runtime that a server uses. */
export interface ServerRuntime extends Pick<Runtime, 'clock' | 'crypto' | 'random' | 'listener' | 'compressors'> {
  /**
   * `heapLimit` determines the default of the option `memoryLimitMB`. The server calls `loaded` with the promise of each
   * module that it loads on first use.
   */
  readonly host?: Pick<Host, 'heapLimit' | 'loaded'>;
}

/** An embedded server. It starts to serve when `listen` or `accept` is called. */
export interface Server {
  /**
   * Listens on an address, in addition to earlier ones. Port 0 selects a free port, which the result contains. Without
   * `auth` or `users`, clients need no password, so use an address that only this machine can reach. With `data`, the
   * server first reads the data. With `replicaSet`, the address becomes the server's host in the set.
   * @param at default: `127.0.0.1:27017`
   * @throws MongoError `network` if the address is not available; `usage` for invalid TLS files of the runtime
   * @throws Error with `data`, if the data file cannot be read; the message describes what to do. If the folder is not
   * available, it is a FileError, with `trouble: 'taken'` if another server uses the folder
   */
  listen(at?: Address): Promise<Listening>;
  /**
   * Serves a connection that did not come through `listen`. Between `crash` and `restart`, the server resets such a
   * connection immediately. With `data`, and before any call of `listen`, the first request reads the data. If that fails,
   * the request fails with the error, and the next one tries again.
   */
  accept(socket: Socket): void;
  /**
   * Intercepts the next request with this command that has at least the fields in `subset`. Call it before the client
   * sends the request: earlier requests are not intercepted. The test answers the
   * request instead of the server, or lets the server answer it with {@link ScriptedRequest.proceed}.
   * @param subset compared as in {@link BlackPipe.expect}; default: any request with this command matches
   * @throws ScriptError if no such request arrives within `options.within`, or before the server is closed
   */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
  /** The numbers of commands that the option `capacity` admitted and rejected. Without it, both are 0. */
  readonly load: LoadCounts;
  /**
   * Simulates a crash of the process. Listeners close, and connections are reset. Cursors, sessions, fail points and
   * writes that are not in the journal are lost. Users from the options remain. If the server is not
   * running, it does nothing.
   */
  crash(): void;
  /**
   * Starts a new process after a crash, on the same addresses. It has the data in the journal: documents, the history of
   * retryable writes, and the oplog of a replica set. The only member of a replica set becomes primary at once.
   * @throws RangeError if the server is running or closed
   * @throws MongoError and Error for the reasons that {@link Server.listen} describes
   */
  restart(): Promise<void>;
  /**
   * Closes listeners and connections. With `data`, it saves the data and releases the folder; otherwise, it discards the
   * data. A closed server cannot be restarted.
   * @throws ScriptError if an intercepted request was not answered, or a request to intercept has not arrived yet
   * @throws Error with `data`, if the data cannot be saved: its `code` is 14031 (OutOfDiskSpace) if the disk is full, else
   * 39 (FileStreamFailed)
   */
  close(): Promise<void>;
}

/** An address that only this machine can reach. */
const loopback: Address = '127.0.0.1:27017';

export const openEngine = (
  runtime: ServerRuntime,
  {
    version,
    parameters,
    journalInterval,
    oplogSizeMB,
    memoryLimitMB,
  }: Pick<Resolved, 'version' | 'parameters' | 'journalInterval' | 'oplogSizeMB' | 'memoryLimitMB'>,
): Engine =>
  new Engine(runtime, {
    version: parseVersion(version),
    parameters,
    journalInterval,
    oplogSizeMB,
    memoryLimitMB: memoryLimitOf(runtime, memoryLimitMB),
  });

/** The parts of a server that its creator supplies, and that several servers may share. */
export interface ServerParts {
  readonly engine: Engine;
  readonly auth: Auth;
  readonly role: DataRole;
  /** Called after the data was read from disk for the first time. Never called without `data`. */
  readonly loaded?: () => void;
}

/** A server as seen by a cluster in the same process. */
export interface ServerProcess extends Server {
  readonly state: ServerState & { readonly role: DataRole };
  readonly front: Front;
  /** Stops answering requests and exchanging messages with other members. The server still accepts connections. */
  freeze(): void;
  thaw(): void;
  /**
   * Shuts the process down in order. From 5.0 on, a replica set member first answers with shutdown errors for `quiesce`
   * milliseconds, then interrupts the operations in progress. The data is kept for a restart.
   */
  shutDown(quiesce: Millis): Promise<void>;
}

/** Creates a server process from its parts. */
export const openProcess = (
  runtime: ServerRuntime,
  { testCommands, capacity: capacityOptions, data, journalInterval, search = false, maxIncomingConnections }: Resolved,
  { engine, auth, role, loaded }: ServerParts,
): ServerProcess => {
  const commands = createCommands(testCommands);
  const capacity = capacityOptions === undefined ? undefined : new Capacity(runtime.clock, capacityOptions);
  const storage = data === undefined ? undefined : new Storage(engine, journalInterval, data, loaded);
  const front = new Front(
    runtime,
    engine.parameters,
    (client, request) =>
      storage === undefined || storage.isOpen
        ? dispatch(commands, state, client, request)
        : storage.open().then(
            () => dispatch(commands, state, client, request),
            (error: unknown) => ({ doc: errorReply(error) }),
          ),
    client => isKnownTo(state, client),
    maxIncomingConnections,
  );
  const state: ServerProcess['state'] = {
    engine,
    compressors: runtime.compressors,
    processId: engine.newObjectId(),
    address: loopback,
    connections: front.counts,
    auth,
    counters: new Map(),
    usage: new Usage(),
    traffic: front.traffic,
    testCommands,
    role,
    failPoints: new FailPoints(),
    capacity,
    profiler: new Profiler(),
    search: search === false ? undefined : new Search(engine, search === true ? {} : search),
    shutDown: after => void shutDown(after),
  };
  if (role.kind === 'member') role.member.onRolledBack = () => front.hangUp();

  /** Ends the process, and drops everything that is not in the journal. */
  const end = (how: { readonly orderly: boolean }): void => {
    // Replies that become ready later must not be sent by the restarted process.
    state.processId = engine.newObjectId();
    front.crash(how);
    storage?.crash();
    engine.crash();
    role.crashed();
    capacity?.clear();
    state.failPoints.clear();
    state.counters.clear();
    state.usage.clear();
  };
  const freeze = (on: boolean): void => {
    if (on) front.freeze();
    else front.thaw();
    role.freeze(on);
  };
  const shutDown = async (after: Millis): Promise<void> => {
    const { processId } = state;
    if (role.kind === 'member' && after > 0 && isAtLeast(engine.version, '5.0')) {
      role.member.quiesce(runtime.clock.now() + after);
      await runtime.clock.sleep(after);
    }
    if (state.processId !== processId) return;
    role.interrupt(fail('InterruptedAtShutdown', 'interrupted at shutdown'));
    // Send the errors of interrupted operations before their connections close.
    await runtime.clock.sleep(0);
    if (!front.isRunning || state.processId !== processId) return;
    try {
      await engine.flush();
    } catch {
      // Data that cannot be saved is lost.
    }
    end({ orderly: true });
  };

  return {
    freeze: () => freeze(true),
    thaw: () => freeze(false),
    shutDown,
    state,
    front,
    accept: socket => front.accept(socket),
    intercept: (command, subset, interceptOptions) => front.intercept(command, subset, interceptOptions),
    listen: async (at = loopback) => {
      await storage?.open();
      const listening = await front.listen(at);
      state.address = listening.address;
      role.moved(listening.address);
      return listening;
    },
    get load() {
      return capacity?.counts ?? { admitted: 0, refused: 0 };
    },
    crash: () => {
      if (front.isRunning) end({ orderly: false });
    },
    restart: async () => {
      await front.listenersClosed();
      await storage?.open();
      engine.restart();
      role.restarted();
      await front.restart();
    },
    close: async () => {
      front.closeConnections();
      engine.close();
      role.left();
      try {
        await front.close();
      } finally {
        await storage?.close();
      }
    },
  };
};
