import type { Address, Millis, Socket } from '@tessera/contracts';
import type {
  Entrance,
  InterceptOptions,
  MemberState,
  Plain,
  ScriptedRequest,
  ServerOptions,
  SetSettings,
} from '@tessera/server/parts';

/** What differs from a member that votes, has data and may be primary. */
export interface MemberOptions {
  /** 0: it is never elected. Default 1, and 0 for one that is hidden, delayed or does not vote. */
  readonly priority?: number;
  /** Default 1. */
  readonly votes?: 0 | 1;
  readonly tags?: Readonly<Record<string, string>>;
  /** Clients are not told of it. */
  readonly hidden?: boolean;
  /** It votes, and has no data. */
  readonly arbiterOnly?: boolean;
  /** It has everything so many seconds later. */
  readonly secondaryDelaySecs?: number;
}

export interface ClusterOptions extends Omit<ServerOptions, 'replicaSet'> {
  /** Default `replicaset`. */
  readonly topology?: 'standalone' | 'replicaset' | 'sharded' | 'load-balanced';
  /** Of a replica set, or of each shard: how many (1 to 7), or what each of them is. Default 3; of a shard 1. */
  readonly members?: number | readonly MemberOptions[];
  /** Default `rs0`. Shards have names of their own. */
  readonly setName?: string;
  /** `electionTimeoutMillis` and the like. */
  readonly settings?: Partial<Omit<SetSettings, 'replicaSetId'>>;
  /** Default 1. */
  readonly shards?: number;
  /** Default 2. */
  readonly mongoses?: number;
  /**
   * Where to listen, in the order of {@link Cluster.addresses}; port 0 asks for a free one. Default: free ports of 127.0.0.1. Of
   * a sharded cluster the addresses of its mongoses come first, then the balancer's if there is one, then those of the shards' members.
   */
  readonly addresses?: readonly Address[];
}

/** One server of a cluster. */
export interface ClusterMember {
  readonly address: Address;
  /** `standalone` and `mongos` are members of no set; `down`: it has crashed, or is closed. */
  readonly state: MemberState | 'standalone' | 'mongos' | 'down';
  /** It takes itself for the primary: of two that are parted, both may. */
  readonly isPrimary: boolean;
  /** Neither crashed nor closed. */
  readonly isRunning: boolean;
  /** Serves one socket. */
  accept(socket: Socket): void;
  /** Takes one request out of this server's hands: see `Server.intercept`. */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
}

/** One mongos of a sharded cluster. */
export interface ClusterRouter extends ClusterMember {
  /** Serves one socket; one that came through a load balancer otherwise than others. */
  accept(socket: Socket, entrance?: Entrance): void;
  /** The process is gone, with its cursors and fail points: connections are reset. What the shards have stays. */
  crash(): void;
  /** It runs again at its address, as another process. @throws RangeError unless it has crashed */
  restart(): Promise<void>;
}

/** What can be done to the servers of a replica set; each is named by its place in `members`. */
export interface SetControl {
  readonly members: readonly ClusterMember[];
  /** The primary of the latest election; undefined while there is none. */
  readonly primary: ClusterMember | undefined;
  /**
   * The primary steps down as by `replSetStepDown`, and this resolves when another member is primary.
   * @throws RangeError if there is no primary, or nobody who could take its place within ten seconds
   */
  stepDown(): Promise<void>;
  /**
   * That member becomes the primary, with all that the members have whom it hears.
   * @throws RangeError that says why it is not elected
   */
  elect(member: number): Promise<void>;
  /** The process is gone: connections are reset. Others are elected when their election timeout is over. */
  crash(member: number): void;
  /** The process runs again at its address, with what its journal had. */
  restart(member: number): Promise<void>;
  /** The process ends in order, as by the command `shutdown`: from 5.0 on its clients are told for so long before. */
  shutDown(member: number, quiesce?: Millis): Promise<void>;
  /** Members of one group do not hear those of another; clients hear them all. */
  partition(...groups: readonly (readonly number[])[]): void;
  /** Ends partitions and lets go on what was frozen. */
  heal(): void;
  /** How long it takes, one way, until a member hears another: of all, or of two. */
  latency(latency: Millis, between?: readonly [number, number]): void;
  /** How much later than others a member has what was written; `Infinity`: not before this is changed. */
  lag(member: number, lag: Millis): void;
  /** The process stands still: it accepts connections, and neither answers nor hears the others. */
  freeze(member: number): void;
  thaw(member: number): void;
}

/** Servers of this process that are one deployment. */
export interface Cluster extends SetControl, AsyncDisposable {
  /** Hand it to any driver. */
  readonly uri: string;
  /** Where clients find it; in the order of `members`, or of the mongoses. */
  readonly addresses: readonly Address[];
  /** Of a sharded cluster, one for each; what is done to the cluster itself is done to the first. */
  readonly shards: readonly SetControl[];
  readonly mongoses: readonly ClusterRouter[];
  /** Takes one request out of the hands of the primary, or of the first mongos: see `Server.intercept`. */
  intercept(command: string, subset?: Plain, options?: InterceptOptions): Promise<ScriptedRequest>;
  /** Closes every connection; the data is gone. @throws ScriptError if a request that was intercepted was not answered */
  close(): Promise<void>;
}
