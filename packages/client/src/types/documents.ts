import type { Document, EnhancedOmit, InferIdType } from '@tessera/contracts';

export type { EnhancedOmit, Flatten, InferIdType, WithId, WithoutId } from '@tessera/contracts';

export type OptionalId<Schema> = EnhancedOmit<Schema, '_id'> & { _id?: InferIdType<Schema> };
/** A document to insert: `_id` may be omitted unless the schema requires it. */
export type OptionalUnlessRequiredId<Schema> = Schema extends { _id: unknown } ? Schema : OptionalId<Schema>;
export type { Document };
