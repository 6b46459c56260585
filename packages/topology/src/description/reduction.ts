import type {
  Address,
  DriverEvent,
  Millis,
  MongoError,
  ObjectId,
  ServerDescription,
  TopologyDescription,
} from '@tessera/contracts';

/** What does not change while a deployment is open. */
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
  /** An operation or a handshake failed; `generation` is that of the server's pool now. */
  | { readonly type: 'failed'; readonly error: MongoError; readonly generation: number; readonly at: Millis }
  /** SRV records name these hosts now, at least one; new ones are taken in this order. */
  | { readonly type: 'rescanned'; readonly hosts: readonly Address[] }
  | { readonly type: 'close' };

/** What is to be done now that the description has changed, in this order and in the same turn. */
export type TopologyEffect =
  | { readonly type: 'openServer'; readonly address: Address }
  | { readonly type: 'closeServer'; readonly address: Address }
  | { readonly type: 'readyPool'; readonly address: Address }
  | {
      readonly type: 'clearPool';
      readonly address: Address;
      readonly cause: MongoError;
      /** Only the connections to this service behind a load balancer. */
      readonly serviceId: ObjectId | undefined;
      readonly interruptInUse: boolean;
    }
  /** `minimum`: not before minHeartbeatFrequencyMS has passed since the last check; `none`: at once. */
  | { readonly type: 'checkNow'; readonly address: Address; readonly rest: 'minimum' | 'none' }
  | { readonly type: 'cancelCheck'; readonly address: Address }
  | { readonly type: 'event'; readonly event: DriverEvent };

export interface Reduction {
  readonly description: TopologyDescription;
  readonly effects: readonly TopologyEffect[];
}

/** What follows from one input. It is pure, and what is not to change keeps its identity. */
export type Reduce = (description: TopologyDescription, input: TopologyInput, settings: TopologySettings) => Reduction;
