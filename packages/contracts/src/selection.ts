import type { TagSet } from './description.js';

export type ReadPreferenceMode = 'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred' | 'nearest';

/** Rule: Server Selection, "hedge". */
export interface HedgeOptions {
  readonly enabled?: boolean;
}

/**
 * Which server an operation wants. Made once per handle: its identity is the cache key.
 * Rule: Server Selection, "Read preference". Writes want `{ mode: 'primary' }`.
 */
export interface Selection {
  readonly mode: ReadPreferenceMode;
  readonly tags?: readonly TagSet[] | undefined;
  readonly maxStalenessSeconds?: number | undefined;
  /** Whether a mongos may ask several members at once; servers since MongoDB 8.0 pass it over. Rule: Server Selection, "hedge". */
  readonly hedge?: HedgeOptions | undefined;
  /** An aggregation that writes: while a server is older than MongoDB 5.0, the primary does it. Rule: CRUD, "aggregate". */
  readonly writes?: boolean | undefined;
}

/** The wire version of MongoDB 5.0, whose secondaries run aggregations that write. Rule: CRUD, "aggregate". */
export const secondariesWriteSince = 13;
