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
   * Resolves in a later turn of the host's event loop, when every promise that could settle by itself has settled. On
   * Node.js: `() => new Promise(resolve => setImmediate(resolve))`. It is the only thing that the world cannot simulate.
   */
  readonly turn: () => Promise<void>;
  /** Without it, whoever asks the runtime for a hash is refused. Its thread pools take no virtual time. */
  readonly crypto?: Crypto | undefined;
  readonly compressors?: readonly Compressor[] | undefined;
}

/** DNS records of the world, by name. */
export interface Names {
  readonly srv?: Readonly<Record<string, readonly SrvRecord[]>>;
  readonly txt?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export interface WorldOptions {
  /** A whole number. The same seed and the same program give the same history. Default 0. */
  readonly seed?: number;
  /** Default one millisecond each way, no jitter. */
  readonly latency?: Latency;
  /** Nothing goes wrong by chance unless it is said here or later. */
  readonly mishaps?: Partial<Mishaps>;
  /** Cut what is written into pieces at places drawn from the seed. Default true: a stream has no messages. */
  readonly splitWrites?: boolean;
  /** Sockets ask for room before bytes arrive, as hosts without a shared read buffer do. Default false. */
  readonly readsAhead?: boolean;
  /** Bytes on their way after which `write` answers false. Default 65,536. */
  readonly sendBuffer?: number;
  /** Hosts that can be resolved although nobody has listened there yet. */
  readonly hosts?: readonly string[];
  readonly names?: Names;
  readonly environment?: Readonly<Record<string, string>>;
  /** `Clock.wallTime` at the beginning. Default the first of January 2026, UTC. */
  readonly wallTime?: number;
  /** How much virtual time one `run` may take. Default one day. */
  readonly horizon?: Millis;
  /** How many timers and packets one `run` may take: an endless loop without time in it is found by this. */
  readonly steps?: number;
  /** How many lines of history are kept; then the older half of them is forgotten. Default one million. */
  readonly historyLimit?: number;
  /** Keep the place in the program where each timer was started, for `leftovers`. Costs time. Default false. */
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

/** One thing that happened. */
export interface HistoryEntry {
  readonly at: Millis;
  readonly what: string;
}

export interface World {
  /** The runtime of the program under test; on the network its name is `client`. */
  readonly runtime: Runtime;
  /** A runtime of the same world under another name on the network, with a stream of chance of its own. */
  at(name: string): Runtime;
  readonly network: Network;
  /** Chance for the test itself: faults and schedules drawn from the seed. */
  readonly chance: Chance;
  /** Everything that happened so far, oldest first. Two worlds with one seed and one program have equal histories. */
  readonly history: readonly HistoryEntry[];
  /** Adds a line to the history. */
  note(what: string): void;
  /** Sets the wall clock forward or back; `Clock.now` is not moved by it. */
  shiftWallTime(by: Millis): void;
  /**
   * Runs the program until it settles, and the world with it: every microtask, then the earliest timer or packet, then
   * again. Time stands still in between; call it again to go on from where it stopped.
   *
   * @throws what main throws; what a timer or socket callback throws; MongoError `usage` with time and seed when nothing
   * will ever happen and main has not finished (a deadlock, with a list of what waits), or when the horizon is passed.
   */
  run<T>(main: () => Promise<T>): Promise<T>;
  /** What was not closed or cancelled: listeners, ends of connections, timers. Empty after an orderly end. */
  leftovers(): readonly string[];
}

const createResolver = (clock: Runtime['clock'], names: Names, delay: Millis): Resolver => {
  const lookUp = async <T>(
    records: Readonly<Record<string, T>> | undefined,
    type: string,
    name: string,
  ): Promise<T> => {
    await clock.sleep(2 * delay);
    const found = records?.[name];
    if (found !== undefined) return found;
    throw new MongoError('network', `The name ${name} has no ${type} record in this world; give it in \`names\`.`, {
      origin: { phase: 'resolve', sent: false, address: undefined },
    });
  };
  return {
    srv: name => lookUp(names.srv, 'SRV', name),
    txt: name => lookUp(names.txt, 'TXT', name),
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
    host: { environment: (name: string) => settings.environment[name] },
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
    // In a then, so that main starts in a turn of the world and what it throws at once is an outcome too.
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
        if (due === undefined) throw stuck('nothing will ever happen, and main has not finished: a deadlock');
        if (due > end) throw stuck(`main has not finished within ${settings.horizon} ms (option horizon)`);
        if (step >= settings.steps)
          throw stuck(`main has not finished within ${step} timers and packets (option steps)`);
        const next = agenda.next();
        if (next === undefined) continue;
        // What packets do is told where they arrive.
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
