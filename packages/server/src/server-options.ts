import type { Millis } from '@tessera/contracts';
import type { UserOption } from './auth/given-users.js';
import type { DataOptions } from './disk/disk.js';
import type { CapacityOptions } from './engine/capacity.js';

export interface ServerOptions {
  /** The version that the server stands in for, from 4.2.0 to 8.2.x: it decides on wire version, fields and some behaviour. */
  readonly version?: string;
  /**
   * What parameters are when it starts, by their names, as mongod's `--setParameter`: `{ cursorTimeoutMillis: 1000 }`. Which there are:
   * `getParameter: '*'`.
   */
  readonly parameters?: Readonly<Record<string, boolean | number>>;
  /**
   * Knows the commands that are for tests only, as mongod does with `enableTestCommands=1`: `configureFailPoint` with the fail points
   * `failCommand`, `onPrimaryTransactionalWrite`, `failGetMoreAfterCursorCheckout` and `maxTimeAlwaysTimeOut`.
   */
  readonly testCommands?: boolean;
  /**
   * The name of a replica set whose only member this is, initiated already and primary: `mongodb://…/?replicaSet=rs0`. It takes
   * retryable writes, tells `$clusterTime`, and steps down when told. Its host in the set is the address that it listens at. Several
   * members: `createCluster`.
   */
  readonly replicaSet?: string;
  /**
   * Whoever is not logged in may do next to nothing; by SCRAM-SHA-256, SCRAM-SHA-1 or MONGODB-X509. Default: if there are `users`. While nobody is
   * known the first user can be made by `createUser`.
   */
  readonly auth?: boolean;
  /**
   * Who is known from the beginning, each time that the server is started. What is changed of them, and whoever is made by `createUser`, is part of
   * the data.
   */
  readonly users?: readonly UserOption[];
  /**
   * How often the journal is written, in milliseconds: what was written since is lost in a {@link Server.crash}, unless
   * somebody waited for it, by `j: true` or a write concern of majority.
   */
  readonly journalInterval?: Millis;
  /**
   * Keeps the data in a folder, where a server that is given it later finds it again. Whoever waits for it, by `j: true` or a
   * write concern of majority, is answered when it is synced; the rest is saved when the `journalInterval` is over. Default: in memory alone.
   */
  readonly data?: DataOptions;
  /**
   * How much memory the log of a member may keep, in megabytes, about: how far back a change stream can resume. Default 24, which is some
   * 10,000 updates of small documents. mongod's `replication.oplogSizeMB`.
   */
  readonly oplogSizeMB?: number;
  /** How much it can do: commands that read or write take their time and wait for one another. Default: no limits. */
  readonly capacity?: CapacityOptions;
}

export const serverDefaults: Required<Omit<ServerOptions, 'auth' | 'replicaSet' | 'capacity' | 'data'>> = {
  version: '8.2.1',
  parameters: {},
  testCommands: false,
  users: [],
  journalInterval: 100,
  oplogSizeMB: 24,
};

/** With a value for whatever has one. */
export type Resolved = typeof serverDefaults & ServerOptions;
