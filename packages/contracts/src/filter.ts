/** Types of query filters, with the names that the official driver gives them. */
import type { BSONRegExp, Double, Int32 } from 'bson';
import type { WithId } from './schema.js';
import type { Binary, Decimal128, Document, Long } from './values.js';

/** A value to compare with a field. For a string field, a regular expression is also allowed. */
export type RegExpOrString<Value> = Value extends string ? BSONRegExp | RegExp | Value : Value;

/** A value to compare with a field. For an array field, a value to compare with its items is also allowed. */
export type AlternativeType<Value> = Value extends readonly (infer Item)[]
  ? Value | RegExpOrString<Item>
  : RegExpOrString<Value>;

/** A whole number, as a JavaScript value or as an object of a BSON class. */
export type IntegerType = Int32 | Long | number | bigint;
/** A number, as a JavaScript value or as an object of a BSON class. */
export type NumericType = IntegerType | Double | Decimal128;
/** A bit mask, or a list of bit positions. */
export type BitwiseFilter = number | bigint | Binary | readonly number[];

/** Names of BSON types, for `$type`. `number` matches every numeric type. */
export type BSONTypeAlias =
  | 'double'
  | 'string'
  | 'object'
  | 'array'
  | 'binData'
  | 'undefined'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'null'
  | 'regex'
  | 'dbPointer'
  | 'javascript'
  | 'symbol'
  | 'javascriptWithScope'
  | 'int'
  | 'timestamp'
  | 'long'
  | 'decimal'
  | 'minKey'
  | 'maxKey'
  | 'number';

/** A document without the fields of an ObjectId, so that TypeScript does not accept an ObjectId as a list of operators. */
export type NonObjectIdLikeDocument = { readonly [Key in 'id' | '__id' | 'toHexString']?: never } & Document;

/** The operators that a filter may apply to one field. Rule: MongoDB manual, "Query and Projection Operators". */
export interface FilterOperators<Value> extends NonObjectIdLikeDocument {
  $eq?: Value;
  $gt?: Value;
  $gte?: Value;
  $in?: readonly Value[];
  $lt?: Value;
  $lte?: Value;
  $ne?: Value;
  $nin?: readonly Value[];
  $not?: Value extends string ? FilterOperators<Value> | RegExp : FilterOperators<Value>;
  $exists?: boolean;
  $type?: number | BSONTypeAlias | (number | BSONTypeAlias)[];
  $expr?: Document;
  $jsonSchema?: Document;
  $mod?: Value extends number ? [number, number] : never;
  $regex?: Value extends string ? RegExp | BSONRegExp | string : never;
  $options?: Value extends string ? string : never;
  $geoIntersects?: { $geometry: Document };
  $geoWithin?: Document;
  $near?: Document;
  $nearSphere?: Document;
  $maxDistance?: number;
  $all?: readonly unknown[];
  $elemMatch?: Document;
  $size?: Value extends readonly unknown[] ? number : never;
  $bitsAllClear?: BitwiseFilter;
  $bitsAllSet?: BitwiseFilter;
  $bitsAnyClear?: BitwiseFilter;
  $bitsAnySet?: BitwiseFilter;
  $rand?: Record<string, never>;
}

/** The condition of a filter on one field: a value to equal, or operators. */
export type Condition<Value> = AlternativeType<Value> | FilterOperators<AlternativeType<Value>>;

/** The operators at the top level of a filter, beside the fields. */
export interface RootFilterOperators<Schema> extends Document {
  $and?: Filter<Schema>[];
  $nor?: Filter<Schema>[];
  $or?: Filter<Schema>[];
  $text?: { $search: string; $language?: string; $caseSensitive?: boolean; $diacriticSensitive?: boolean };
  $where?: string | ((this: Schema) => boolean);
  $comment?: string | Document;
}

/** A filter on documents of this schema. Dotted paths are allowed; their values are not type-checked. */
export type Filter<Schema> = {
  [Key in keyof WithId<Schema>]?: Condition<WithId<Schema>[Key]>;
} & RootFilterOperators<WithId<Schema>>;
