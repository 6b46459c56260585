import type { MongoClient } from '@tessera/client';
import type { Deployment, Traits } from './deployment.js';
import type { Entities } from './entities.js';

/** A fail point that a test has set. */
export interface SetFailPoint {
  readonly name: string;
  /** The server on which it was set; undefined if it was set through a client. */
  readonly address: string | undefined;
  /** The `blockTimeMS` of the fail point. */
  readonly blockTime: number;
}

/** The state of a running test. */
export interface Stage {
  readonly deployment: Deployment;
  readonly traits: Traits;
  readonly entities: Entities;
  /** The runner's internal client. */
  readonly internal: MongoClient;
  readonly failPoints: SetFailPoint[];
  /** Expected errors that operations have thrown. */
  readonly raised: Error[];
}
