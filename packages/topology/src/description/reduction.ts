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
  readonly seeds: readonly Address[];
  readonly replicaSet: string | undefined;
  readonly directConnection: boolean;
  readonly loadBalanced: boolean;
  /** The maximum number of hosts to use from SRV records. 0 means no limit. */
  readonly srvMaxHosts: number;
}

/** An event that may change the description of a topology. `at` is the time of the event in milliseconds, by the clock. */
export type TopologyInput =
  /** The deployment was opened. The seeds become its first servers. */
  | { readonly type: 'open' }
  /** A server replied to `hello`. */
  | { readonly type: 'checked'; readonly server: ServerDescription }
  /** A check failed with a network error, a timeout or the reply `ok: 0`. */
  | { readonly type: 'checkFailed'; readonly address: Address; readonly error: MongoError; readonly at: Millis }
  /**
   * An operation or a handshake failed. `generation` is the number of times that the server's pool has been cleared. An
   * error of a connection from an earlier generation is ignored.
   */
  | { readonly type: 'failed'; readonly error: MongoError; readonly generation: number; readonly at: Millis }
  /** The SRV records were looked up again and name these hosts, at least one. New hosts are added in this order. */
  | { readonly type: 'rescanned'; readonly hosts: readonly Address[] }
  /** The deployment was closed. */
  | { readonly type: 'close' };

/** An action that follows from a change of the description. Effects are applied in order and in the same tick. */
export type TopologyEffect =
  /** Open a pool for the server, and a monitor unless the server is a load balancer. */
  | { readonly type: 'openServer'; readonly address: Address }
  /** Close the pool and the monitor of the server. */
  | { readonly type: 'closeServer'; readonly address: Address }
  /** Let the pool open connections. */
  | { readonly type: 'readyPool'; readonly address: Address }
  /** Clear the pool, which closes its idle connections now, and connections in use after their operations. */
  | {
      readonly type: 'clearPool';
      readonly address: Address;
      readonly cause: MongoError;
      /** Limits the effect to the connections of this service behind a load balancer. Undefined for other deployments. */
      readonly serviceId: ObjectId | undefined;
      /** Whether to close connections in use at once, which fails their operations. */
      readonly interruptInUse: boolean;
    }
  /**
   * Check the server. `minimum`: wait until minHeartbeatFrequencyMS has passed since the last check; `none`: check at
   * once.
   */
  | { readonly type: 'checkNow'; readonly address: Address; readonly rest: 'minimum' | 'none' }
  /** Check the server as `minimum` does. A check that waits for a change of the server starts again. */
  | { readonly type: 'recheck'; readonly address: Address }
  /** Cancel the check in progress and close the monitor's connection. */
  | { readonly type: 'cancelCheck'; readonly address: Address }
  /** Emit the event. */
  | { readonly type: 'event'; readonly event: DriverEvent };

/** The next description, and the effects to apply. */
export interface Reduction {
  readonly description: TopologyDescription;
  readonly effects: readonly TopologyEffect[];
}

/**
 * Returns the next description and its effects. A pure function; unchanged parts of the description keep their
 * identity.
 */
export type Reduce = (description: TopologyDescription, input: TopologyInput, settings: TopologySettings) => Reduction;
