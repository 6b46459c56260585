/** The simulated network: listeners, latencies and faults. */
import type { Address, Listener, Listening, Millis, Socket, Transport, TransportOptions } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import { Conduit } from './conduit.js';
import type { Road } from './conduit.js';

export interface Latency {
  /** The latency of each packet in one direction. A connect takes two. */
  readonly delay: Millis;
  /** The maximum additional latency, drawn for each packet. Packets of one connection never overtake each other. */
  readonly jitter?: Millis;
}

/** Random faults. Each value is a probability from 0 to 1. */
export interface Mishaps {
  /** Per packet of data: the connection is reset instead. */
  readonly reset: number;
  /** Per packet of data: the connection loses all further packets, without notice to either end. */
  readonly silence: number;
  /** Per connect: the connection is refused. */
  readonly refuse: number;
  /** Per packet: its latency is up to `stallFor` longer. */
  readonly stall: number;
  readonly stallFor: Millis;
}

/**
 * Faults between named hosts. A name is an address (`db1:27017`), a host (`db1`, with all its ports), the name of a
 * runtime from `world.at(name)`, or `*` for all.
 */
export interface Network {
  /** Sets the latency of all packets, or of those between two names. The latest matching call applies. */
  latency(latency: Latency, a?: string, b?: string): void;
  /** Holds packets between the two until `heal`. New connects between them wait until their deadline. */
  partition(a: string, b: string): void;
  /** Loses all packets to and from the name: of existing connections for good, of new ones until `heal`. */
  blackhole(name: string): void;
  /** Refuses new connects, even if there is a listener. */
  refuse(name: string): void;
  /** Makes the name unresolvable. */
  forget(name: string): void;
  /** Resets every open connection to and from the name. Returns the number of connections. */
  reset(name: string): number;
  /** Ends every partition, blackhole, refusal and unresolvable name. Packets held by a partition are sent. */
  heal(): void;
  /** Sets the probabilities of random faults. Omitted ones keep their value. */
  mishaps(mishaps: Partial<Mishaps>): void;
  /** Returns the number of connections with an open end. */
  readonly connections: number;
}

export interface NetworkOptions {
  readonly latency: Latency;
  readonly mishaps: Mishaps;
  readonly hosts: readonly string[];
  readonly readsAhead: boolean;
  readonly splitWrites: boolean;
  readonly sendBuffer: number;
}

export interface NetworkDeps {
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly note: (what: string) => void;
}

export interface SimulatedNetwork extends Network {
  transport(from: string): Transport;
  readonly listener: Listener;
  leftovers(): readonly string[];
}

interface Knocking {
  readonly resolve: (socket: Socket) => void;
  readonly reject: (error: MongoError) => void;
}

const loopback = new Set(['127.0.0.1', '[::1]', '0.0.0.0', '[::]', 'localhost']);

const isPath = (address: string): boolean => address.endsWith('.sock');
const hostOf = (address: string): string => {
  const colon = address.lastIndexOf(':');
  return isPath(address) || colon < 0 || address.endsWith(']') ? address : address.slice(0, colon);
};
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));
/** All names of the local machine are equivalent. */
const canonical = (address: string): string => {
  const host = hostOf(address);
  return loopback.has(host) ? `localhost${address.slice(host.length)}` : address;
};
const fits = (end: string, name: string): boolean => {
  const wanted = canonical(name);
  return name === '*' || canonical(end) === wanted || hostOf(canonical(end)) === wanted;
};
const between = (conduit: Conduit, a: string, b: string): boolean =>
  (fits(conduit.from, a) && fits(conduit.to, b)) || (fits(conduit.from, b) && fits(conduit.to, a));
const touches = (conduit: Conduit, name: string): boolean => fits(conduit.from, name) || fits(conduit.to, name);

const failure = (
  kind: 'network' | 'timeout' | 'aborted',
  message: string,
  phase: 'resolve' | 'connect',
  address: Address,
  cause?: unknown,
): MongoError => new MongoError(kind, message, { cause, origin: { phase, sent: false, address } });

