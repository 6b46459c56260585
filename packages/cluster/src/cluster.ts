import type { Address, Millis, Socket } from '@tessera/contracts';
import type {
  Entrance,
  InterceptOptions,
  MemberState,
  OptionTypes,
  Plain,
  ScriptedRequest,
  ServerOptions,
  SetSettings,
} from '@tessera/server/parts';
import { serverOptionTypes } from '@tessera/server/parts';

const { replicaSet: _, ...withoutReplicaSet } = serverOptionTypes;

/** Options of a member. By default a member votes, stores data and can become primary. */
export interface MemberOptions {
  /**
   * The election priority. A member with priority 0 is never elected. Default: 1, or 0 for hidden, delayed or
   * non-voting members.
   */
  readonly priority?: number;
  /** Default: 1. */
  readonly votes?: 0 | 1;
  readonly tags?: Readonly<Record<string, string>>;
  /** Whether the member is hidden from clients. */
  readonly hidden?: boolean;
  /** Whether the member votes but stores no data. */
  readonly arbiterOnly?: boolean;
  /** The number of seconds by which the member applies writes later. */
  readonly secondaryDelaySecs?: number;
}

export interface ClusterOptions extends Omit<ServerOptions, 'replicaSet'> {
  /** Default: `replicaset`. */
  readonly topology?: 'standalone' | 'replicaset' | 'sharded' | 'load-balanced';
  /**
   * The members of the replica set, or of each shard: their number (1 to 7), or the options of each. Default: 3, for a
   * shard 1.
   */
  readonly members?: number | readonly MemberOptions[];
  /** The name of the replica set. Default: `rs0`. Shards have fixed names. */
  readonly setName?: string;
  /** Settings of the replica set, such as `electionTimeoutMillis`. */
  readonly settings?: Partial<Omit<SetSettings, 'replicaSetId'>>;
  /** The number of shards. Default: 1. */
  readonly shards?: number;
  /** The number of routers. Default: 2. */
  readonly mongoses?: number;
  /**
   * The addresses to listen on, in the order of {@link Cluster.addresses}. Port 0 requests a free port. Default: free
   * ports of 127.0.0.1. A sharded cluster takes the addresses of its mongoses first, then that of the load balancer if
   * there is one, then those of the shards' members.
   */
  readonly addresses?: readonly Address[];
}

/** The types of the options of {@link createCluster}. */
export const clusterOptionTypes: OptionTypes<ClusterOptions> = {
  ...withoutReplicaSet,
  topology: ['string'],
  members: ['number', 'list'],
  setName: ['string'],
  settings: ['object'],
  shards: ['number'],
  mongoses: ['number'],
  addresses: ['list'],
};

/** A server of a cluster. */
export interface ClusterMember {
  readonly address: Address;
  /** The member's state. `standalone` and `mongos` belong to no replica set; `down` means crashed or closed. */
  readonly state: MemberState | 'standalone' | 'mongos' | 'down';
  /** Whether the server considers itself primary. During a partition, two members may. */
  readonly isPrimary: boolean;
  /** Whether the server has neither crashed nor been closed. */
  readonly isRunning: boolean;
  /** Serves a socket. */
  accept(socket: Socket): void;
  /** Intercepts one request of this server: see `Server.intercept`. */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
}

/** A mongos of a sharded cluster. */
export interface ClusterRouter extends ClusterMember {
  /** Serves a socket. `entrance` says whether it came through a load balancer. */
  accept(socket: Socket, entrance?: Entrance): void;
  /**
   * Crashes the process. Its cursors and fail points are lost and connections are reset. The data of the shards is
   * kept.
   */
  crash(): void;
  /**
   * Starts a new process at the same address.
   * @throws RangeError if the router has not crashed
   */
  restart(): Promise<void>;
}

/** Controls the servers of a replica set. Members are addressed by their index in `members`. */
export interface SetControl {
  readonly members: readonly ClusterMember[];
  /** The primary of the latest election, or undefined if there is none. */
  readonly primary: ClusterMember | undefined;
  /**
   * Steps the primary down, as `replSetStepDown`. Resolves when another member is primary.
   * @throws RangeError if there is no primary, or if no member can replace it within ten seconds
   */
  stepDown(): Promise<void>;
  /**
   * Makes a member the primary. It first catches up with all members that it can reach.
   * @throws RangeError with the reason if the member is not elected
   */
  elect(member: number): Promise<void>;
  /** Crashes the member's process. Connections are reset. Another primary is elected after the election timeout. */
  crash(member: number): void;
  /** Restarts the process at its address, with the contents of its journal. */
  restart(member: number): Promise<void>;
  /**
   * Shuts the process down, as the command `shutdown`. Since 5.0, clients are notified `quiesce` milliseconds earlier.
   */
  shutDown(member: number, quiesce?: Millis): Promise<void>;
  /** Partitions the network. Members of different groups cannot reach each other; clients reach all members. */
  partition(...groups: readonly (readonly number[])[]): void;
  /** Ends partitions and thaws frozen members. */
  heal(): void;
  /** Sets the one-way latency between all members, or between two. */
  latency(latency: Millis, between?: readonly [number, number]): void;
  /** Delays replication to a member. `Infinity` stops it until the next call. */
  lag(member: number, lag: Millis): void;
  /** Freezes the process. It accepts connections, but neither replies nor receives messages of other members. */
  freeze(member: number): void;
  thaw(member: number): void;
}

/** The servers of a deployment, in this process. */
export interface Cluster extends SetControl, AsyncDisposable {
  /** The connection string for any driver. */
  readonly uri: string;
  /** The addresses for clients, in the order of `members`, or of the mongoses. */
  readonly addresses: readonly Address[];
  /** Controls for each shard of a sharded cluster. The methods of the cluster itself control the first shard. */
  readonly shards: readonly SetControl[];
  readonly mongoses: readonly ClusterRouter[];
  /** Intercepts one request to the primary, or to the first mongos: see `Server.intercept`. */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
  /**
   * Closes all connections and discards data that is not stored on disk.
   * @throws ScriptError if an intercepted request was not answered
   */
  close(): Promise<void>;
}
