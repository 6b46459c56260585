import type { Millis } from '@tessera/contracts';
import type { UserOption } from './auth/given-users.js';
import type { DataOptions } from './disk/disk.js';
import type { CapacityOptions } from './engine/capacity.js';
import type { SearchOptions } from './search/search.js';

/** The options of `createServer`. */
export interface ServerOptions {
  /**
   * The MongoDB version that the server emulates, from 4.2.0 to 8.2.x. It determines the wire version, the commands,
   * the fields of replies, and error labels and messages. Default: `8.2.1`.
   */
  readonly version?: string;
  /**
   * Initial values of server parameters by name, like mongod's `--setParameter`: `{ cursorTimeoutMillis: 1000 }`. The
   * command `getParameter: '*'` lists the parameters. Default: mongod's values.
   */
  readonly parameters?: Readonly<Record<string, boolean | number>>;
  /**
   * Enables commands that exist for tests only, like mongod's `enableTestCommands=1`. `configureFailPoint` sets the
   * fail points `failCommand`, `onPrimaryTransactionalWrite`, `failGetMoreAfterCursorCheckout`, `maxTimeAlwaysTimeOut`,
   * `stopReplProducer` and `rsSyncApplyStop`. Default: false.
   */
  readonly testCommands?: boolean;
  /**
   * The name of a replica set, such as `rs0` for clients with `mongodb://…/?replicaSet=rs0`. The server is the only
   * member of this set, and its primary from the start. It supports transactions, change streams and retryable writes.
   * Its host in the set is the address of the last call of `listen`, or `127.0.0.1:27017` if there is none. For several
   * members, use `createCluster` of `@tessera/cluster`. Default: the server is a standalone.
   */
  readonly replicaSet?: string;
  /**
   * Whether clients must authenticate, with SCRAM-SHA-256, SCRAM-SHA-1, MONGODB-X509 or PLAIN. Default: true if `users`
   * is not empty. While there are no users, an unauthenticated client can create the first one with `createUser` on
   * `admin`.
   */
  readonly auth?: boolean;
  /**
   * Users that exist when the server is created. Users created with `createUser` and changes with `updateUser` are part
   * of the data, and take precedence. A user removed with `dropUser` exists again when a server is created with the same
   * options. Default: none.
   */
  readonly users?: readonly UserOption[];
  /**
   * The interval at which the server saves writes to the journal, in milliseconds: at its multiples on the runtime's
   * clock, or, with `data`, this long after the first unsaved write. A write that a client awaits with `j: true` or write
   * concern majority is saved at once, with all earlier writes. {@link Server.crash} loses unsaved writes. Default: 100.
   */
  readonly journalInterval?: Millis;
  /**
   * Stores the data in a folder, from which a later server can load it. A write with `j: true` or write concern
   * majority is acknowledged after it is synced to disk. Other writes are saved after `journalInterval`. Default: data
   * is in memory only.
   */
  readonly data?: DataOptions;
  /**
   * The approximate memory that the oplog of a replica set member may use, in megabytes of 1,048,576 bytes, at least 1. mongod's setting is
   * `replication.oplogSizeMB`. It limits how far back a change stream can resume. Default: 24, enough for about 10,000
   * updates of small documents.
   */
  readonly oplogSizeMB?: number;
  /**
   * The approximate memory that documents and indexes may use, in megabytes of 1,048,576 bytes, at least 1. A write that needs more fails
   * with 146 (ExceededMemoryLimit). Default: three quarters of the runtime's `host.heapLimit()`, which on Node.js is
   * V8's limit of the heap. `--max-old-space-size` changes that limit. Without `heapLimit`, there is no limit.
   */
  readonly memoryLimitMB?: number;
  /**
   * The maximum number of open connections, also before login. The server closes further connections. With TLS, the limit
   * of each address includes connections whose handshake has not ended. mongod's setting is
   * `net.maxIncomingConnections`. Default: 10,000.
   */
  readonly maxIncomingConnections?: number;
  /**
   * Limits the server's throughput, to simulate overload. Commands that read or write run one after the other, and each
   * takes a given time. Default: no limits.
   */
  readonly capacity?: CapacityOptions;
  /**
   * Enables search indexes and the stages `$search`, `$searchMeta`, `$vectorSearch` and `$listSearchIndexes`, which a
   * mongod has on Atlas only. They are a stand-in: scores differ from those of Atlas. Default: false, the server rejects
   * them like a mongod without Atlas Search.
   */
  readonly search?: boolean | SearchOptions;
}

/** The defaults of options. */
export const serverDefaults: Required<
  Omit<ServerOptions, 'auth' | 'replicaSet' | 'capacity' | 'data' | 'search' | 'memoryLimitMB'>
> = {
  version: '8.2.1',
  parameters: {},
  testCommands: false,
  users: [],
  journalInterval: 100,
  oplogSizeMB: 24,
  maxIncomingConnections: 10_000,
};

/** The server options with defaults filled in. */
export type Resolved = typeof serverDefaults & ServerOptions;
