/** A runner for the CMAP test format, version 1. Rule: tests/cmap-format/README.md. It knows no file by name. */
import type { ConnectionPool, DriverEvent, Lease } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { PoolOptions } from '@tessera/pool';
import { createPools } from '@tessera/pool';
import type { Recorder, World } from '@tessera/sim';
import { createRecorder, scriptConnect } from '@tessera/sim';

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
  readonly poolOptions?: Partial<PoolOptions> & { readonly backgroundThreadIntervalMS?: number };
  readonly operations: readonly Operation[];
  readonly error?: { readonly type: string; readonly message?: string; readonly address?: Json };
  readonly events?: readonly { readonly [key: string]: Json }[];
  readonly ignore?: readonly string[];
}

/** The format's name and members for one of our events. */
const inFormat = (event: DriverEvent): { readonly [key: string]: unknown } => {
  const type = event.name.charAt(0).toUpperCase() + event.name.slice(1);
  const duration = 'durationMS' in event ? { duration: event.durationMS } : {};
  return { ...event, ...duration, type };
};

/** Rule: README, "Spec Test Match Function". */
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

/** Our errors under the names of the specification. */
const typeOf = (error: MongoError): string => {
  if (error.kind === 'timeout') return 'WaitQueueTimeoutError';
  if (error.kind !== 'pool') return error.kind;
  if (error.cause !== undefined) return 'PoolClearedError';
  return error.message.startsWith('Attempted') ? 'PoolClosedError' : 'WaitQueueTimeoutError';
};

const poolOptions = ({ backgroundThreadIntervalMS: _, ...options }: NonNullable<CmapTest['poolOptions']>) => options;

class Run {
  readonly #world: World;
  readonly #test: CmapTest;
  readonly #events: Recorder = createRecorder();
  readonly #pool: ConnectionPool;
  readonly #leases = new Map<string, Lease>();
  readonly #threads = new Map<string, Promise<void>>();

  constructor(world: World, test: CmapTest) {
    this.#world = world;
    this.#test = test;
    const { clock } = world.runtime;
    const { connect } = scriptConnect({ clock });
    const openPool = createPools({ clock, events: this.#events, connect }, poolOptions(test.poolOptions ?? {}));
    this.#pool = openPool('db1:27017', () => undefined);
  }

  /** Answers what is wrong. */
  async run(): Promise<readonly string[]> {
    const error = await this.#operations().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const problems = [...this.#checkError(error), ...this.#checkEvents()];
    // What the test leaves waiting must not fail unheard.
    this.#pool.close();
    await Promise.allSettled(this.#threads.values());
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
    if (before === undefined) throw new Error(`No thread was started as ${thread}`);
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
        if (operation.label !== undefined) this.#leases.set(operation.label, lease);
        return;
      }
      case 'checkIn':
        this.#leases.get(operation.connection ?? '')?.release();
        return;
      case 'clear':
        this.#pool.clear({
          cause: new MongoError('network', 'the test says so'),
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
        throw new Error(`The format has no operation ${operation.name}`);
    }
  }

  #waitForEvent({ event, count = 1, timeout = 10_000 }: Operation): Promise<void> {
    const { clock } = this.#world.runtime;
    const seen = (): number => this.#events.events.filter(each => inFormat(each)['type'] === event).length;
    if (seen() >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = clock.startTimer(timeout, () => {
        reject(new Error(`${event} came ${seen()} times within ${timeout} ms, not ${count}`));
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
    if (expected === undefined) return error === undefined ? [] : [`unexpected: ${String(error)}`];
    if (!MongoError.is(error)) return [`expected ${expected.type}, got ${String(error)}`];
    const isSo =
      expected.type === typeOf(error) &&
      // Ours begin with the specification's words; then comes what to do.
      error.message.startsWith(expected.message ?? '') &&
      (expected.address === undefined || matches(expected.address, error.origin?.address));
    return isSo ? [] : [`expected ${JSON.stringify(expected)}, got ${typeOf(error)}: ${error.message}`];
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

/** Runs one test of style `unit`; answers what is wrong, nothing if all is well. */
export const runCmapTest = (world: World, test: CmapTest): Promise<readonly string[]> =>
  world.run(() => new Run(world, test).run());
