/** A runner for the CMAP test format, version 1. Rule: tests/cmap-format/README.md. */
import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { Connect, ConnectionPool, Document, DriverEvent, EventSink, Lease, Listening } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { PoolOptions } from '@tessera/pool';
import { createPools } from '@tessera/pool';
import { createServer } from '@tessera/server';
import type { Server } from '@tessera/server';
import type { Recorder, World } from '@tessera/sim';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { createWire } from '@tessera/wire';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

interface Operation {
  readonly name: string;
  readonly thread?: string;
  readonly target?: string;
  readonly ms?: number;
  readonly event?: string;
  readonly count?: number;
  readonly timeout?: number;
  readonly label?: string;
  readonly connection?: string;
  readonly interruptInUseConnections?: boolean;
}

export interface CmapTest {
  readonly version: number;
  readonly style: 'unit' | 'integration';
  readonly description: string;
  readonly failPoint?: Document;
  readonly poolOptions?: Partial<PoolOptions> & {
    readonly backgroundThreadIntervalMS?: number;
    readonly appName?: string;
  };
  readonly operations: readonly Operation[];
  readonly error?: { readonly type: string; readonly message?: string; readonly address?: Json };
  readonly events?: readonly { readonly [key: string]: Json }[];
  readonly ignore?: readonly string[];
}

/** Converts a driver event to the name and fields of the test format. */
const inFormat = (event: DriverEvent): { readonly [key: string]: unknown } => {
  const type = event.name.charAt(0).toUpperCase() + event.name.slice(1);
  const duration = 'durationMS' in event ? { duration: event.durationMS } : {};
  return { ...event, ...duration, type };
};

/** Returns whether the actual value matches the expected one. Rule: README, "Spec Test Match Function". */
export const matches = (expected: Json, actual: unknown): boolean => {
  if (expected === 42 || expected === '42') return actual !== undefined && actual !== null;
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && expected.every((item: Json, index) => matches(item, actual[index]));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return false;
    return Object.entries(expected).every(([key, value]) => matches(value, (actual as Record<string, unknown>)[key]));
  }
  return expected === actual;
};

/** Returns the specification's name for a driver error. */
const typeOf = (error: MongoError): string => {
  if (error.kind === 'timeout') return 'WaitQueueTimeoutError';
  if (error.kind !== 'pool') return error.kind;
  if (error.cause !== undefined) return 'PoolClearedError';
  return error.message.startsWith('Attempted') ? 'PoolClosedError' : 'WaitQueueTimeoutError';
};

const poolOptions = ({
  backgroundThreadIntervalMS: _,
  appName: __,
  ...options
}: NonNullable<CmapTest['poolOptions']>): Partial<PoolOptions> => options;

const address = 'db1:27017';

/** The server side of the tested pool: a script, or an embedded server that supports fail points. */
interface Endpoint {
  connect(events: EventSink, appName: string | undefined): Connect;
  configure(failPoint: Document): Promise<void>;
  close(): Promise<void>;
}

const scripted = ({ runtime: { clock } }: World): Endpoint => ({
  connect: () => scriptConnect({ clock }).connect,
  configure: () => Promise.reject(new Error('A test of style "unit" has no fail points.')),
  close: () => Promise.resolve(),
});

const served = async (world: World): Promise<Endpoint> => {
  const server: Server = createServer(world.at('db1'), { testCommands: true });
  const listening: Listening = await server.listen(address);
  const { clock, transport, platform, host } = world.runtime;
  const wire = createWire({ bson, compressors: [] });
  const connect: Endpoint['connect'] = (events, appName) =>
    createConnect({ clock, transport, wire, bson, events, platform, host, compressors: [] }, { appName });
  return {
    connect,
    configure: async failPoint => {
      const open = connect(createRecorder(), undefined);
      const connection = await open(address, { use: 'operations', id: 0, deadline: Infinity, signal: undefined });
      await connection.command('admin', failPoint, Infinity);
      connection.close();
    },
    close: async () => {
      await listening.close();
      await server.close();
    },
  };
};

class Run {
  readonly #world: World;
  readonly #test: CmapTest;
  readonly #events: Recorder = createRecorder();
  readonly #pool: ConnectionPool;
  readonly #leases = new Map<string, Lease>();
  readonly #handedOut: Lease[] = [];
  readonly #threads = new Map<string, Promise<void>>();

