import type { DriverEvent, Lease } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { PoolOptions } from '@tessera/pool';
import { createPools } from '@tessera/pool';
import type { ConnectScript, HandshakeStep } from '@tessera/sim';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

type Action =
  | { readonly do: 'checkOut'; readonly within: number; readonly abortable: boolean }
  | { readonly do: 'release' | 'breakOff' | 'abort'; readonly which: number }
  | { readonly do: 'clear'; readonly interruptInUse: boolean }
  | { readonly do: 'ready' }
  | { readonly do: 'pass'; readonly ms: number };

const which = fc.nat(20);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('checkOut' as const),
      within: fc.constantFrom(Infinity, 5, 50),
      abortable: fc.boolean(),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constantFrom('release' as const, 'breakOff' as const, 'abort' as const), which }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), interruptInUse: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ready' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(60) }) },
);

interface Handshake {
  readonly after: number;
  readonly fails: boolean;
}
const handshake: fc.Arbitrary<Handshake> = fc.record({
  after: fc.nat(30),
  fails: fc.nat(4).map(chance => chance === 0),
});

const options: fc.Arbitrary<Partial<PoolOptions>> = fc
  .record({
    maxPoolSize: fc.integer({ min: 0, max: 4 }),
    minPoolSize: fc.nat(2),
    maxConnecting: fc.integer({ min: 1, max: 3 }),
    maxIdleTimeMS: fc.constantFrom(0, 20),
    waitQueueTimeoutMS: fc.constantFrom(0, 25),
  })
  .filter(({ maxPoolSize, minPoolSize }) => maxPoolSize === 0 || minPoolSize <= maxPoolSize);

/** An operation that checks out a connection. */
class Operation {
  readonly abort: AbortController | undefined;
  lease: Lease | undefined;
  error: MongoError | undefined;
  released = false;

  constructor(abort: AbortController | undefined) {
    this.abort = abort;
  }

  get waits(): boolean {
    return this.lease === undefined && this.error === undefined;
  }

  get holds(): boolean {
    return this.lease !== undefined && !this.released;
  }
}

/** Checks the invariants of a pool. Called after every action. */
class Trial {
  readonly world = createWorld({ turn }, { seed: 3 });
  readonly clock = this.world.runtime.clock;
  readonly events = createRecorder();
  readonly script: ConnectScript = scriptConnect({ clock: this.clock });
  readonly operations: Operation[] = [];
  readonly reported: MongoError[] = [];
  readonly options: Partial<PoolOptions>;
  readonly pool;
  failures = 0;
  readonly #problems: unknown[] = [];

  constructor(given: Partial<PoolOptions>, handshakes: readonly Handshake[]) {
    this.options = given;
    this.script.next(...handshakes.map(each => this.#step(each)));
    const deps = { clock: this.clock, events: this.events, connect: this.script.connect };
    this.pool = createPools(deps, given)('db1:27017', error => this.reported.push(error));
  }

  #step({ after, fails }: Handshake): HandshakeStep {
    const fail = (): MongoError => {
      this.failures += 1;
      return new MongoError('network', 'no', { origin: { phase: 'hello', sent: false } });
    };
    return fails ? { after, fail } : { after };
  }

  async perform(step: Action): Promise<void> {
    switch (step.do) {
      case 'checkOut':
        this.#checkOut(step.within, step.abortable);
        break;
      case 'release': {
        const holding = this.operations.filter(({ holds }) => holds);
        this.#release(holding[step.which % holding.length]);
        break;
      }
      case 'breakOff': {
        const open = this.script.connections.filter(({ closed }) => !closed);
        open[step.which % open.length]?.breakOff();
        break;
      }
      case 'abort':
        this.operations[step.which % this.operations.length]?.abort?.abort('enough');
        break;
      case 'clear':
        this.pool.clear({ cause: new MongoError('network', 'gone'), interruptInUse: step.interruptInUse });
        if (step.interruptInUse) this.#interrupted();
        await this.clock.sleep(0);
        expect(this.operations.filter(({ waits }) => waits)).toEqual([]);
        break;
      case 'ready':
        this.pool.ready();
        break;
      case 'pass':
        await this.clock.sleep(step.ms);
    }
    await this.clock.sleep(0);
    this.check();
  }

  #checkOut(within: number, abortable: boolean): void {
    const operation = new Operation(abortable ? new AbortController() : undefined);
    this.operations.push(operation);
    const served = (lease: Lease): void => {
      operation.lease = lease;
      expect(lease.connection.closed && !this.#wasBrokenOff(lease)).toBe(false);
      // For each earlier operation that still waits, a connection is being opened.
      const older = this.operations.slice(0, this.operations.indexOf(operation)).filter(({ waits }) => waits);
      expect(older.length).toBeLessThanOrEqual(this.options.maxConnecting ?? 2);
    };
    const soon = this.pool.checkOut({ deadline: this.clock.now() + within, signal: operation.abort?.signal });
    if (!(soon instanceof Promise)) return served(soon);
    soon.then(served).catch((error: unknown) => {
      if (MongoError.is(error)) operation.error = error;
      else this.#problems.push(error);
    });
  }

  /** Removes the closed connections in use from the model. Returning them later has no effect. */
  #interrupted(): void {
    const holding = this.operations.filter(({ holds }) => holds);
    const open = holding.filter(({ lease }) => lease?.connection.closed === false);
    expect([open, this.pool.load]).toEqual([[], 0]);
    const told = this.events.events.length;
    for (const operation of holding) this.#release(operation);
    expect(this.events.events.length).toBe(told);
  }

