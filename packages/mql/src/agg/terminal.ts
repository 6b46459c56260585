import type { Doc } from '../value/doc.js';
import type { Ambience } from './scope.js';

/** A collection as `$out` and `$merge` name it; without a database, the pipeline's own. */
export interface Target {
  readonly db: string | undefined;
  readonly collection: string;
}

/** What becomes of a document that is there already. A function makes the new one of the existing and the incoming. */
export type WhenMatched =
  'replace' | 'keepExisting' | 'merge' | 'fail' | ((existing: Doc, incoming: Doc, ambience: Ambience) => Doc);

/** How a pipeline ends that writes: for the command to execute. */
export type Terminal =
  | {
      /** The results replace the collection. */
      readonly kind: 'out';
      readonly into: Target;
      readonly timeseries: Doc | undefined;
    }
  | {
      /** Each result is written into the collection, found there by the fields `on`. */
      readonly kind: 'merge';
      readonly into: Target;
      /** Undefined: `_id` (and the shard key, which is `_id` here). */
      readonly on: readonly string[] | undefined;
      readonly whenMatched: WhenMatched;
      readonly whenNotMatched: 'insert' | 'discard' | 'fail';
    };
