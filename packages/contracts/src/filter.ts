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
  /** Matches values that equal this one. */
  $eq?: Value;
  /** Matches greater values. */
  $gt?: Value;
  /** Matches greater and equal values. */
  $gte?: Value;
  /** Matches values that equal one of the list. */
  $in?: readonly Value[];
  /** Matches smaller values. */
  $lt?: Value;
  /** Matches smaller and equal values. */
  $lte?: Value;
  /** Matches other values, and documents without the field. */
  $ne?: Value;
  /** Matches values that equal none of the list, and documents without the field. */
  $nin?: readonly Value[];
  /** Matches values that do not satisfy these operators, and documents without the field. */
  $not?: Value extends string ? FilterOperators<Value> | RegExp : FilterOperators<Value>;
  /** Matches documents that have the field, or that do not have it. */
  $exists?: boolean;
  /** Matches values of this BSON type. */
  $type?: number | BSONTypeAlias | (number | BSONTypeAlias)[];
  /** Matches documents for which the aggregation expression is true. */
  $expr?: Document;
  /** Matches documents that are valid under this JSON schema. */
  $jsonSchema?: Document;
  /** Matches numbers with a remainder: `[divisor, remainder]`. */
  $mod?: Value extends number ? [number, number] : never;
  /** Matches strings that the regular expression matches. */
  $regex?: Value extends string ? RegExp | BSONRegExp | string : never;
  /** The flags of `$regex`, such as `i` to ignore case. */
  $options?: Value extends string ? string : never;
  /** Matches geometries that intersect this one. */
  $geoIntersects?: { $geometry: Document };
  /** Matches geometries within this one. */
  $geoWithin?: Document;
  /** Matches points in the order of their distance. Requires a geospatial index. */
  $near?: Document;
  /** Matches points in the order of their distance on a sphere. Requires a geospatial index. */
  $nearSphere?: Document;
  /** The maximum distance of `$near` and `$nearSphere`, in meters for GeoJSON points. */
  $maxDistance?: number;
  /** Matches arrays that contain all of these values. */
  $all?: readonly unknown[];
  /** Matches arrays with an element that satisfies all of these conditions. */
  $elemMatch?: Document;
  /** Matches arrays of this length. */
  $size?: Value extends readonly unknown[] ? number : never;
  /** Matches numbers in which all of these bits are 0. */
  $bitsAllClear?: BitwiseFilter;
  /** Matches numbers in which all of these bits are 1. */
  $bitsAllSet?: BitwiseFilter;
  /** Matches numbers in which one of these bits is 0. */
  $bitsAnyClear?: BitwiseFilter;
  /** Matches numbers in which one of these bits is 1. */
  $bitsAnySet?: BitwiseFilter;
  /** Returns a random number, within `$expr`. */
  $rand?: Record<string, never>;
}

/** The condition of a filter on one field: a value to equal, or operators. */
export type Condition<Value> = AlternativeType<Value> | FilterOperators<AlternativeType<Value>>;

/** The operators at the top level of a filter, beside the fields. */
export interface RootFilterOperators<Schema> extends Document {
  /** Matches documents that satisfy all of these filters. */
  $and?: Filter<Schema>[];
  /** Matches documents that satisfy none of these filters. */
  $nor?: Filter<Schema>[];
  /** Matches documents that satisfy one of these filters. */
  $or?: Filter<Schema>[];
  /** Searches for words. Requires a text index. */
  $text?: { $search: string; $language?: string; $caseSensitive?: boolean; $diacriticSensitive?: boolean };
  /** A JavaScript function that the server runs for each document. Prefer `$expr`. */
  $where?: string | ((this: Schema) => boolean);
  /** A comment that the server writes to its logs and profiler. */
  $comment?: string | Document;
}

/** A filter on documents of this schema. Dotted paths are allowed; their values are not type-checked. */
export type Filter<Schema> = {
  [Key in keyof WithId<Schema>]?: Condition<WithId<Schema>[Key]>;
} & RootFilterOperators<WithId<Schema>>;