  constructor(world: World, endpoint: Endpoint, test: CmapTest) {
    this.#world = world;
    this.#test = test;
    const { clock } = world.runtime;
    const connect = endpoint.connect(this.#events, test.poolOptions?.appName);
    const openPool = createPools({ clock, events: this.#events, connect }, poolOptions(test.poolOptions ?? {}));
    // A topology also clears the pool when a handshake fails.
    this.#pool = openPool(address, cause => {
      this.#pool.clear({ cause });
    });
  }

  /** Runs the test and returns the differences from its expectations. */
  async run(): Promise<readonly string[]> {
    const error = await this.#operations().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const problems = [...this.#checkError(error), ...this.#checkEvents()];
    // Operations that still wait are rejected here, so wait for them to avoid unhandled rejections.
    this.#pool.close();
    await Promise.allSettled(this.#threads.values());
    for (const lease of this.#handedOut) lease.release();
    return problems;
  }

  async #operations(): Promise<void> {
    for (const operation of this.#test.operations) {
      if (operation.thread === undefined) await this.#perform(operation);
      else this.#schedule(operation.thread, operation);
    }
  }

  #schedule(thread: string, operation: Operation): void {
    const before = this.#threads.get(thread);
    if (before === undefined) throw new Error(`No thread named "${thread}" was started.`);
    const after = before.then(() => this.#perform(operation));
    after.catch(() => undefined);
    this.#threads.set(thread, after);
  }

  async #perform(operation: Operation): Promise<void> {
    const { clock } = this.#world.runtime;
    switch (operation.name) {
      case 'start':
        this.#threads.set(operation.target ?? '', Promise.resolve());
        return;
      case 'wait':
        return clock.sleep(operation.ms ?? 0);
      case 'waitForThread':
        return this.#threads.get(operation.target ?? '');
      case 'waitForEvent':
        return this.#waitForEvent(operation);
      case 'checkOut': {
        const lease = await this.#pool.checkOut({ deadline: Infinity });
        this.#handedOut.push(lease);
        if (operation.label !== undefined) this.#leases.set(operation.label, lease);
        return;
      }
      case 'checkIn':
        this.#leases.get(operation.connection ?? '')?.release();
        return;
      case 'clear':
        this.#pool.clear({
          cause: new MongoError('network', 'The test cleared the pool.'),
          interruptInUse: operation.interruptInUseConnections ?? false,
        });
        return;
      case 'ready':
        this.#pool.ready();
        return;
      case 'close':
        this.#pool.close();
        return;
      default:
        throw new Error(`The format has no operation "${operation.name}".`);
    }
  }

  #waitForEvent({ event, count = 1, timeout = 10_000 }: Operation): Promise<void> {
    const { clock } = this.#world.runtime;
    const seen = (): number => this.#events.events.filter(each => inFormat(each)['type'] === event).length;
    if (seen() >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = clock.startTimer(timeout, () => {
        reject(new Error(`Expected ${count} ${event} events within ${timeout} ms, got ${seen()}.`));
      });
      this.#events.listen(() => {
        if (seen() < count) return;
        timer.cancel();
        resolve();
      });
    });
  }

  #checkError(error: unknown): readonly string[] {
    const expected = this.#test.error;
    if (expected === undefined)
      return error === undefined ? [] : [`unexpected: ${error instanceof Error ? String(error) : typeof error}`];
    if (!MongoError.is(error))
      return [`expected ${expected.type}, got ${error instanceof Error ? error.message : 'none'}`];
    const isExpected =
      expected.type === typeOf(error) &&
      // The driver's messages begin with the specification's text and continue with advice.
      error.message.startsWith(expected.message ?? '') &&
      (expected.address === undefined || matches(expected.address, error.origin?.address));
    return isExpected ? [] : [`expected ${JSON.stringify(expected)}, got ${typeOf(error)}: ${error.message}`];
  }

  #checkEvents(): readonly string[] {
    const ignored = new Set(this.#test.ignore ?? []);
    const actual = this.#events.events.map(inFormat).filter(event => !ignored.has(event['type'] as string));
    return (this.#test.events ?? []).flatMap((expected, index) =>
      matches(expected, actual[index])
        ? []
        : [`event ${index}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual[index])}`],
    );
  }
}

const play = async (world: World, test: CmapTest): Promise<readonly string[]> => {
  const endpoint = test.style === 'unit' ? scripted(world) : await served(world);
  try {
    const { failPoint } = test;
    if (failPoint !== undefined) await endpoint.configure(failPoint);
    const problems = await new Run(world, endpoint, test).run();
    if (failPoint !== undefined)
      await endpoint.configure({ configureFailPoint: failPoint['configureFailPoint'] as unknown, mode: 'off' });
    return problems;
  } finally {
    await endpoint.close();
  }
};

/** Runs one test in a new simulated world. Returns the differences from its expectations; empty if it passed. */
export const runCmapTest = async (test: CmapTest): Promise<readonly string[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 1 });
  const problems = await world.run(() => play(world, test));
  return [...problems, ...world.leftovers().map(left => `left over: ${left}`)];
};
