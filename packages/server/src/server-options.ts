import type { Millis } from '@tessera/contracts';
import type { UserOption } from './auth/given-users.js';
import type { DataOptions } from './disk/disk.js';
import type { CapacityOptions } from './engine/capacity.js';

/** The options of `createServer`. */
export interface ServerOptions {
  /**
   * The MongoDB version that the server emulates, from 4.2.0 to 8.2.x. It determines the wire version, fields of
   * replies, and some behavior. Default: `8.2.1`.
   */
  readonly version?: string;
  /**
   * Initial values of server parameters by name, like mongod's `--setParameter`: `{ cursorTimeoutMillis: 1000 }`.
   * `getParameter: '*'` lists the parameters.
   */
  readonly parameters?: Readonly<Record<string, boolean | number>>;
  /**
   * Enables commands that exist for tests only, like mongod's `enableTestCommands=1`: `configureFailPoint` with the
   * fail points `failCommand`, `onPrimaryTransactionalWrite`, `failGetMoreAfterCursorCheckout` and
   * `maxTimeAlwaysTimeOut`. Default: false.
   */
  readonly testCommands?: boolean;
  /**
   * The name of a replica set. The server is its only member, already initiated and primary:
   * `mongodb://…/?replicaSet=rs0`. It accepts retryable writes, returns `$clusterTime`, and handles `replSetStepDown`.
   * Its host in the set is the address on which it listens. For several members, use `createCluster`.
   */
  readonly replicaSet?: string;
  /**
   * Whether clients must authenticate, with SCRAM-SHA-256, SCRAM-SHA-1 or MONGODB-X509. Default: true if there are
   * `users`. While there are no users, an unauthenticated client can create the first one with `createUser`.
   */
  readonly auth?: boolean;
  /**
   * Users that exist each time the server starts. Changes to them, and users created with `createUser`, are part of the
   * data.
   */
  readonly users?: readonly UserOption[];
  /**
   * The interval between journal writes, in milliseconds. A {@link Server.crash} loses the writes since the last one,
   * except writes that a client awaited with `j: true` or write concern majority. Default: 100.
   */
  readonly journalInterval?: Millis;
  /**
   * Stores the data in a folder, from which a later server can load it. A write with `j: true` or write concern
   * majority is acknowledged after it is synced. Other writes are saved after `journalInterval`. Default: data is in
   * memory only.
   */
  readonly data?: DataOptions;
  /**
   * The approximate memory that a member's oplog may use, in megabytes, like mongod's `replication.oplogSizeMB`. It
   * limits how far back a change stream can resume. Default: 24, enough for about 10,000 updates of small documents.
   */
  readonly oplogSizeMB?: number;
  /**
   * Limits the server's throughput: reads and writes run one after the other, and each takes time. Default: no limits.
   */
  readonly capacity?: CapacityOptions;
}

/** The defaults of options. */
export const serverDefaults: Required<Omit<ServerOptions, 'auth' | 'replicaSet' | 'capacity' | 'data'>> = {
  version: '8.2.1',
  parameters: {},
  testCommands: false,
  users: [],
  journalInterval: 100,
  oplogSizeMB: 24,
};

/** The server options with defaults filled in. */
export type Resolved = typeof serverDefaults & ServerOptions;
