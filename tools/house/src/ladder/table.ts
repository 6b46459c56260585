/**
 * The table of packages: which packages each may import, and which may access the host. The other files here use it.
 */

/** An import cycle in one package. */
export interface Cycle {
  /** All files of the cycle, as paths relative to the package's `src`. */
  readonly files: readonly string[];
  /** The reason why the cycle is necessary. */
  readonly why: string;
}

/** A package of this repository. */
export interface Rung {
  /** The folder in `packages/`. */
  readonly folder: string;
  /** The name on npm. */
  readonly name: string;
  /** The packages of this repository that its sources import. Its package.json and tsconfig.json list exactly these. */
  readonly imports: readonly string[];
  /** Those of `imports` that its published files contain. Its package.json lists them as development dependencies. */
  readonly bundled?: readonly string[];
  /** Whether the package is a composition root. Only roots import packages other than contracts. */
  readonly isRoot: boolean;
  /** Additional entry points that it imports, such as `@tessera/mql/engine`. */
  readonly entries?: readonly string[];
  /** The third-party packages that its sources import. */
  readonly outside: readonly string[];
  /**
   * The globals and modules of the host that its sources may use: all, or these names in these files (relative to its
   * folder).
   */
  readonly host: 'all' | Readonly<Record<string, readonly string[]>>;
  /** The allowed import cycles of its files, including type imports. */
  readonly cycles: readonly Cycle[];
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
  cycles: [],
  ...more,
});

/** A composition root, which imports contracts and these packages and combines them. */
const root = (folder: string, imports: readonly string[], more: Partial<Rung> = {}): Rung =>
  tile(folder, { imports: [...contracts, ...imports], isRoot: true, ...more });

const insideMongodb = ['@tessera/client', '@tessera/auth', '@tessera/log', '@tessera/node'];

/** All packages, in the order in which a command passes through them. */
export const ladder: readonly Rung[] = [
  root('mongodb', insideMongodb, {
    bundled: insideMongodb,
    outside: ['bson'],
    // It finds the file that tracing agents wrap.
    host: { 'src/agents.ts': ['import.meta'] },
  }),
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
      cycles: [
        {
          files: [
            'collection.ts',
            'db.ts',
            'indexed-collection.ts',
            'list-cursors.ts',
            'mongo-client.ts',
            'strict-collection.ts',
          ],
          why: 'A client returns its databases, and a database its client and its collections; a collection returns its database, and itself with strict types; a cursor that lists returns its database or collection.',
        },
        {
          files: ['descriptions.ts', 'errors.ts'],
          why: 'The description of a server has its error, and an error of server selection the description of the deployment.',
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
  tile('pool'),
  tile('connection'),
  tile('auth'),
  tile('wire'),
  tile('snappy'),
  tile('zstd', { outside: ['numcodecs'] }),
  tile('javascript', { outside: ['@jitl/quickjs-ng-wasmfile-release-sync', 'quickjs-emscripten-core'] }),
  tile('log'),
  // The UTF-8 conversion of Node.js is several times faster; host.ts has a fallback for other hosts.
  tile('bson', { outside: ['bson'], host: { 'src/host.ts': ['globalThis', 'Buffer'] } }),
  tile('node', { host: 'all' }),
  tile('sim'),
  tile('search', { outside: ['@orama/stemmers', '@orama/stopwords'] }),
  root('cluster', ['@tessera/mql', '@tessera/server'], { entries: ['@tessera/mql/engine', '@tessera/server/parts'] }),
  root('server', ['@tessera/javascript', '@tessera/mql', '@tessera/search', '@tessera/store', '@tessera/text'], {
    entries: ['@tessera/mql/engine'],
    outside: ['@mongodb-js/saslprep'],
  }),
  root('store', ['@tessera/mql'], { entries: ['@tessera/mql/engine'] }),
  tile('mql', {
    outside: ['bson'],
    cycles: [
      {
        files: ['errors.ts', 'value/decimal.ts', 'value/doc.ts', 'value/value.ts', 'value/writer.ts', 'work/meter.ts'],
        why: 'A value may be a decimal or a document of values; decoding, encoding and arithmetic are metered; the meter throws an error, which has fields of values.',
      },
    ],
  }),
  tile('text', { outside: ['@orama/stemmers', '@orama/stopwords'] }),
  root('tessera-server', ['@tessera/cluster', '@tessera/server', '@tessera/node'], {
    name: 'tessera-server',
    // A command-line program reads its arguments, prints, and sets its exit code.
    host: { 'src/cli.ts': ['process', 'console'] },
  }),
  tile('contracts', { imports: [], outside: ['bson'] }),
];

/** A global of the host. */
export interface Ambient {
  readonly name: string;
  /** The alternative, as the end of the sentence "… accesses the host: ". */
  readonly instead: string;
  /** The deterministic part of the global, which may be used. */
  readonly pure?: {
    /** Members that must not be used; all others may. */
    readonly except: readonly string[];
    /** Whether `new X(value)`, with exactly one argument, may be used. */
    readonly construct: boolean;
  };
}

const several = (names: readonly string[], instead: string): readonly Ambient[] =>
  names.map(name => ({ name, instead }));

/** Globals that only `node` may use. */
export const ambient: readonly Ambient[] = [
  ...several(
    ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
    'use `startTimer` or `sleep` of the contract `Clock`',
  ),
  ...several(['queueMicrotask'], 'use a promise'),
  ...several(['performance'], 'use `now` of the contract `Clock`'),
  {
    name: 'Date',
    instead: 'use `wallTime` of the contract `Clock`; `new Date(milliseconds)` is allowed',
    pure: { except: ['now'], construct: true },
  },
  {
    name: 'Math',
    instead: 'use `unit` of the contract `Random`; other members, such as `Math.max`, are allowed',
    pure: { except: ['random'], construct: false },
  },
  ...several(['crypto'], 'use the contract `Crypto`, or `bytes` of the contract `Random`'),
  ...several(['process'], 'use the contract `Host`, or an option'),
  ...several(['Buffer'], 'use `Uint8Array`'),
  ...several(['console'], 'use the contract `EventSink`'),
  ...several(['fetch', 'WebSocket', 'XMLHttpRequest'], 'use the contract `Transport`'),
  {
    name: 'AbortSignal',
    instead: 'use a deadline on `Clock.now()`, or a signal of the caller',
    pure: { except: ['timeout', 'any'], construct: false },
  },
  ...several(['WeakRef', 'FinalizationRegistry'], 'give each resource one owner that closes it'),
  ...several(['EventEmitter', 'EventTarget'], 'use the contract `EventSink`'),
  ...several(['globalThis', 'global', 'window', 'self'], 'pass the value through the first argument'),
  ...several(['require', 'module', '__dirname', '__filename'], 'import what you need at the top of the file'),
];
