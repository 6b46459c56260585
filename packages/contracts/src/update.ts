/** Types of update documents, with the names that the official driver gives them. */
import type { FilterOperators, IntegerType, NumericType } from './filter.js';
import type { AcceptedFields, Flatten, IsAny, KeysOfAType, NotAcceptedFields, OptionalId } from './schema.js';
import type { Sort } from './sort.js';
import type { Document, Timestamp } from './values.js';

/* oxlint-disable typescript/no-explicit-any -- a path that the schema does not list accepts any value */

/**
 * An object that assigns values to fields of type `Field`; fields of other types are rejected, dotted paths are allowed.
 * A schema with a field of type any accepts every field.
 */
export type OnlyFieldsOfType<Schema, Field = any, Assignable = Field> = IsAny<
  Schema[keyof Schema],
  Assignable extends Field ? Record<string, Field> : Record<string, Assignable>,
  AcceptedFields<Schema, Field, Assignable> & NotAcceptedFields<Schema, Field> & Record<string, Assignable>
>;

/** Values for fields of the schema, and for any dotted path. */
export type MatchKeysAndValues<Schema> = Readonly<Partial<Schema>> & Record<string, any>;

/** The modifiers of `$push`. */
export interface ArrayOperator<Value> {
  /** Appends each of these values. */
  $each?: Flatten<Value>[];
  /** Keeps this number of elements: the first ones, or with a negative number the last ones. */
  $slice?: number;
  /** The index at which to insert. Default: the end. */
  $position?: number;
  /** Sorts the array after the insertion. */
  $sort?: Sort;
}
/** The modifier of `$addToSet`. */
export type AddToSetOperators<Value> = {
  /** Adds each of these values that the array does not contain. */
  $each?: Flatten<Value>[];
};

type Items = readonly any[];

/** Rejects fields that are not arrays, unless the schema has fields of type any. */
type OnlyArrays<Schema, Value> = IsAny<Schema[keyof Schema], object, NotAcceptedFields<Schema, Value>>;

/** The operand of `$addToSet`. The `_id` of a new item may be omitted. */
export type SetFields<Schema> = {
  readonly [Key in KeysOfAType<Schema, Items | undefined>]?:
    | OptionalId<Flatten<Schema[Key]>>
    | AddToSetOperators<OptionalId<Flatten<Schema[Key]>>[]>;
} & OnlyArrays<Schema, Items | undefined> &
  Readonly<Record<string, any>>;
/** The operand of `$push`. */
export type PushOperator<Schema> = {
  readonly [Key in KeysOfAType<Schema, Items>]?: Flatten<Schema[Key]> | ArrayOperator<Flatten<Schema[Key]>[]>;
} & OnlyArrays<Schema, Items> &
  Readonly<Record<string, any>>;
/** A condition of `$pull` on one item: query operators. For an item that is a document: query operators for each of its fields. */
export type FilterOperations<Type> =
  Type extends Record<string, any> ? { [Key in keyof Type]?: FilterOperators<Type[Key]> } : FilterOperators<Type>;
/** The operand of `$pull`. */
export type PullOperator<Schema> = {
  readonly [Key in KeysOfAType<Schema, Items>]?: IsAny<
    Schema[Key],
    any,
    Partial<Flatten<Schema[Key]>> | FilterOperations<Flatten<Schema[Key]>>
  >;
} & OnlyArrays<Schema, Items> &
  Readonly<Record<string, any>>;
/** The operand of `$pullAll`. */
export type PullAllOperator<Schema> = {
  readonly [Key in KeysOfAType<Schema, Items>]?: Schema[Key];
} & OnlyArrays<Schema, Items> &
  Readonly<Record<string, Items>>;

/** An update of documents of this schema. Rule: MongoDB manual, "Update Operators". */
export type UpdateFilter<Schema> = {
  /** Sets fields to the server's date. */
  $currentDate?: OnlyFieldsOfType<Schema, Date | Timestamp, true | { $type: 'date' | 'timestamp' }>;
  /** Adds a number to fields. */
  $inc?: OnlyFieldsOfType<Schema, NumericType | undefined>;
  /** Sets fields to the value if it is less than the stored one. */
  $min?: MatchKeysAndValues<Schema>;
  /** Sets fields to the value if it is greater than the stored one. */
  $max?: MatchKeysAndValues<Schema>;
  /** Multiplies fields by a number. */
  $mul?: OnlyFieldsOfType<Schema, NumericType | undefined>;
  /** Renames fields. */
  $rename?: Record<string, string>;
  /** Sets fields. Nested fields are named by a dotted path. */
  $set?: MatchKeysAndValues<Schema>;
  /** Sets fields only if an upsert inserts the document. */
  $setOnInsert?: MatchKeysAndValues<Schema>;
  /** Removes fields. */
  $unset?: OnlyFieldsOfType<Schema, any, '' | true | 1>;
  /** Adds values to arrays that do not contain them. */
  $addToSet?: SetFields<Schema>;
  /** Removes the last element of arrays (1), or the first one (-1). */
  $pop?: OnlyFieldsOfType<Schema, Items, 1 | -1>;
  /** Removes array elements that equal a value or satisfy a condition. */
  $pull?: PullOperator<Schema>;
  /** Appends values to arrays. */
  $push?: PushOperator<Schema>;
  /** Removes array elements that equal one of these values. */
  $pullAll?: PullAllOperator<Schema>;
  /** Combines integers with a bit mask. */
  $bit?: OnlyFieldsOfType<
    Schema,
    NumericType | undefined,
    { and: IntegerType } | { or: IntegerType } | { xor: IntegerType }
  >;
} & Document;
