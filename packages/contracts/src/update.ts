/** Types of update documents, with the names that the official driver gives them. */
import type { Condition, FilterOperators, NumericType } from './filter.js';
import type { Flatten } from './schema.js';
import type { Document, Timestamp } from './values.js';

/** The order of one sort key: ascending, descending, or by a metadata field such as the text score. */
export type SortDirection = 1 | -1 | 'asc' | 'desc' | 'ascending' | 'descending' | { readonly $meta: string };

/** The keys of a schema whose values have this type. */
type KeysOf<Schema, Value> = { [Key in keyof Schema]: Schema[Key] extends Value ? Key : never }[keyof Schema];
/** An object that assigns values to fields of type `Field`; fields of other types are rejected, dotted paths are allowed. */
export type OnlyFieldsOfType<Schema, Field = unknown, Assignable = Field> = {
  readonly [Key in KeysOf<Schema, Field | undefined>]?: Assignable;
} & { readonly [Key in Exclude<keyof Schema, KeysOf<Schema, Field | undefined>>]?: never } & Readonly<
    Record<string, Assignable>
  >;

/** Values for fields of the schema, and for any dotted path. */
export type MatchKeysAndValues<Schema> = Readonly<Partial<Schema>> & Readonly<Record<string, unknown>>;

/** The modifiers of `$push`. */
export interface ArrayOperator<Value> {
  readonly $each?: readonly Flatten<Value>[];
  readonly $slice?: number;
  readonly $position?: number;
  readonly $sort?: SortDirection | Readonly<Record<string, SortDirection>>;
}
/** The modifier of `$addToSet`. */
export type AddToSetOperators<Value> = { readonly $each?: readonly Flatten<Value>[] };

/** The keys of a schema whose values are arrays. */
type ArrayFields<Schema> = KeysOf<Schema, readonly unknown[] | undefined>;

/** The operand of `$addToSet`. */
export type SetFields<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: Flatten<Schema[Key]> | AddToSetOperators<Schema[Key]>;
} & Readonly<Record<string, unknown>>;
/** The operand of `$push`. */
export type PushOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: Flatten<Schema[Key]> | ArrayOperator<Schema[Key]>;
} & Readonly<Record<string, unknown>>;
/** The operand of `$pull`. */
export type PullOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?:
    Partial<Flatten<Schema[Key]>> | Condition<Flatten<Schema[Key]>> | FilterOperators<Flatten<Schema[Key]>>;
} & Readonly<Record<string, unknown>>;
/** The operand of `$pullAll`. */
export type PullAllOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: readonly Flatten<Schema[Key]>[];
} & Readonly<Record<string, readonly unknown[]>>;

/** An update of documents of this schema. Rule: MongoDB manual, "Update Operators". */
export type UpdateFilter<Schema> = {
  $currentDate?: OnlyFieldsOfType<Schema, Date | Timestamp, true | { readonly $type: 'date' | 'timestamp' }>;
  $inc?: OnlyFieldsOfType<Schema, NumericType | undefined>;
  $min?: MatchKeysAndValues<Schema>;
  $max?: MatchKeysAndValues<Schema>;
  $mul?: OnlyFieldsOfType<Schema, NumericType | undefined>;
  $rename?: Readonly<Record<string, string>>;
  $set?: MatchKeysAndValues<Schema>;
  $setOnInsert?: MatchKeysAndValues<Schema>;
  $unset?: OnlyFieldsOfType<Schema, unknown, '' | true | 1>;
  $addToSet?: SetFields<Schema>;
  $pop?: OnlyFieldsOfType<Schema, readonly unknown[], 1 | -1>;
  $pull?: PullOperator<Schema>;
  $push?: PushOperator<Schema>;
  $pullAll?: PullAllOperator<Schema>;
  $bit?: OnlyFieldsOfType<
    Schema,
    NumericType | undefined,
    { readonly and: number } | { readonly or: number } | { readonly xor: number }
  >;
} & Document;
