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
  /** The id of the server process. It changes when the server restarts. */
  readonly processId: ObjectId;
  /** The number of changes since the process began. */
  readonly counter: bigint;
}

/** The tags of a replica set member, or the tags that a read preference requires. Rule: Server Selection, "Tag set". */
export type TagSet = Readonly<Record<string, string>>;

/** The state of one server, from its latest check. Immutable. Rule: Server Discovery and Monitoring, "ServerDescription". */
export interface ServerDescription {
  /** The address in the connection string, in SRV records or in the configuration of the replica set. */
  readonly address: Address;
  /** The type of the server, such as `RSPrimary`. `Unknown` before the first reply and after an error. */
  readonly type: ServerType;
  /**
   * Why the type is Unknown: a failed check, a failed operation, a stale primary, or another replica set name. Otherwise undefined.
   */
  readonly error: MongoError | undefined;
  /** The exponentially weighted moving average of the round-trip times. Undefined before the first measurement. */
  readonly roundTripTime: Millis | undefined;
  /** The minimum of the last ten measured round-trip times. 0 if there are fewer than two. */
  readonly minRoundTripTime: Millis;
  /**
   * When a check or an operation's error last updated this description, on {@link Clock.now}. -Infinity before the first check.
   */
  readonly lastUpdateTime: Millis;
  /** The `lastWrite.lastWriteDate` of the hello reply, in milliseconds since 1970. */
  readonly lastWriteDate: number | undefined;
  /** The oldest version of the wire protocol that the server supports. */
  readonly minWireVersion: number;
  /** The newest version of the wire protocol that the server supports. It identifies the server's release. */
  readonly maxWireVersion: number;
  /** The server's address in the configuration of its replica set. */
  readonly me: Address | undefined;
  /** The members of the replica set that can become primary, according to the hello reply. */
  readonly hosts: readonly Address[];
  /** The members of the replica set with priority 0, which hold data and cannot become primary. */
  readonly passives: readonly Address[];
  /** The members of the replica set that vote in elections and hold no data. */
  readonly arbiters: readonly Address[];
  /** The tags of the server in the configuration of its replica set. */
  readonly tags: TagSet;
  /** The name of the replica set. Undefined for a server that belongs to none. */
  readonly setName: string | undefined;
  /** The version of the replica set's configuration, according to this member. */
  readonly setVersion: number | undefined;
  /** The id of the election that made this server primary. Undefined unless it is a primary. */
  readonly electionId: ObjectId | undefined;
  /** The address of the primary, according to this member. Undefined if it sees none. */
  readonly primary: Address | undefined;
  /** The time in minutes after which the server forgets an unused session. Undefined without session support. */
  readonly logicalSessionTimeoutMinutes: number | undefined;
  /** The version of this state. Undefined for servers before MongoDB 4.4. */
  readonly topologyVersion: TopologyVersion | undefined;
}

/** The state of a deployment. Immutable. Rule: Server Discovery and Monitoring, "TopologyDescription". */
export interface TopologyDescription {
  /** The type of the deployment, such as `ReplicaSetWithPrimary`. */
  readonly type: TopologyType;
  /**
   * The name of the replica set: the option `replicaSet`, else the name from the first member that replies. Undefined for other
   * deployments.
   */
  readonly setName: string | undefined;
  /** The greatest electionId of any primary so far. An older primary has a smaller one. */
  readonly maxElectionId: ObjectId | undefined;
  /** The setVersion of the newest primary. Before MongoDB 6.0: the greatest setVersion of any primary so far. */
  readonly maxSetVersion: number | undefined;
  /** The servers by their addresses. */
  readonly servers: ReadonlyMap<Address, ServerDescription>;
  /** Set if a server's wire versions are incompatible with the driver. Then every selection fails with this message. */
  readonly compatibilityError: string | undefined;
  /**
   * The minimum over all data-bearing servers, such as primaries, secondaries and mongos. Undefined if one does not support
   * sessions.
   */
  readonly logicalSessionTimeoutMinutes: number | undefined;
}
