import type { MongoClient } from '@tessera/client';
import type { Deployment, Traits } from './deployment.js';
import type { Entities } from './entities.js';

/** A fail point that was set, and where. */
export interface SetFailPoint {
  readonly name: string;
  /** Of one server of several; undefined for the primary. */
  readonly address: string | undefined;
  /** Milliseconds that it holds commands back. */
  readonly blockTime: number;
}

/** What the operations of one test act upon. */
export interface Stage {
  readonly deployment: Deployment;
  readonly traits: Traits;
  readonly entities: Entities;
  /** Not one of the test's clients. */
  readonly internal: MongoClient;
  readonly failPoints: SetFailPoint[];
  /** Errors that operations raised and were expected to raise. */
  readonly raised: Error[];
}
