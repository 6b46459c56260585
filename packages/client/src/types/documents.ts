import type { Document, EnhancedOmit, InferIdType } from '@tessera/contracts';

export type { EnhancedOmit, Flatten, InferIdType, WithId, WithoutId } from '@tessera/contracts';

/** A document whose `_id` may be absent. */
export type OptionalId<Schema> = EnhancedOmit<Schema, '_id'> & {
  /** The id. Generated on insertion if absent. */
  _id?: InferIdType<Schema>;
};
/** A document to insert: `_id` may be omitted unless the schema requires it. */
export type OptionalUnlessRequiredId<Schema> = Schema extends { _id: unknown } ? Schema : OptionalId<Schema>;
export type { Document };
