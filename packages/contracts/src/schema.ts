/** Types of documents with a schema, under the names of the official driver's types. */
import type { ObjectId } from './values.js';

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

/** A document as the server returns it: it has an `_id`. */
export type WithId<Schema> = EnhancedOmit<Schema, '_id'> & { _id: InferIdType<Schema> };
/** A document as a replacement is given. */
export type WithoutId<Schema> = Omit<Schema, '_id'>;

export type Flatten<Type> = Type extends readonly (infer Item)[] ? Item : Type;
