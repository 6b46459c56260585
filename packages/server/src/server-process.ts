import type { Address, Listening, Millis, Runtime, Socket } from '@tessera/contracts';
import { fail, isAtLeast, parseVersion } from '@tessera/mql/engine';
import type { Auth } from './auth/auth.js';
import { createCommands } from './commands/all.js';
import type { ServerState } from './commands/command.js';
import { dispatch, errorReply } from './commands/dispatch.js';
import { Storage } from './disk/storage.js';
import type { LoadCounts } from './engine/capacity.js';
import { Capacity } from './engine/capacity.js';
import { Engine } from './engine/engine.js';
import { FailPoints } from './engine/fail-points.js';
import { Profiler } from './engine/profiler.js';
import { Front } from './front.js';
import type { DataRole } from './repl/role.js';
import type { InterceptOptions } from './script/interceptions.js';
import type { Plain } from './script/plain.js';
import type { ScriptedRequest } from './script/request.js';
import type { Resolved } from './server-options.js';

/** What a server takes from its runtime. */
export type ServerRuntime = Pick<Runtime, 'clock' | 'crypto' | 'random' | 'listener' | 'compressors'>;

export interface Server {
  /**
   * Accepts connections at an address; port 0 asks for a free one. Without `auth` nobody is asked for a password: give it an
   * address that only this machine reaches. @throws MongoError `network` if it cannot be had; with `data` FileError if the folder
   * cannot, Error if what is in it cannot be read
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
   * sessions and fail points. Users who were given as an option stay.
   */
  crash(): void;
  /**
   * It runs again at its addresses, as another process, with what the journal has: documents, and which retryable writes
   * were done. A member of a set is elected at once. @throws RangeError unless it has crashed
   */
  restart(): Promise<void>;
  /**
   * Accepts no more and closes every connection. The data is gone, unless it is kept in a folder.
   * @throws ScriptError if a request that was intercepted was not answered, or never came
   */
  close(): Promise<void>;
}

/** Only this machine can reach it. */
const loopback: Address = '127.0.0.1:27017';

export const openEngine = (
  runtime: ServerRuntime,
  {
    version,
    parameters,
    journalInterval,
    oplogSizeMB,
  }: Pick<Resolved, 'version' | 'parameters' | 'journalInterval' | 'oplogSizeMB'>,
): Engine => new Engine(runtime, { version: parseVersion(version), parameters, journalInterval, oplogSizeMB });

/** What a server has that it may share with others, or is given by them. */
export interface ServerParts {
  readonly engine: Engine;
  readonly auth: Auth;
  readonly role: DataRole;
  /** Called when what is on disk was read for the first time; without `data` never. */
  readonly loaded?: () => void;
}

/** A server as a cluster of the same process deals with it. */
export interface ServerProcess extends Server {
  readonly state: ServerState & { readonly role: DataRole };
  readonly front: Front;
  /** Accepts connections, and neither answers nor hears the other members. */
  freeze(): void;
  thaw(): void;
  /**
   * Ends the process in order. A member of a set, from 5.0 on, tells its clients for so long before; what is under way then is
   * interrupted. What was written is kept for a restart.
   */
  shutDown(quiesce: Millis): Promise<void>;
}

/** Puts a server together. */
export const openProcess = (
  runtime: ServerRuntime,
  { testCommands, capacity: capacityOptions, data, journalInterval }: Resolved,
  { engine, auth, role, loaded }: ServerParts,
): ServerProcess => {
  const commands = createCommands(testCommands);
  const capacity = capacityOptions === undefined ? undefined : new Capacity(runtime.clock, capacityOptions);
  const storage = data === undefined ? undefined : new Storage(engine, journalInterval, data, loaded);
  const front = new Front(runtime, engine.parameters, (client, request) =>
    storage === undefined || storage.isOpen
      ? dispatch(commands, state, client, request)
      : storage.open().then(
          () => dispatch(commands, state, client, request),
          (error: unknown) => ({ doc: errorReply(error) }),
        ),
  );
  const state: ServerProcess['state'] = {
    engine,
    compressors: runtime.compressors,
    processId: engine.newObjectId(),
    address: loopback,
    connections: front.counts,
    auth,
    counters: new Map(),
    testCommands,
    role,
    failPoints: new FailPoints(),
    capacity,
    profiler: new Profiler(),
    shutDown: after => void shutDown(after),
  };
  if (role.kind === 'member') role.member.onRolledBack = () => front.hangUp();

  /** What is left of the process is what the journal has. */
  const end = (how: { readonly orderly: boolean }): void => {
    // Whoever was to be answered later finds another process.
    state.processId = engine.newObjectId();
    front.crash(how);
    storage?.crash();
    engine.crash();
    role.crashed();
    capacity?.clear();
    state.failPoints.clear();
    state.counters.clear();
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
    // Those who are interrupted are answered before their connections end.
    await runtime.clock.sleep(0);
    if (!front.isRunning || state.processId !== processId) return;
    try {
      await engine.flush();
    } catch {
      // What cannot be saved is lost.
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
      await front.nobodyListens();
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
