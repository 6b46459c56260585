import type { Document, ObjectId } from '@tessera/contracts';

/** The type of a schema's `_id`: ObjectId where the schema says nothing. */
export type InferIdType<Schema> = Schema extends { _id: infer Id }
  ? Record<never, never> extends Id
    ? never
    : Id
  : Schema extends { _id?: infer Id }
    ? unknown extends Id
      ? ObjectId
      : Id
    : ObjectId;

/** As `Omit`, for each document of a union. */
export type EnhancedOmit<Record_, Keys> = string extends keyof Record_
  ? Record_
  : Record_ extends unknown
    ? Pick<Record_, Exclude<keyof Record_, Keys>>
    : never;

/** As it comes from the server: it has an `_id`. */
export type WithId<Schema> = EnhancedOmit<Schema, '_id'> & { _id: InferIdType<Schema> };
/** As a replacement is given. */
export type WithoutId<Schema> = Omit<Schema, '_id'>;
export type OptionalId<Schema> = EnhancedOmit<Schema, '_id'> & { _id?: InferIdType<Schema> };
/** As an insert is given: `_id` may be left out unless the schema demands it. */
export type OptionalUnlessRequiredId<Schema> = Schema extends { _id: unknown } ? Schema : OptionalId<Schema>;

export type Flatten<Type> = Type extends readonly (infer Item)[] ? Item : Type;
export type { Document };
