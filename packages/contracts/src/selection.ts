import type { TagSet } from './description.js';

/** Rule: Server Selection, "mode". */
export type ReadPreferenceMode = 'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred' | 'nearest';

/** Options of hedged reads. Rule: Server Selection, "hedge". */
export interface HedgeOptions {
  readonly enabled?: boolean;
}

/**
 * A read preference: which servers an operation may use. Writes use `{ mode: 'primary' }`. Each handle creates one object, whose
 * identity may serve as the key of a cache. Rule: Server Selection, "Read preference".
 */
export interface Selection {
  readonly mode: ReadPreferenceMode;
  /** Tag sets in the order of preference; a server must have all tags of the first set that matches any server. */
  readonly tags?: readonly TagSet[] | undefined;
  /** How far a secondary may lag behind, in seconds. Undefined: no limit. Rule: Max Staleness. */
  readonly maxStalenessSeconds?: number | undefined;
  /** Whether a mongos may send the read to several members. Ignored by MongoDB 8.0 and later. Rule: Server Selection, "hedge". */
  readonly hedge?: HedgeOptions | undefined;
  /** Set for an aggregation with $out or $merge. It runs on the primary if any server is older than MongoDB 5.0. Rule: CRUD, "aggregate". */
  readonly writes?: boolean | undefined;
}

/** The wire version of MongoDB 5.0, the first whose secondaries run aggregations with $out and $merge. Rule: CRUD, "aggregate". */
export const secondariesWriteSince = 13;
