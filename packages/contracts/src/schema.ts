/** Types of documents with a schema, with the names that the official driver gives them. */
import type { ObjectId } from './values.js';

/** The type of a schema's `_id`: ObjectId if the schema declares none. */
export type InferIdType<Schema> = Schema extends { _id: infer Id }
  ? Record<never, never> extends Id
    ? never
    : Id
  : Schema extends { _id?: infer Id }
    ? unknown extends Id
      ? ObjectId
      : Id
    : ObjectId;

/** Like `Omit`, but applied to each member of a union. */
export type EnhancedOmit<Record_, Keys> = string extends keyof Record_
  ? Record_
  : Record_ extends unknown
    ? Pick<Record_, Exclude<keyof Record_, Keys>>
    : never;

/** A document as the server returns it, with its `_id`. */
export type WithId<Schema> = EnhancedOmit<Schema, '_id'> & { _id: InferIdType<Schema> };
/** A document without `_id`: a replacement document. */
export type WithoutId<Schema> = Omit<Schema, '_id'>;

/** The type of an array's items; any other type unchanged. */
export type Flatten<Type> = Type extends readonly (infer Item)[] ? Item : Type;
