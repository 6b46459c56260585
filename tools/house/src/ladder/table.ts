/** The law as data: which package may import which, and which may touch the host. Everything else here is made from it. */

/** Files of one package that import each other. */
export interface Circle {
  /** All files of the circle, as paths from the package's `src`. */
  readonly files: readonly string[];
  /** Why the circle is the honest shape, or what will untie it. */
  readonly why: string;
}

/** One package of ours. */
export interface Rung {
  /** Its folder under `packages/`. */
  readonly folder: string;
  /** Its name on npm. */
  readonly name: string;
  /** The packages of ours that its sources import; its package.json and tsconfig.json name exactly these. */
  readonly imports: readonly string[];
  /** It is a composition root: only roots import other packages than contracts. */
  readonly isRoot: boolean;
  /** Entries of these packages that it imports besides their first: `@tessera/mql/engine`. */
  readonly entries?: readonly string[];
  /** The packages of others that its sources import. */
  readonly outside: readonly string[];
  /** What of the host its sources may name: everything, or these names in these files (paths from the package's folder). */
  readonly host: 'all' | Readonly<Record<string, readonly string[]>>;
  /** The circles among its files, imports of types included; all others are faults. */
  readonly circles: readonly Circle[];
}

const nothing: Rung['host'] = {};
const contracts = ['@tessera/contracts'];

const tile = (folder: string, more: Partial<Rung> = {}): Rung => ({
  folder,
  name: `@tessera/${folder}`,
  imports: contracts,
  isRoot: false,
  outside: [],
  host: nothing,
  circles: [],
  ...more,
});

/** A composition root: it imports contracts and these packages, and puts them together. */
const root = (folder: string, imports: readonly string[], more: Partial<Rung> = {}): Rung =>
  tile(folder, { imports: [...contracts, ...imports], isRoot: true, ...more });

/** In the order in which a command falls; the last imports nothing. */
export const ladder: readonly Rung[] = [
  root('mongodb', ['@tessera/client', '@tessera/auth', '@tessera/log', '@tessera/node'], { outside: ['bson'] }),
  root(
    'client',
    [
      '@tessera/uri',
      '@tessera/operations',
      '@tessera/gridfs',
      '@tessera/session',
      '@tessera/retry',
      '@tessera/attempt',
      '@tessera/topology',
      '@tessera/pool',
      '@tessera/connection',
      '@tessera/auth',
      '@tessera/wire',
      '@tessera/bson',
    ],
    {
      // Types only: the classes of values that filters and updates name.
      outside: ['bson'],
      circles: [
        {
          files: ['collection.ts', 'db.ts'],
          why: 'A database returns its collections, and a collection returns its database.',
        },
      ],
    },
  ),
  tile('uri'),
  tile('gridfs'),
  tile('operations'),
  tile('session'),
  tile('retry'),
  tile('attempt'),
  tile('topology'),
  tile('pool', {
    circles: [
      {
        files: ['lease.ts', 'wait-queue.ts'],
        why: 'A connection that is being opened has the request that waits for it, and that request has the connection.',
      },
    ],
  }),
  tile('connection'),
  tile('auth', { outside: ['@mongodb-js/saslprep'] }),
  tile('wire'),
  tile('snappy'),
  tile('zstd', { outside: ['numcodecs'] }),
  tile('log'),
  // Node's own conversion of UTF-8 is several times faster than any other; where it is absent, host.ts does without.
  tile('bson', { outside: ['bson'], host: { 'src/host.ts': ['globalThis', 'Buffer'] } }),
  tile('node', { host: 'all' }),
  tile('sim'),
  root('cluster', ['@tessera/mql', '@tessera/server'], { entries: ['@tessera/mql/engine', '@tessera/server/parts'] }),
  root('server', ['@tessera/mql'], { entries: ['@tessera/mql/engine'], outside: ['@mongodb-js/saslprep'] }),
  tile('mql', {
    outside: ['bson'],
    circles: [
      {
        files: ['errors.ts', 'value/decimal.ts', 'value/doc.ts', 'value/value.ts', 'value/writer.ts', 'work/meter.ts'],
        why: 'A value may be a decimal or a document of values; decoding, encoding and arithmetic are metered; the meter throws an error, which has fields of values.',
      },
    ],
  }),
  root('tessera-server', ['@tessera/cluster', '@tessera/server', '@tessera/node'], {
    name: 'tessera-server',
    // A command reads its arguments, prints, and sets its exit code.
    host: { 'src/cli.ts': ['process', 'console'] },
  }),
  tile('contracts', { imports: [], outside: ['bson'] }),
];

/** A global of the host. */
export interface Ambient {
  readonly name: string;
  /** The contract to use instead, as the end of the sentence "… is the outside world: ". */
  readonly instead: string;
  /** Set where a part of it is a pure function and may be used. */
  readonly pure?: {
    /** Members that may not be used; all others may. */
    readonly except: readonly string[];
    /** Whether `new X(value)`, with exactly one argument, may be used. */
    readonly construct: boolean;
  };
}

const several = (names: readonly string[], instead: string): readonly Ambient[] =>
  names.map(name => ({ name, instead }));

/** What no source names outside `node`. */
export const ambient: readonly Ambient[] = [
  ...several(
    ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
    'use `startTimer` or `sleep` of the contract `Clock`',
  ),
  ...several(['queueMicrotask'], 'use a promise'),
  ...several(['performance'], 'use `now` of the contract `Clock`'),
  {
    name: 'Date',
    instead: 'use `wallTime` of the contract `Clock`; `new Date(milliseconds)` is fine',
    pure: { except: ['now'], construct: true },
  },
  {
    name: 'Math',
    instead: 'use `unit` of the contract `Random`; the other members of Math are fine by their names, `Math.max`',
    pure: { except: ['random'], construct: false },
  },
  ...several(['crypto'], 'use the contract `Crypto`, or `bytes` of the contract `Random`'),
  ...several(['process'], 'use the contract `Host`, or an option'),
  ...several(['Buffer'], 'use `Uint8Array`'),
  ...several(['console'], 'use the contract `EventSink`'),
  ...several(['fetch', 'WebSocket', 'XMLHttpRequest'], 'use the contract `Transport`'),
  {
    name: 'AbortSignal',
    instead: 'a deadline is a number on `Clock.now()`, and a signal comes from the caller',
    pure: { except: ['timeout', 'any'], construct: false },
  },
  ...several(['WeakRef', 'FinalizationRegistry'], 'every resource has one owner and one `close`'),
  ...several(['EventEmitter', 'EventTarget'], 'use the contract `EventSink`'),
  ...several(['globalThis', 'global', 'window', 'self'], 'take what you need through the first argument'),
  ...several(['require', 'module', '__dirname', '__filename'], 'import what you need at the top of the file'),
];
