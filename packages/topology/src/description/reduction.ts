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
  /** 0 is no limit. */
  readonly srvMaxHosts: number;
}

export type TopologyInput =
  /** Discovery begins: the seeds become servers. */
  | { readonly type: 'open' }
  /** A server answered hello. */
  | { readonly type: 'checked'; readonly server: ServerDescription }
  /** A check failed: network error, timeout or `ok: 0`. */
  | { readonly type: 'checkFailed'; readonly address: Address; readonly error: MongoError; readonly at: Millis }
  /** An operation or a handshake failed. `generation` is the current generation of the server's pool. */
  | { readonly type: 'failed'; readonly error: MongoError; readonly generation: number; readonly at: Millis }
  /** The hosts that the SRV records now name, at least one. New hosts are added in this order. */
  | { readonly type: 'rescanned'; readonly hosts: readonly Address[] }
  | { readonly type: 'close' };

/** An action that follows from a change of the description. Effects are applied in order and in the same tick. */
export type TopologyEffect =
  | { readonly type: 'openServer'; readonly address: Address }
  | { readonly type: 'closeServer'; readonly address: Address }
  | { readonly type: 'readyPool'; readonly address: Address }
  | {
      readonly type: 'clearPool';
      readonly address: Address;
      readonly cause: MongoError;
      /** Limits the effect to the connections of this service behind a load balancer. */
      readonly serviceId: ObjectId | undefined;
      readonly interruptInUse: boolean;
    }
  /** `minimum`: wait until minHeartbeatFrequencyMS has passed since the last check; `none`: check at once. */
  | { readonly type: 'checkNow'; readonly address: Address; readonly rest: 'minimum' | 'none' }
  | { readonly type: 'cancelCheck'; readonly address: Address }
  | { readonly type: 'event'; readonly event: DriverEvent };

export interface Reduction {
  readonly description: TopologyDescription;
  readonly effects: readonly TopologyEffect[];
}

/**
 * Returns the next description and its effects. A pure function; unchanged parts of the description keep their
 * identity.
 */
export type Reduce = (description: TopologyDescription, input: TopologyInput, settings: TopologySettings) => Reduction;