  #wasBrokenOff(lease: Lease): boolean {
    return this.script.connections.find(({ id }) => id === lease.connection.id)?.closing === undefined;
  }

  #release(operation: Operation | undefined): void {
    if (operation === undefined) return;
    operation.released = true;
    operation.lease?.release();
  }

  check(): void {
    expect(this.#problems).toEqual([]);
    const { maxPoolSize = 100, maxConnecting = 2 } = this.options;
    const open = this.events.count('connectionCreated') - this.events.count('connectionClosed');
    if (maxPoolSize > 0) expect(open).toBeLessThanOrEqual(maxPoolSize);
    expect(this.script.pending).toBeLessThanOrEqual(maxConnecting);
    expect(this.pool.load).toBe(this.operations.filter(({ waits, holds }) => waits || holds).length);
    expect(this.reported).toHaveLength(this.failures);
    const leases = this.operations.filter(({ holds }) => holds).map(({ lease }) => lease);
    expect(new Set(leases).size).toBe(leases.length);
  }

  async end(): Promise<void> {
    this.pool.close();
    await this.clock.sleep(0);
    expect(this.operations.filter(({ waits }) => waits)).toEqual([]);
    for (const operation of this.operations) if (operation.holds) this.#release(operation);
    await this.clock.sleep(0);
    this.check();
    expect(this.pool.load).toBe(0);
    expect(this.script.pending).toBe(0);
    expect(this.script.connections.filter(({ closed }) => !closed)).toEqual([]);
    expect(this.world.leftovers()).toEqual([]);
    checkGrammar(this.events.events);
  }
}

const of = (events: readonly DriverEvent[], ...names: string[]): number =>
  events.filter(({ name }) => names.includes(name)).length;

/** The events that may follow each event. Rule: CMAP, "Connection Pool Monitoring". */
const checkGrammar = (events: readonly DriverEvent[]): void => {
  const lives = new Map<number, string>();
  for (const event of events) {
    if (!('connectionId' in event) || typeof event.connectionId !== 'number') continue;
    const word = event.name.replace('connection', '');
    lives.set(event.connectionId, `${lives.get(event.connectionId) ?? ''}${word} `);
  }
  for (const life of lives.values()) {
    expect(life).toMatch(/^Created (Ready (CheckedOut CheckedIn )*)?Closed $/);
  }
  expect([...lives.keys()]).toEqual(Array.from({ length: lives.size }, (_, index) => index + 1));
  expect(of(events, 'connectionCheckOutStarted')).toBe(of(events, 'connectionCheckedOut', 'connectionCheckOutFailed'));
  const pool = events.filter(({ name }) => name.startsWith('connectionPool')).map(({ name }) => name.slice(14));
  expect(pool.join(' ')).toMatch(/^Created( Ready Cleared)*( Ready)? Closed$/);
  for (const event of events) {
    if ('durationMS' in event) expect(event.durationMS).toBeGreaterThanOrEqual(0);
  }
};

describe('any sequence of checkouts, releases, clears, failures and time steps', { timeout: 60_000 }, () => {
  test('keeps the limits, the order of waiters and the order of events, and leaves no connection or timer', async () => {
    let served = 0;
    let interesting = 0;
    await fc.assert(
      fc.asyncProperty(
        options,
        fc.array(handshake, { minLength: 5, maxLength: 40 }),
        fc.array(action, { minLength: 10, maxLength: 80, size: 'max' }),
        async (given, handshakes, actions) => {
          const trial = new Trial(given, handshakes);
          await trial.world.run(async () => {
            trial.pool.ready();
            for (const step of actions) await trial.perform(step);
            await trial.end();
          });
          served += trial.events.count('connectionCheckedOut');
          interesting += trial.operations.filter(({ error }) => error !== undefined).length;
        },
      ),
      { numRuns: 60 },
    );
    // Without served and rejected operations the property would test nothing.
    expect(served).toBeGreaterThan(100);
    expect(interesting).toBeGreaterThan(100);
  });

  test('CMAP "WaitQueue", fair: serves waiting operations strictly in order once all connections are open', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ comes: fc.nat(30), keeps: fc.nat(30), patience: fc.constantFrom(Infinity, 10) }), {
          maxLength: 60,
        }),
        async (size, operations) => {
          const world = createWorld({ turn });
          const { clock } = world.runtime;
          const { connect } = scriptConnect({ clock });
          const limits = { maxPoolSize: size, minPoolSize: size, maxConnecting: size };
          const pool = createPools({ clock, events: createRecorder(), connect }, limits)('db1:27017', () => undefined);
          const arrived: number[] = [];
          const served: number[] = [];
          await world.run(async () => {
            pool.ready();
            await clock.sleep(5);
            const all = operations.map(async ({ comes, keeps, patience }, index) => {
              await clock.sleep(comes);
              arrived.push(index);
              const soon = pool.checkOut({ deadline: clock.now() + patience });
              const lease = await Promise.resolve(soon).catch(() => undefined);
              if (lease === undefined) {
                arrived.splice(arrived.indexOf(index), 1);
                return;
              }
              served.push(index);
              await clock.sleep(keeps);
              lease.release();
            });
            await Promise.all(all);
          });
          expect(served).toEqual(arrived);
          expect(pool.load).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });
});
