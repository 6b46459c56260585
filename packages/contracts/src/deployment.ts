import type { Clock, Millis, Signal, Soon } from './clock.js';
import type { Connect } from './connect.js';
import type { ServerDescription, TopologyDescription } from './description.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { EventSink } from './events.js';
import type { ConnectionPool, OpenPool } from './pool.js';
import type { Random } from './runtime.js';
import type { Address } from './transport.js';

export interface Server {
  readonly description: ServerDescription;
  readonly pool: ConnectionPool;
  /** What is left of the time for selection and checkout together; only under timeoutMS. Rule: CSOT, "Server Selection". */
  readonly checkOutBy?: Millis | undefined;
}

export interface Deployment {
  readonly description: TopologyDescription;
  /** The server for this request, or the one at this address. @throws MongoError `selection`: what was wanted and why not. */
  select(request: Request<unknown>, at?: Address): Soon<Server>;
  /** Every error that a connection or reply gave: the description and the pool change in this same turn. */
  report(error: MongoError): void;
  /** Operations that wait for a server, or for its answer, fail as `closed`. */
  close(): Promise<void>;
  /** Fails waiting operations as `closed`, but accepts new ones, so that sessions can end before `close`. */
  interrupt(): void;
  /** Aborts on `interrupt` and `close`, for waits outside of the deployment. */
  readonly closing: Signal;
}

/** The application's own choice among the servers that are suitable. Rule: Server Selection, "serverSelector". */
export type ServerSelector = (servers: readonly ServerDescription[]) => readonly ServerDescription[];

/** What SRV records name, as far as the names may be used. */
export interface SeedList {
  readonly hosts: readonly Address[];
  /** The least of the records' TTLs; undefined where it cannot be told. */
  readonly timeToLive: Millis | undefined;
}

/** Rejects, or finds none, if the records cannot be had. */
export type LookUpSeeds = () => Promise<SeedList>;

export interface TopologyDeps {
  readonly clock: Clock;
  /** For the choice between servers in the latency window, and the topologyId of events. */
  readonly random: Random;
  readonly events: EventSink;
  /** For the monitors. */
  readonly connect: Connect;
  readonly openPool: OpenPool;
  /** Looks up the SRV records again that the seeds came from. Ignored with loadBalanced. */
  readonly lookUpSeeds?: LookUpSeeds | undefined;
}

/** Under the names of the connection string. Rule: Server Discovery and Monitoring, "Configuration"; Server Selection. */
export interface TopologyOptions {
  /** At least one; exactly one with directConnection or loadBalanced. */
  readonly seeds: readonly Address[];
  /** The set's name; members of other sets are left out. */
  readonly replicaSet?: string | undefined;
  /** Everything goes to the one seed, whatever it is. */
  readonly directConnection?: boolean | undefined;
  /** The one seed is a load balancer: nothing is monitored. */
  readonly loadBalanced?: boolean | undefined;
  /** From the end of a check to the next; at least 500. */
  readonly heartbeatFrequencyMS?: Millis | undefined;
  /** The specification knows no other value than 500 and lets no user change it. */
  readonly minHeartbeatFrequencyMS?: Millis | undefined;
  /**
   * Whether servers are to push what changes (`stream`) or are asked every heartbeatFrequencyMS (`poll`); `auto` streams
   * except in a function service. Rule: Server Monitoring, "serverMonitoringMode".
   */
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream' | undefined;
  /** Which function service runs this process, if one does: it freezes processes, which streams do not survive. */
  readonly functionService?: string | undefined;
  /** Of monitors: to connect, and for each check. 0: no limit. */
  readonly connectTimeoutMS?: Millis | undefined;
  /** How long an operation waits for a server. 0: until its own deadline. */
  readonly serverSelectionTimeoutMS?: Millis | undefined;
  /** How much further away than the nearest a server may be. */
  readonly localThresholdMS?: Millis | undefined;
  /** Called for each operation, with the servers that are suitable, before the latency window. It must not throw. */
  readonly serverSelector?: ServerSelector | undefined;
  /** Of SRV records, how many hosts are used at most; 0: all. */
  readonly srvMaxHosts?: number | undefined;
  /** How long the records that the seeds came from may be relied on. */
  readonly seedsTimeToLive?: Millis | undefined;
}

/** Makes the deployment of a client. @throws MongoError `usage` for options that contradict each other */
export type CreateTopology = (deps: TopologyDeps, options: TopologyOptions) => Deployment;
