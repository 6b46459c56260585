/** Types of documents with a schema, with the names that the official driver gives them. */
import type { ObjectId } from './values.js';

/**
 * The type of a schema's `_id`: ObjectId if the schema declares none. It is never if `_id` is required and its type accepts an empty
 * object, such as any, unknown or object. It is ObjectId for an optional `_id` of type any or unknown.
 */
export type InferIdType<Schema> = Schema extends { _id: infer Id }
  ? Record<never, never> extends Id
    ? never
    : Id
  : Schema extends { _id?: infer Id }
    ? unknown extends Id
      ? ObjectId
      : Id
    : ObjectId;

/** Like `Omit`, but applied to each member of a union. A type with an index signature is returned unchanged. */
export type EnhancedOmit<Record_, Keys> = string extends keyof Record_
  ? Record_
  : Record_ extends unknown
    ? Pick<Record_, Exclude<keyof Record_, Keys>>
    : never;

/** A document as the server returns it, with its `_id`. */
export type WithId<Schema> = EnhancedOmit<Schema, '_id'> & {
  /** The unique id of the document in its collection. */
  _id: InferIdType<Schema>;
};
/** A document without `_id`: a replacement document. */
export type WithoutId<Schema> = Omit<Schema, '_id'>;

/** A document to insert, whose `_id` may be omitted. */
export type OptionalId<Schema> = EnhancedOmit<Schema, '_id'> & {
  /** The id. If it is absent, the driver generates it. */
  _id?: InferIdType<Schema>;
};

/** The first result for the type any, the second for every other type. */
export type IsAny<Type, ResultIfAny, ResultIfNotAny> = true extends false & Type ? ResultIfAny : ResultIfNotAny;

/** The keys of a schema whose values have this type. */
export type KeysOfAType<Schema, Type> = {
  [Key in keyof Schema]: NonNullable<Schema[Key]> extends Type ? Key : never;
}[keyof Schema];
/** The keys of a schema whose values do not have this type. */
export type KeysOfOtherType<Schema, Type> = {
  [Key in keyof Schema]: NonNullable<Schema[Key]> extends Type ? never : Key;
}[keyof Schema];
/** An object with the keys whose values have the type `Field`; their new type is `Assignable`. */
export type AcceptedFields<Schema, Field, Assignable> = {
  readonly [Key in KeysOfAType<Schema, Field>]?: Assignable;
};
/** An object that must not have the keys whose values have another type than `Field`. */
export type NotAcceptedFields<Schema, Field> = {
  readonly [Key in KeysOfOtherType<Schema, Field>]?: never;
};

/** The type of an array's items; any other type unchanged. */
export type Flatten<Type> = Type extends readonly (infer Item)[] ? Item : Type;
