import type { Clock, Millis, Signal, Soon } from './clock.js';
import type { Connect } from './connect.js';
import type { ServerDescription, TopologyDescription } from './description.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { EventSink } from './events.js';
import type { ConnectionPool, OpenPool } from './pool.js';
import type { Random } from './runtime.js';
import type { Address } from './transport.js';

/** A selected server. */
export interface Server {
  /** The server's state at the last check. */
  readonly description: ServerDescription;
  /** The connections to the server. */
  readonly pool: ConnectionPool;
  /**
   * The deadline of the checkout, on {@link Clock.now}: selection and checkout share one time limit. Undefined without timeoutMS.
   * Rule: Client Side Operations Timeout, "Server Selection".
   */
  readonly checkOutBy?: Millis | undefined;
}

/**
 * The servers of a client: discovers them, monitors them and selects one for each attempt. `topologySuite` of `@tessera/sim` tests
 * an implementation. Rule: Server Discovery and Monitoring; Server Selection.
 */
export interface Deployment {
  /** The current state. Replaced by a new object on each change. */
  readonly description: TopologyDescription;
  /**
   * Selects a server for a request, and waits until a suitable server is found. With `at`, only the server at this address is
   * suitable.
   *
   * Fails with kind `selection` after serverSelectionTimeoutMS or at the request's deadline. The message says why each server is not
   * suitable. Fails immediately with kind `selection` if the server `at` has left the deployment, or if a server's wire versions are
   * incompatible with the driver.
   * @throws MongoError `selection`; `usage` for an invalid read preference; `aborted` if the signal aborts; `closed` if the client is
   * closed. Then `origin.phase` is `select`. Before the servers are known, the error of the lookup, such as `network` with the phase
   * `resolve`. If a check fails because of an invalid option, `usage` without an origin.
   */
  select(request: Request<unknown>, at?: Address): Soon<Server>;
  /**
   * Receives the error of a connection or of a server's reply. Updates the description and clears the pool, as the error requires,
   * before it returns. Attempts call it with the error of each failed command. Pools report failed handshakes with the function that
   * {@link OpenPool} gets. `error.origin` identifies the server (`address`, `serviceId`), the connection (`generation`) and the
   * `phase`. Rule: Server Discovery and Monitoring, "Error handling".
   */
  report(error: MongoError): void;
  /** Closes the pools and monitors. Operations that wait for a server or a reply fail with kind `closed`. */
  close(): Promise<void>;
  /** Fails waiting operations with kind `closed`, but accepts new ones, so that the client can end its sessions before `close`. */
  interrupt(): void;
  /** A signal that aborts on `interrupt` and `close`, to end waits outside of the deployment. */
  readonly closing: Signal;
}

/**
 * An application's function that returns the servers to choose from, among the suitable servers. Rule: Server Selection,
 * "serverSelector".
 */
export type ServerSelector = (servers: readonly ServerDescription[]) => readonly ServerDescription[];

/**
 * The servers that SRV records list, without host names outside of the permitted domain. Rule: Polling SRV Records for mongos
 * Discovery.
 */
export interface SeedList {
  /** The addresses from the SRV records. */
  readonly hosts: readonly Address[];
  /** The minimum of the records' TTLs, in milliseconds. Undefined if the resolver does not return TTLs. */
  readonly timeToLive: Millis | undefined;
}

/** Resolves to the current seed list. Rejects, or resolves to an empty list, if the lookup fails. */
export type LookUpSeeds = () => Promise<SeedList>;

/** The dependencies of a deployment. */
export interface TopologyDeps {
  /** Times the checks of servers and the wait for a suitable server. */
  readonly clock: Clock;
  /**
   * Chooses between the servers in the latency window ({@link TopologyOptions.localThresholdMS}), and creates the topologyId of
   * events.
   */
  readonly random: Random;
  /** Receives the events of the deployment and of its servers. */
  readonly events: EventSink;
  /** Opens the connections of monitors. */
  readonly connect: Connect;
  /** Opens the pool of each server. */
  readonly openPool: OpenPool;
  /** Repeats the SRV lookup that returned the seeds. Undefined if the seeds are not from SRV records. Ignored with loadBalanced. */
  readonly lookUpSeeds?: LookUpSeeds | undefined;
}

/** Client options that concern the deployment, with their official names. Rule: Server Discovery and Monitoring, "Configuration"; Server Selection. */
export interface TopologyOptions {
  /** The initial servers: at least one; exactly one with directConnection or loadBalanced. */
  readonly seeds: readonly Address[];
  /** The name of the replica set. Members of other replica sets are ignored. Undefined: any replica set. */
  readonly replicaSet?: string | undefined;
  /** Whether all operations use the seed, with any server type. Default false. */
  readonly directConnection?: boolean | undefined;
  /** Whether the seed is a load balancer. A load balancer is not monitored. Default false. Rule: Load Balancers. */
  readonly loadBalanced?: boolean | undefined;
  /** The time from the end of a server's check to its next check. At least minHeartbeatFrequencyMS; default 10000. */
  readonly heartbeatFrequencyMS?: Millis | undefined;
  /**
   * The minimum pause between two polls of a server. Streamed replies and lost monitor connections can start up to ten checks within
   * this time. Default 500, as the specification requires; tests may lower it.
   */
  readonly minHeartbeatFrequencyMS?: Millis | undefined;
  /**
   * `stream`: servers send their state when it changes. `poll`: monitors check every heartbeatFrequencyMS. `auto`: `stream`, except
   * in a function service (FaaS). Default `auto`. Rule: Server Monitoring, "serverMonitoringMode".
   */
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream' | undefined;
  /** The function service (FaaS) that runs this process, if any. It may suspend the process, which interrupts the mode `stream`. */
  readonly functionService?: string | undefined;
  /** How long a monitor may take to connect, and for each check. 0: no limit. Default 30000. */
  readonly connectTimeoutMS?: Millis | undefined;
  /** How long an operation waits for a suitable server. 0: until its own deadline. Default 30000. */
  readonly serverSelectionTimeoutMS?: Millis | undefined;
  /**
   * The latency window. A server is only selected if its round-trip time exceeds that of the nearest suitable server by at most
   * this time. Default 15.
   */
  readonly localThresholdMS?: Millis | undefined;
  /** Called for each selection with the suitable servers, before the latency window is applied. It must not throw. */
  readonly serverSelector?: ServerSelector | undefined;
  /** The maximum number of servers after SRV records are looked up again. It does not limit `seeds`. 0: no limit. Default 0. */
  readonly srvMaxHosts?: number | undefined;
  /** The minimum TTL of the SRV records that returned the seeds. Undefined if it is unknown. */
  readonly seedsTimeToLive?: Millis | undefined;
}

/**
 * Creates the deployment of a client.
 * @throws MongoError `usage` for options that contradict each other
 */
export type CreateTopology = (deps: TopologyDeps, options: TopologyOptions) => Deployment;
