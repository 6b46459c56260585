import type {
  BsonCodec,
  Clock,
  ConnectDeps,
  Connection,
  ConnectionOptions,
  ConnectOptions,
  CreateConnect,
  CreateWire,
  Document,
  Message,
  MongoError,
} from '@tessera/contracts';
import { expectEqual } from '../case.js';
import type { ContractCase } from '../case.js';
import { createRecorder } from '../recorder.js';
import type { Recorder } from '../recorder.js';
import { atOnce, later } from '../wire-suite/compressors.js';
import { createWorld } from '../world.js';
import { serveFrames } from './server.js';
import type { FrameServer } from './server.js';

export interface ConnectSuiteDeps {
  /** The `CreateConnect` under test. */
  readonly createConnect: CreateConnect;
  /** The codecs of the connections under test and of the suite's server. */
  readonly createWire: CreateWire;
  readonly bson: BsonCodec;
  /** As for {@link createWorld}: each case runs in a world of its own. */
  readonly turn: () => Promise<void>;
}

/** Opens a connection to the server. By default: for operations, with id 1 and without a deadline. */
export type Open = (how?: Partial<ConnectOptions>) => Promise<Connection>;

/** The environment of a case: a server, and connections to it that are closed when the case ends. */
export interface ConnectBench {
  readonly clock: Clock;
  readonly bson: BsonCodec;
  readonly server: FrameServer;
  readonly recorder: Recorder;
  /** Calls the factory under test. */
  readonly create: (options?: Partial<ConnectionOptions>, deps?: Partial<ConnectDeps>) => Open;
}

export type ConnectCase = (name: string, run: (bench: ConnectBench) => Promise<void>) => ContractCase;

export const address = 'db1:27017';

/** Creates a world and a server for each case, and checks that no timer and no socket is left. */
export const connectCases =
  ({ createConnect, createWire, bson, turn }: ConnectSuiteDeps): ConnectCase =>
  (name, run) => ({
    name,
    run: async () => {
      const world = createWorld({ turn }, { seed: 1 });
      const { clock, transport, platform, host } = world.runtime;
      const compressors = [atOnce, later];
      const recorder = createRecorder();
      const connections: Connection[] = [];
      await world.run(async () => {
        const { listener } = world.at(address);
        const { server, listening } = await serveFrames(listener, address, createWire({ bson, compressors }));
        const create: ConnectBench['create'] = (options = {}, deps = {}) => {
          const wire = createWire({ bson, compressors });
          const given = { clock, transport, platform, host, bson, wire, compressors, events: recorder, ...deps };
          const connect = createConnect(given, { driver: { name: 'suite', version: '1' }, driverInfo: [], ...options });
          return async how => {
            const connection = await connect(address, { use: 'operations', id: 1, deadline: Infinity, ...how });
            connections.push(connection);
            return connection;
          };
        };
        await run({ clock, bson, server, recorder, create });
        for (const connection of connections) connection.close();
        await listening.close();
        await clock.sleep(10);
        expectEqual(server.open, 0, 'connections that are open at the server after all were closed');
      });
      expectEqual(world.leftovers(), [], 'what is left when all connections are closed');
    },
  });

/** A message that writes a command and records the calls that it receives, in order. */
export interface Note extends Message {
  /** Replies as documents, `end`, `late`, and the kinds of errors. */
  readonly heard: unknown[];
  readonly error: MongoError | undefined;
}

export const noteOf = (command: Document = { ping: 1 }, more: Partial<Message> = {}): Note => {
  const heard: unknown[] = [];
  let error: MongoError | undefined;
  return {
    db: 'db',
    name: Object.keys(command)[0] ?? '',
    operationId: 5,
    answer: 'one',
    body: writer => writer.fields({ ...command, $db: 'db' }),
    reply: reply => void heard.push(reply.document()),
    end: () => void heard.push('end'),
    fail: cause => {
      error = cause;
      heard.push(cause.kind);
    },
    late: reply => void heard.push('late', reply.document()),
    ...more,
    heard,
    get error() {
      return error;
    },
  };
};
