/** What an update may say, under the names of the official driver's types. */
import type { Condition, FilterOperators, NumericType } from './filter.js';
import type { Flatten } from './schema.js';
import type { Document, Timestamp } from './values.js';

export type SortDirection = 1 | -1 | 'asc' | 'desc' | 'ascending' | 'descending' | { readonly $meta: string };

type KeysOf<Schema, Value> = { [Key in keyof Schema]: Schema[Key] extends Value ? Key : never }[keyof Schema];
/** The fields of a schema that hold such values, some of them. */
export type OnlyFieldsOfType<Schema, Field = unknown, Assignable = Field> = {
  readonly [Key in KeysOf<Schema, Field | undefined>]?: Assignable;
} & { readonly [Key in Exclude<keyof Schema, KeysOf<Schema, Field | undefined>>]?: never } & Readonly<
    Record<string, Assignable>
  >;

/** Fields of the schema, and dotted paths, with values they can hold. */
export type MatchKeysAndValues<Schema> = Readonly<Partial<Schema>> & Readonly<Record<string, unknown>>;

export interface ArrayOperator<Value> {
  readonly $each?: readonly Flatten<Value>[];
  readonly $slice?: number;
  readonly $position?: number;
  readonly $sort?: SortDirection | Readonly<Record<string, SortDirection>>;
}
export type AddToSetOperators<Value> = { readonly $each?: readonly Flatten<Value>[] };

type ArrayFields<Schema> = KeysOf<Schema, readonly unknown[] | undefined>;

export type SetFields<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: Flatten<Schema[Key]> | AddToSetOperators<Schema[Key]>;
} & Readonly<Record<string, unknown>>;
export type PushOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: Flatten<Schema[Key]> | ArrayOperator<Schema[Key]>;
} & Readonly<Record<string, unknown>>;
export type PullOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?:
    Partial<Flatten<Schema[Key]>> | Condition<Flatten<Schema[Key]>> | FilterOperators<Flatten<Schema[Key]>>;
} & Readonly<Record<string, unknown>>;
export type PullAllOperator<Schema> = {
  readonly [Key in ArrayFields<Schema>]?: readonly Flatten<Schema[Key]>[];
} & Readonly<Record<string, readonly unknown[]>>;

/** Operators on the documents of this schema. Rule: MongoDB manual, "Update Operators". */
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