export const createNetwork = (deps: NetworkDeps, options: NetworkOptions): SimulatedNetwork => {
  const { agenda, chance, note } = deps;
  const listening = new Map<Address, (socket: Socket) => void>();
  const hosts = new Set(options.hosts.map(host => hostOf(canonical(host))));
  const conduits = new Set<Conduit>();
  const knocking = new Map<Conduit, Knocking>();
  let latencies: { readonly latency: Latency; readonly a: string; readonly b: string }[] = [
    { latency: options.latency, a: '*', b: '*' },
  ];
  let mishaps = options.mishaps;
  let cut: { readonly a: string; readonly b: string }[] = [];
  let silent: string[] = [];
  let refused: string[] = [];
  let forgotten: string[] = [];
  let conduitId = 0;
  let freePort = 49152;

  const drawDelay = (fit: (rule: { readonly a: string; readonly b: string }) => boolean): Millis => {
    const { delay, jitter = 0 } = latencies.findLast(fit)?.latency ?? options.latency;
    const stalled = chance.happens(mishaps.stall) ? chance.unit() * mishaps.stallFor : 0;
    // Rounded to microseconds, so that histories are readable.
    return Math.round((delay + chance.unit() * jitter + stalled) * 1000) / 1000;
  };

  const settle = (conduit: Conduit): Knocking | undefined => {
    const waiting = knocking.get(conduit);
    knocking.delete(conduit);
    return waiting;
  };

  const road: Road = {
    ...options,
    agenda,
    chance,
    note,
    delay: conduit => drawDelay(({ a, b }) => between(conduit, a, b)),
    isCut: conduit => cut.some(({ a, b }) => between(conduit, a, b)),
    fate: () => {
      if (chance.happens(mishaps.reset)) return 'reset';
      return chance.happens(mishaps.silence) ? 'swallowed' : 'arrives';
    },
    knock: conduit => {
      const accept = listening.get(canonical(conduit.to));
      const unlucky = chance.happens(mishaps.refuse);
      if (accept === undefined || unlucky || refused.some(name => fits(conduit.to, name))) {
        note(`${conduit.title} refused`);
        conduit.server.signal('refused');
        conduit.server.shut(undefined);
        return;
      }
      note(`${conduit.title} accepted`);
      conduit.established = true;
      conduit.server.signal('accepted');
      accept(conduit.server);
    },
    answered: (conduit, accepted) => {
      const waiting = settle(conduit);
      if (accepted) return waiting?.resolve(conduit.client);
      conduit.client.shut(undefined);
      waiting?.reject(
        failure(
          'network',
          `${conduit.to} refused the connection from ${conduit.from}: nothing listens there.`,
          'connect',
          conduit.to,
        ),
      );
    },
    gone: conduit => conduits.delete(conduit),
  };

  const begin = (from: string, to: Address): Conduit => {
    const conduit = new Conduit(++conduitId, from, to, road);
    conduits.add(conduit);
    note(`${conduit.title} connects`);
    if (silent.some(name => touches(conduit, name))) conduit.swallow();
    conduit.client.signal('knock');
    return conduit;
  };

  const isKnown = (to: Address): boolean =>
    !forgotten.some(name => fits(to, name)) && (isPath(to) || hosts.has(hostOf(canonical(to))));

  const connect = (from: string, to: Address, { deadline, signal }: TransportOptions): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const begun = agenda.now();
      let conduit: Conduit | undefined;
      const finish = (): void => {
        timer?.cancel();
        signal?.removeEventListener('abort', aborted);
      };
      const fail = (error: MongoError): void => {
        finish();
        if (conduit !== undefined && settle(conduit) !== undefined) conduit.client.destroy();
        reject(error);
      };
      const aborted = (): void => {
        lookUp.cancel();
        fail(failure('aborted', `The connect to ${to} was aborted.`, 'connect', to, signal!.reason));
      };
      const expired = (): void => {
        lookUp.cancel();
        fail(failure('timeout', `${to} did not answer within ${agenda.now() - begun} ms.`, 'connect', to));
      };
      const lookUp = agenda.add(
        agenda.now() + (isKnown(to) ? 0 : drawDelay(({ a, b }) => fits(from, a) && fits(to, b))),
        'packet',
        () => `${from} looks up ${to}`,
        () => {
          if (!isKnown(to)) {
            note(`${from} finds no host of ${to}`);
            return fail(failure('network', `No host is known as ${hostOf(to)}.`, 'resolve', to));
          }
          conduit = begin(from, to);
          knocking.set(conduit, {
            resolve: socket => {
              finish();
              resolve(socket);
            },
            reject: fail,
          });
        },
      );
      const timer =
        deadline === Infinity
          ? undefined
          : agenda.add(deadline, 'timer', () => `deadline of connect to ${to}`, expired);
      if (signal?.aborted === true) aborted();
      else signal?.addEventListener('abort', aborted);
    });

  const listen = (at: Address, accept: (socket: Socket) => void): Listening => {
    const address = !isPath(at) && portOf(at) === 0 ? `${hostOf(at)}:${freePort++}` : at;
    const key = canonical(address);
    if (listening.has(key))
      throw new MongoError('network', `Cannot listen at ${address}: the address is in use. Use another port.`);
    listening.set(key, accept);
    hosts.add(hostOf(key));
    note(`${address} listens`);
    const close = (): Promise<void> => {
      if (listening.get(key) === accept) {
        listening.delete(key);
        note(`${address} listens no more`);
      }
      return Promise.resolve();
    };
    return { address, close };
  };

  return {
    latency: (latency, a = '*', b = '*') => {
      latencies = a === '*' && b === '*' ? [{ latency, a, b }] : [...latencies, { latency, a, b }];
    },
    partition: (a, b) => {
      note(`partition ${a} | ${b}`);
      cut = [...cut, { a, b }];
    },
    blackhole: name => {
      note(`blackhole ${name}`);
      silent = [...silent, name];
      for (const conduit of conduits) if (touches(conduit, name)) conduit.swallow();
    },
    refuse: name => {
      note(`refuse ${name}`);
      refused = [...refused, name];
    },
    forget: name => {
      note(`forget ${name}`);
      forgotten = [...forgotten, name];
    },
    reset: name => {
      const open = [...conduits].filter(conduit => conduit.established && touches(conduit, name));
      for (const conduit of open) conduit.reset('reset');
      return open.length;
    },
    heal: () => {
      note('heal');
      cut = [];
      silent = [];
      refused = [];
      forgotten = [];
      for (const conduit of conduits) conduit.resume();
    },
    mishaps: changed => {
      mishaps = { ...mishaps, ...changed };
    },
    get connections() {
      return conduits.size;
    },
    transport: from => ({
      connect: (to, connectOptions) => {
        const { tls, proxy } = connectOptions;
        if (tls === undefined && proxy === undefined) return connect(from, to, connectOptions);
        const what = tls === undefined ? 'proxies' : 'TLS';
        return Promise.reject(
          new MongoError('usage', `The simulated network knows no ${what}; leave their options out.`),
        );
      },
    }),
    listener: {
      listen: (at, accept) =>
        // Promise executors turn an exception of listen into a rejection.
        new Promise(resolve => {
          resolve(listen(at, accept));
        }),
    },
    leftovers: () => [
      ...[...listening.keys()].map(address => `${address} still listens`),
      ...[...conduits].flatMap(conduit =>
        [conduit.client, conduit.server]
          .filter(end => end.state !== 'shut' && (conduit.established || end === conduit.client))
          .map(end => `${conduit.title}: the end of ${end.name} is ${end.state}`),
      ),
    ],
  };
};
