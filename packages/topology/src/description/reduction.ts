import type {
  Address,
  DriverEvent,
  Millis,
  MongoError,
  ObjectId,
  ServerDescription,
  TopologyDescription,
} from '@tessera/contracts';

/** Settings that do not change while a deployment is open. */
export interface TopologySettings {
  /** Distinguishes the deployments of a process in events. */
  readonly topologyId: number;
  /** The initial addresses, from the connection string or from SRV records. All of them are used, regardless of srvMaxHosts. */
  readonly seeds: readonly Address[];
  /** The name that the replica set must have. Undefined: any. */
  readonly replicaSet: string | undefined;
  /** Whether to use the single seed without discovering other members. */
  readonly directConnection: boolean;
  /** Whether the single seed is a load balancer. */
  readonly loadBalanced: boolean;
  /** The maximum number of servers after SRV records are looked up again. 0 means no limit. */
  readonly srvMaxHosts: number;
}

/** An event that may change the description of a topology. `at` is the time of the event in milliseconds, by the clock. */
export type TopologyInput =
  /** The deployment was opened. The seeds become its first servers. */
  | { readonly type: 'open' }
  /** A server replied to `hello`. */
  | { readonly type: 'checked'; readonly server: ServerDescription }
  /** A check failed, with an error of any kind. */
  | { readonly type: 'checkFailed'; readonly address: Address; readonly error: MongoError; readonly at: Millis }
  /**
   * An operation or a handshake failed on the server `error.origin.address`. `generation` is the current generation of the server's
   * pool: the number of times that the pool was cleared. If `error.origin.generation` is less, the error is ignored, because its
   * connection is older than the last clear. Behind a load balancer, the pool
   * counts the generations instead.
   */
  | { readonly type: 'failed'; readonly error: MongoError; readonly generation: number; readonly at: Millis }
  /**
   * The SRV records were looked up again and name these hosts. Servers that are not among them are removed. New hosts are added in this
   * order, up to `srvMaxHosts` servers. Ignored if the list is empty, or unless the type of the topology is Unknown or Sharded.
   */
  | { readonly type: 'rescanned'; readonly hosts: readonly Address[] }
  /** The deployment was closed. */
  | { readonly type: 'close' };

/** An action that the caller of `reduce` must perform, in the given order and in the same turn of the event loop. */
export type TopologyEffect =
  /** Open a pool for the server, and a monitor unless the server is a load balancer. */
  | { readonly type: 'openServer'; readonly address: Address }
  /** Close the pool and the monitor of the server. */
  | { readonly type: 'closeServer'; readonly address: Address }
  /** Call `ready` of the pool, so that it opens connections. */
  | { readonly type: 'readyPool'; readonly address: Address }
  /**
   * Call `clear` of the pool, which closes idle connections, and without `serviceId` also pauses it. Connections in use close when they
   * are returned, or at once with `interruptInUse`.
   */
  | {
      readonly type: 'clearPool';
      readonly address: Address;
      readonly cause: MongoError;
      /** Limits the effect to the connections of this service behind a load balancer. Undefined for other deployments. */
      readonly serviceId: ObjectId | undefined;
      /** Whether to close connections in use at once, which fails their operations. True after a check that timed out. */
      readonly interruptInUse: boolean;
    }
  /**
   * Check the server, unless a check is in progress. `rest` is the pause between the last check and this one: `minimum` for
   * minHeartbeatFrequencyMS, `none` for no pause. After ten checks without a pause within minHeartbeatFrequencyMS, `none` is like
   * `minimum`.
   */
  | { readonly type: 'checkNow'; readonly address: Address; readonly rest: 'minimum' | 'none' }
  /**
   * Check the server like `checkNow` with `minimum`. If a check in progress waits for a change of the server, cancel it and start
   * another.
   */
  | { readonly type: 'recheck'; readonly address: Address }
  /**
   * Cancel the check in progress and close the monitor's connection. The next check follows after heartbeatFrequencyMS, or earlier if
   * an operation waits for a server.
   */
  | { readonly type: 'cancelCheck'; readonly address: Address }
  /** Emit the event. */
  | { readonly type: 'event'; readonly event: DriverEvent };

/** The next description, and the effects to apply. */
export interface Reduction {
  /** The new state of the deployment. */
  readonly description: TopologyDescription;
  /** The actions for the topology, in this order. */
  readonly effects: readonly TopologyEffect[];
}

/**
 * Returns the next description and its effects. A pure function. Servers that the input does not concern keep their description
 * objects. The topology description may be a new object even if nothing has changed.
 */
export type Reduce = (description: TopologyDescription, input: TopologyInput, settings: TopologySettings) => Reduction;
