import type { TagSet } from './description.js';

/** The mode of a read preference: the types of servers that an operation may use. Rule: Server Selection, "mode". */
export type ReadPreferenceMode = 'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred' | 'nearest';

/** Options of hedged reads. Rule: Server Selection, "hedge". */
export interface HedgeOptions {
  /** Whether hedged reads are enabled. Default: true. */
  enabled?: boolean;
}

/**
 * A read preference: which servers an operation may use. Writes use `{ mode: 'primary' }`. Each handle creates one object, so
 * implementations can use the object as a cache key. Rule: Server Selection, "Read preference".
 */
export interface Selection {
  /** The mode of the read preference. Writes use `primary`. */
  readonly mode: ReadPreferenceMode;
  /** Tag sets in the order of preference. The first set that matches a server applies: a server must have all of its tags. */
  readonly tags?: readonly TagSet[] | undefined;
  /** The maximum replication lag of a secondary, in seconds. At least 90 in a replica set. Undefined or -1: no limit. Rule: Max Staleness. */
  readonly maxStalenessSeconds?: number | undefined;
  /** Whether a mongos may send the read to several members. Ignored by MongoDB 8.0 and later. Rule: Server Selection, "hedge". */
  readonly hedge?: HedgeOptions | undefined;
  /**
   * True for an aggregation with $out or $merge. The aggregation runs on the primary if any server is older than MongoDB 5.0.
   * Rule: CRUD, "aggregate".
   */
  readonly writes?: boolean | undefined;
}

/** The wire version of MongoDB 5.0, the first whose secondaries run aggregations with $out and $merge. Rule: CRUD, "aggregate". */
export const secondariesWriteSince = 13;
