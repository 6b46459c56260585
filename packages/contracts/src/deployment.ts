import type { Millis, Signal, Soon } from './clock.js';
import type { ServerDescription, TopologyDescription } from './description.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { ConnectionPool } from './pool.js';
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
  /** They do, but what is begun afterwards is not refused: so that sessions can be ended before it is closed. */
  interrupt(): void;
  /** Aborts when it is interrupted or closed: for those who wait for something else. */
  readonly closing: Signal;
}
