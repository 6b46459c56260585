import type { Millis } from './clock.js';
import type { MongoError } from './errors.js';
import type { ServerType, TopologyType } from './server-type.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

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
