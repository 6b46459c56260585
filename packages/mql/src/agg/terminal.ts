import type { Doc } from '../value/doc.js';
import type { Ambience } from './scope.js';

/** The target collection of `$out` or `$merge`. Without `db` it is in the pipeline's database. */
export interface Target {
  readonly db: string | undefined;
  readonly collection: string;
}

/** The action for an existing document. A function computes the new document from the existing and the incoming one. */
export type WhenMatched =
  | 'replace'
  | 'keepExisting'
  | 'merge'
  | 'fail'
  | ((existing: Doc, incoming: Doc, ambience: Ambience) => Doc);

/** The final stage of a pipeline that writes. The command executes it. */
export type Terminal =
  | {
      /** The results replace the collection. */
      readonly kind: 'out';
      readonly into: Target;
      readonly timeseries: Doc | undefined;
    }
  | {
      /** Each result is merged into the collection, where it is found by the fields `on`. */
      readonly kind: 'merge';
      readonly into: Target;
      /** Undefined: `_id`. */
      readonly on: readonly string[] | undefined;
      readonly whenMatched: WhenMatched;
      readonly whenNotMatched: 'insert' | 'discard' | 'fail';
    };
