import type { Millis } from './clock.js';
import type { MongoError } from './errors.js';
import type { ServerType, TopologyType } from './server-type.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

/** The version of a server's hello reply. Rule: Server Discovery and Monitoring, "TopologyVersion". */
export interface TopologyVersion {
  readonly processId: ObjectId;
  readonly counter: bigint;
}

/** The tags of a replica set member, or the tags that a read preference requires. Rule: Server Selection, "Tag set". */
export type TagSet = Readonly<Record<string, string>>;

/** The state of one server, from its latest check. Immutable. Rule: Server Discovery and Monitoring, "ServerDescription". */
export interface ServerDescription {
  readonly address: Address;
  readonly type: ServerType;
  /** The error of the latest check or operation that made the server Unknown. */
  readonly error: MongoError | undefined;
  /** The exponentially weighted moving average. Undefined before the first measurement. */
  readonly roundTripTime: Millis | undefined;
  /** The minimum of the last ten measurements. 0 if there are fewer than two. */
  readonly minRoundTripTime: Millis;
  /** When the server was last checked, on {@link Clock.now}. -Infinity before the first check. */
  readonly lastUpdateTime: Millis;
  /** The `lastWrite.lastWriteDate` of the hello reply, in milliseconds since 1970. */
  readonly lastWriteDate: number | undefined;
  readonly minWireVersion: number;
  readonly maxWireVersion: number;
  /** The address under which the server is in its replica set's configuration. */
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

/** The state of a deployment. Immutable. Rule: Server Discovery and Monitoring, "TopologyDescription". */
export interface TopologyDescription {
  readonly type: TopologyType;
  readonly setName: string | undefined;
  readonly maxElectionId: ObjectId | undefined;
  readonly maxSetVersion: number | undefined;
  readonly servers: ReadonlyMap<Address, ServerDescription>;
  /** Set if a server's wire versions are incompatible with the driver. Then every selection fails with this message. */
  readonly compatibilityError: string | undefined;
  /** The minimum over all data-bearing servers. Undefined if one of them does not support sessions. */
  readonly logicalSessionTimeoutMinutes: number | undefined;
}
