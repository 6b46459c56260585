import type { Compressor, Crypto, Millis, Platform, Random, Resolver, Runtime, SrvRecord } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createAgenda } from './agenda.js';
import { createChance } from './chance.js';
import type { Chance } from './chance.js';
import { createClock } from './clock.js';
import { createNetwork } from './network.js';
import type { Latency, Mishaps, Network } from './network.js';
import { createOutside, noCrypto, waitingCompressor, waitingCrypto } from './outside.js';
import { simStreams } from './streams.js';

export interface WorldDeps {
  /**
   * Resolves in a later turn of the host's event loop, when every promise that needs no timer or packet has settled. On
   * Node.js: `() => new Promise(resolve => setImmediate(resolve))`. The world cannot simulate this.
   */
  readonly turn: () => Promise<void>;
  /** Hash functions for the runtime. Without it, they throw. Work in the host's thread pool takes no virtual time. */
  readonly crypto?: Crypto | undefined;
  readonly compressors?: readonly Compressor[] | undefined;
}

/** The DNS records of the world, by name. */
export interface Names {
  readonly srv?: Readonly<Record<string, readonly SrvRecord[]>>;
  readonly txt?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export interface WorldOptions {
  /** An integer. The same seed and the same program give the same history. Default 0. */
  readonly seed?: number;
  /** Default one millisecond in each direction, no jitter. */
  readonly latency?: Latency;
  /** Probabilities of random faults. Default none. */
  readonly mishaps?: Partial<Mishaps>;
  /** Cuts writes at random positions, because a stream has no message boundaries. Default true. */
  readonly splitWrites?: boolean;
  /** Requests room before bytes arrive, like hosts without a shared read buffer. Default false. */
  readonly readsAhead?: boolean;
  /** The number of bytes in transit after which `write` returns false. Default 65,536. */
  readonly sendBuffer?: number;
  /** Hosts that can be resolved before anything has listened on them. */
  readonly hosts?: readonly string[];
  readonly names?: Names;
  readonly environment?: Readonly<Record<string, string>>;
  /** The initial `Clock.wallTime`. Default January 1, 2026, UTC. */
  readonly wallTime?: number;
  /** The maximum virtual time of one `run`. Default one day. */
  readonly horizon?: Millis;
  /** The maximum number of timers and packets of one `run`. It ends a loop that takes no virtual time. */
  readonly steps?: number;
  /** The maximum number of history lines. When it is reached, the older half is dropped. Default one million. */
  readonly historyLimit?: number;
  /** Records where each timer was started, for `leftovers`. Slow. Default false. */
  readonly trace?: boolean;
}

const noMishaps: Mishaps = { reset: 0, silence: 0, refuse: 0, stall: 0, stallFor: 1000 };

export const worldDefaults: Required<WorldOptions> = {
  seed: 0,
  latency: { delay: 1 },
  mishaps: noMishaps,
  splitWrites: true,
  readsAhead: false,
  sendBuffer: 65_536,
  hosts: [],
  names: {},
  environment: {},
  wallTime: 1_767_225_600_000,
  horizon: 86_400_000,
  steps: 5_000_000,
  historyLimit: 1_000_000,
  trace: false,
};

/** One line of the history. */
export interface HistoryEntry {
  readonly at: Millis;
  readonly what: string;
}

export interface World {
  /** The runtime of the program under test. Its name on the network is `client`. */
  readonly runtime: Runtime;
  /** Returns a runtime of the same world with another name on the network and its own stream of random numbers. */
  at(name: string): Runtime;
  readonly network: Network;
  /** Seeded random numbers for the test itself, for example to schedule faults. */
  readonly chance: Chance;
  /** The history so far, oldest line first. Two worlds with the same seed and program have equal histories. */
  readonly history: readonly HistoryEntry[];
  /** Adds a line to the history. */
  note(what: string): void;
  /** Moves the wall clock forward or back. `Clock.now` does not change. */
  shiftWallTime(by: Millis): void;
  /**
   * Runs the program in the world until it settles: first every microtask, then the earliest timer or packet, and so
   * on. Time stands still between calls; the next call continues from the same time.
   *
   * @throws the error of `main`, or of a timer or socket callback
   * @throws MongoError `usage` with time and seed if `main` cannot finish because nothing is scheduled (a deadlock; the
   * message lists what is open), or if the horizon is passed
   */
  run<T>(main: () => Promise<T>): Promise<T>;
  /** Returns what was not closed or cancelled: listeners, ends of connections, timers. Empty after an orderly end. */
  leftovers(): readonly string[];
}

const createResolver = (clock: Runtime['clock'], names: Names, delay: Millis): Resolver => {
  const lookUp = async <T>(records: Readonly<Record<string, T>> | undefined, name: string): Promise<T | undefined> => {
    await clock.sleep(2 * delay);
    return records?.[name];
  };
  return {
    srv: async name => {
      const found = await lookUp(names.srv, name);
      if (found !== undefined) return found;
      throw new MongoError('network', `The name ${name} has no SRV record in this world; give it in \`names\`.`, {
        origin: { phase: 'resolve', sent: false, address: undefined },
      });
    },
    txt: async name => (await lookUp(names.txt, name)) ?? [],
  };
};

const platform: Platform = {
  os: { type: 'Simulated', name: 'sim', architecture: 'none', version: '1' },
  runtime: 'Tessera sim',
};

const lineOf = (stack: string | undefined): string => stack?.split('\n').slice(3, 5).join('').trim() ?? '';

/**
 * A world of its own: virtual time, seeded chance, a network with faults. Nothing in it touches the host but `turn`.
 *
 * @example
 * ```ts
 * const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 7 });
 * await world.run(async () => { await world.runtime.clock.sleep(3_600_000); }); // at once
 * ```
 */
export const createWorld = (deps: WorldDeps, options: WorldOptions = {}): World => {
  const settings = { ...worldDefaults, ...options };
  const { seed } = settings;
  const agenda = createAgenda();
  const outside = createOutside();
  const history: HistoryEntry[] = [];
  let wallTime = settings.wallTime;
  let running = false;

  const note = (what: string): void => {
    if (history.length >= settings.historyLimit) history.splice(0, Math.ceil(settings.historyLimit / 2));
    history.push({ at: agenda.now(), what });
  };
  const clock = createClock(agenda, {
    wallTime: () => wallTime,
    label: () => (settings.trace ? ` ${lineOf(new Error().stack)}` : ''),
  });
  const network = createNetwork(
    { agenda, chance: createChance(seed, 'network'), note },
    { ...settings, mishaps: { ...noMishaps, ...options.mishaps } },
  );
  const shared = {
    clock,
    crypto: deps.crypto === undefined ? noCrypto : waitingCrypto(deps.crypto, outside),
    resolver: createResolver(clock, settings.names, settings.latency.delay),
    listener: network.listener,
    streams: simStreams,
    platform,
    host: {
      environment: (name: string) => settings.environment[name],
      loaded: <T>(module: Promise<T>) => outside.wait(module),
    },
    compressors: (deps.compressors ?? []).map(compressor => waitingCompressor(compressor, outside)),
  };
  const at = (name: string): Runtime => {
    const random: Random = createChance(seed, `runtime/${name}`);
    return { ...shared, random, transport: network.transport(name) };
  };
  const leftovers = (): readonly string[] => [
    ...network.leftovers(),
    ...agenda
      .pending()
      .filter(({ kind }) => kind === 'timer')
      .map(({ at: due, what }) => `${what()} is due at ${due} ms`),
  ];

  const stuck = (why: string): MongoError => {
    const waiting = leftovers().slice(0, 20).join('; ');
    return new MongoError(
      'usage',
      `The world (seed ${seed}) stopped at ${agenda.now()} ms: ${why}. Still there: ${waiting === '' ? 'nothing' : waiting}.`,
    );
  };

  const run = async <T>(main: () => Promise<T>): Promise<T> => {
    if (running) throw new MongoError('usage', 'The world is running already: one `run` at a time.');
    running = true;
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    // Starts main in a microtask of the world, so that an exception that it throws synchronously is an outcome too.
    void Promise.resolve()
      .then(main)
      .then(
        value => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      );
    const end = agenda.now() + settings.horizon;
    try {
      for (let step = 0; ; step += 1) {
        await deps.turn();
        while (outside.busy()) {
          await outside.idle();
          await deps.turn();
        }
        if (outcome !== undefined) break;
        const due = agenda.peek();
        if (due === undefined) throw stuck('deadlock: main has not finished, and no timer or packet is scheduled');
        if (due > end) throw stuck(`main has not finished within ${settings.horizon} ms (option horizon)`);
        if (step >= settings.steps)
          throw stuck(`main has not finished within ${step} timers and packets (option steps)`);
        const next = agenda.next();
        if (next === undefined) continue;
        // Packets are noted when they arrive.
        if (next.appointment.kind === 'timer') note(next.appointment.what());
        next.fire();
      }
    } finally {
      running = false;
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };

  return {
    runtime: at('client'),
    at,
    network,
    chance: createChance(seed, 'test'),
    history,
    note,
    shiftWallTime: by => {
      wallTime += by;
    },
    run,
    leftovers,
  };
};
