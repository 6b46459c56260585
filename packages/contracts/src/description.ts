import type { Millis } from './clock.js';
import type { MongoError } from './errors.js';
import type { ServerType, TopologyType } from './server-type.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

/**
 * The version of a server's state in its hello reply; the counter increases with each change. Rule: Server Discovery and
 * Monitoring, "TopologyVersion".
 */
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
  /** If the type is Unknown because a check or an operation failed: its error. Otherwise undefined. */
  readonly error: MongoError | undefined;
  /** The exponentially weighted moving average of the round-trip times. Undefined before the first measurement. */
  readonly roundTripTime: Millis | undefined;
  /** The minimum of the last ten measured round-trip times. 0 if there are fewer than two. */
  readonly minRoundTripTime: Millis;
  /** When the server was last checked, on {@link Clock.now}. -Infinity before the first check. */
  readonly lastUpdateTime: Millis;
  /** The `lastWrite.lastWriteDate` of the hello reply, in milliseconds since 1970. */
  readonly lastWriteDate: number | undefined;
  readonly minWireVersion: number;
  readonly maxWireVersion: number;
  /** The server's address in the configuration of its replica set. */
  readonly me: Address | undefined;
  /** The members of the replica set that can become primary, according to the hello reply. */
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
  /** The greatest electionId of any primary so far. An older primary has a smaller one. */
  readonly maxElectionId: ObjectId | undefined;
  /** The greatest setVersion of any primary so far: the version of the replica set's configuration. */
  readonly maxSetVersion: number | undefined;
  readonly servers: ReadonlyMap<Address, ServerDescription>;
  /** Set if a server's wire versions are incompatible with the driver. Then every selection fails with this message. */
  readonly compatibilityError: string | undefined;
  /**
   * The minimum over all data-bearing servers, such as primaries, secondaries and mongos. Undefined if one does not support
   * sessions.
   */
  readonly logicalSessionTimeoutMinutes: number | undefined;
}
