import type { ConnectionPool } from './connection.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { Address, Millis, Soon, Signal } from './runtime.js';
import type { ObjectId } from './values.js';

/** Rule: Server Discovery and Monitoring, "ServerType". */
export type ServerType =
  | 'Standalone'
  | 'Mongos'
  | 'PossiblePrimary'
  | 'RSPrimary'
  | 'RSSecondary'
  | 'RSArbiter'
  | 'RSOther'
  | 'RSGhost'
  | 'LoadBalancer'
  | 'Unknown';

/** Rule: Server Discovery and Monitoring, "TopologyType". */
export type TopologyType =
  'Single' | 'ReplicaSetNoPrimary' | 'ReplicaSetWithPrimary' | 'Sharded' | 'LoadBalanced' | 'Unknown';

export interface TopologyVersion {
  readonly processId: ObjectId;
  readonly counter: bigint;
}

export type TagSet = Readonly<Record<string, string>>;

/** Rule: Server Discovery and Monitoring, "ServerDescription". */
export interface ServerDescription {
  readonly address: Address;
  readonly type: ServerType;
  readonly error: MongoError | undefined;
  /** The moving average, undefined before the first measurement. */
  readonly roundTripTime: Millis | undefined;
  /** The least of the last ten, 0 while there are fewer than two. */
  readonly minRoundTripTime: Millis;
  /** On {@link Clock.now}; -Infinity before the first check. */
  readonly lastUpdateTime: Millis;
  /** In milliseconds since 1970, as the server told it. */
  readonly lastWriteDate: number | undefined;
  readonly minWireVersion: number;
  readonly maxWireVersion: number;
  readonly me: Address | undefined;
  readonly hosts: readonly Address[];
  readonly passives: readonly Address[];
  readonly arbiters: readonly Address[];
  readonly tags: TagSet;
  readonly setName: string | undefined;
  readonly setVersion: number | undefined;
  readonly electionId: ObjectId | undefined;
  readonly primary: Address | undefined;
  readonly logicalSessionTimeoutMinutes: number | undefined;
  readonly topologyVersion: TopologyVersion | undefined;
}

/** Rule: Server Discovery and Monitoring, "TopologyDescription". */
export interface TopologyDescription {
  readonly type: TopologyType;
  readonly setName: string | undefined;
  readonly maxElectionId: ObjectId | undefined;
  readonly maxSetVersion: number | undefined;
  readonly servers: ReadonlyMap<Address, ServerDescription>;
  /** Why no operation may be sent: a server speaks no common wire version. */
  readonly compatibilityError: string | undefined;
  /** The least of all data-bearing servers, undefined if one of them does not support sessions. */
  readonly logicalSessionTimeoutMinutes: number | undefined;
}

export type ReadPreferenceMode = 'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred' | 'nearest';

/** Rule: Server Selection, "hedge". */
export interface HedgeOptions {
  readonly enabled?: boolean;
}

/**
 * Which server an operation wants. Made once per handle: its identity is the cache key.
 * Rule: Server Selection, "Read preference". Writes want `{ mode: 'primary' }`.
 */
export interface Selection {
  readonly mode: ReadPreferenceMode;
  readonly tags?: readonly TagSet[] | undefined;
  readonly maxStalenessSeconds?: number | undefined;
  /** Whether a mongos may ask several members at once; servers since MongoDB 8.0 pass it over. Rule: Server Selection, "hedge". */
  readonly hedge?: HedgeOptions | undefined;
  /** An aggregation that writes: while a server is older than MongoDB 5.0, the primary does it. Rule: CRUD, "aggregate". */
  readonly writes?: boolean | undefined;
}

/** The wire version of MongoDB 5.0, whose secondaries run aggregations that write. Rule: CRUD, "aggregate". */
export const secondariesWriteSince = 13;

export interface Server {
  readonly description: ServerDescription;
  readonly pool: ConnectionPool;
  /** What is left of the time for selection and checkout together; only under timeoutMS. Rule: CSOT, "Server Selection". */
  readonly checkOutBy?: Millis | undefined;
}

export interface Deployment {
  readonly description: TopologyDescription;
  /** The server for this request, or the one at this address. @throws MongoError `selection`: what was wanted and why not. */
  select(request: Request<unknown>, at?: Address): Soon<Server>;
  /** Every error that a connection or reply gave: the description and the pool change in this same turn. */
  report(error: MongoError): void;
  /** Operations that wait for a server, or for its answer, fail as `closed`. */
  close(): Promise<void>;
  /** They do, but what is begun afterwards is not refused: so that sessions can be ended before it is closed. */
  interrupt?(): void;
  /** Aborts when it is interrupted or closed: for those who wait for something else. */
  readonly closing?: Signal | undefined;
}
