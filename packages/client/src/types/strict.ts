/** The arguments of the methods of `StrictCollection`. None of these types accepts an unknown field or operator. */
import type {
  BitwiseFilter,
  BSONTypeAlias,
  Document,
  IntegerType,
  NumericType,
  SortDirection,
  Timestamp,
  WithId,
} from '@tessera/contracts';
import type { CollationOptions, Hint, OptionalId, WithoutId } from './documents.js';
import type { IndexDescription } from './indexes.js';
import type { FieldPath, FieldValues, UpdateValues } from './strict-paths.js';

type Items = readonly unknown[];
type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;
type IsKnown<Value> = unknown extends Value ? false : true;
type IsDocument<Value> = Value extends Document
  ? Value extends Items | Date | RegExp | Uint8Array | { readonly _bsontype: string }
    ? false
    : true
  : false;

/** A value to store in a field: numbers also as objects of a BSON class. */
type Stored<Value> = Value extends number | bigint ? NumericType : Value;

/** A value to compare with a field. `null` also matches a missing field, and an item matches the arrays that contain it. */
type Compared<Value> = Stored<Value> | Stored<ItemOf<Value>> | null;

/**
 * A value to equal. An array of documents is compared with `$eq`: a second type of object in the union would make the
 * messages of the compiler longer than a line.
 */
type Equal<Value> = true extends IsDocument<ItemOf<Value>> ? null : Compared<Value>;

/** Operators for fields of any type. */
interface CommonOperators<Value> {
  /** Matches values that equal this one. */
  $eq?: Compared<Value>;
  /** Matches other values, also a missing field. */
  $ne?: Compared<Value>;
  /** Matches greater values. */
  $gt?: Compared<Value>;
  /** Matches greater and equal values. */
  $gte?: Compared<Value>;
  /** Matches smaller values. */
  $lt?: Compared<Value>;
  /** Matches smaller and equal values. */
  $lte?: Compared<Value>;
  /** Matches values that equal one of the list. */
  $in?: readonly (Compared<Value> | PatternOf<Value>)[];
  /** Matches values that equal none of the list, also a missing field. */
  $nin?: readonly (Compared<Value> | PatternOf<Value>)[];
  /** Matches values that do not satisfy these operators, also a missing field. */
  $not?: CheckedOperators<Value> | PatternOf<Value>;
  /** Matches documents that have the field, or that do not have it. */
  $exists?: boolean;
  /** Matches values of this BSON type. */
  $type?: number | BSONTypeAlias | readonly (number | BSONTypeAlias)[];
}
/** Operators for numbers. */
interface NumberOperators {
  /** Matches numbers with a remainder: `[divisor, remainder]`. */
  $mod?: readonly [divisor: number, remainder: number];
  /** Matches numbers in which all of these bits are 0. */
  $bitsAllClear?: BitwiseFilter;
  /** Matches numbers in which all of these bits are 1. */
  $bitsAllSet?: BitwiseFilter;
  /** Matches numbers in which one of these bits is 0. */
  $bitsAnyClear?: BitwiseFilter;
  /** Matches numbers in which one of these bits is 1. */
  $bitsAnySet?: BitwiseFilter;
}
/** Operators for strings. */
interface StringOperators {
  /** Matches strings that the regular expression matches. */
  $regex?: string | RegExp;
  /** The flags of `$regex`, such as `i` to ignore case. */
  $options?: string;
}
/** Operators for arrays. */
interface ArrayOperators<Item> {
  /** Matches arrays that contain all of these values. */
  $all?: readonly (Compared<Item> | PatternOf<Item> | { $elemMatch: CheckedElement<Item> })[];
  /** Matches arrays with an element that satisfies all of these conditions. */
  $elemMatch?: CheckedElement<Item>;
  /** Matches arrays of this length. */
  $size?: number;
}
/** Operators for GeoJSON objects and coordinates. */
interface GeoOperators {
  /** Matches geometries that intersect this one. */
  $geoIntersects?: Document;
  /** Matches geometries within this one. */
  $geoWithin?: Document;
  /** Matches points in the order of their distance. Requires a geospatial index. */
  $near?: Document | readonly number[];
  /** Matches points in the order of their distance on a sphere. Requires a geospatial index. */
  $nearSphere?: Document | readonly number[];
  /** The maximum distance of `$near` and `$nearSphere`, in meters for GeoJSON points. */
  $maxDistance?: number;
  /** The minimum distance of `$near` and `$nearSphere`, in meters for GeoJSON points. */
  $minDistance?: number;
}
type PatternOf<Value> = Extract<Value | ItemOf<Value>, string> extends never ? never : RegExp;

/** The condition on one item of an array: a filter on its fields, or operators. */
type CheckedElement<Item> = true extends IsDocument<Item> ? CheckedFilter<Item> : CheckedOperators<Item>;

/** The operators that a filter may apply to a field of this type. */
export type CheckedOperators<Value> = CommonOperators<Value> &
  (Extract<Value | ItemOf<Value>, number | bigint | NumericType> extends never ? unknown : NumberOperators) &
  (Extract<Value | ItemOf<Value>, string> extends never ? unknown : StringOperators) &
  (Extract<Value, Items> extends never ? unknown : ArrayOperators<ItemOf<Value>>) &
  (Extract<Value, Document> extends never ? unknown : GeoOperators);

/** The condition on a field: a value to equal, or operators. */
export type CheckedCondition<Value> =
  IsKnown<Value> extends true ? Equal<Value> | PatternOf<Value> | CheckedOperators<Value> : unknown;

/** Operators at the top level of a filter. */
interface RootOperators<Schema> {
  /** Matches documents that satisfy all of these filters. */
  $and?: readonly CheckedFilter<Schema>[];
  /** Matches documents that satisfy one of these filters. */
  $or?: readonly CheckedFilter<Schema>[];
  /** Matches documents that satisfy none of these filters. */
  $nor?: readonly CheckedFilter<Schema>[];
  /** Matches documents for which the aggregation expression is true. */
  $expr?: Document;
  /** Matches documents that are valid under this JSON schema. */
  $jsonSchema?: Document;
  /** Searches for words. Requires a text index. */
  $text?: { $search: string; $language?: string; $caseSensitive?: boolean; $diacriticSensitive?: boolean };
  /** A JavaScript function that the server runs for each document. Prefer `$expr`. */
  $where?: string | ((this: Schema) => boolean);
  /** A comment that the server writes to its logs and profiler. */
  $comment?: unknown;
  /** Matches each document with this probability, from 0 to 1. Since MongoDB 4.4. */
  $sampleRate?: number;
}
type FilterFields<Values> = { [Path in keyof Values]?: CheckedCondition<Values[Path]> };

/** A filter whose fields, dotted paths, operators and values the compiler checks. */
export type CheckedFilter<Schema> = FilterFields<FieldValues<Schema>> & RootOperators<Schema>;

type FieldsOfType<Values, Type, Operand> = {
  [Path in keyof Values as Values[Path] extends Type ? Path : never]?: Operand;
};
type NamedFields<Values, Operand> = { [Path in keyof Values]?: Operand };
type AssignedFields<Values> = { [Path in keyof Values]?: Stored<Values[Path]> };
type PushedFields<Values> = {
  [Path in keyof Values as Values[Path] extends Items ? Path : never]?:
    | Stored<ItemOf<Values[Path]>>
    | {
        $each: readonly Stored<ItemOf<Values[Path]>>[];
        $slice?: number;
        $position?: number;
        $sort?: 1 | -1 | CheckedKeys<ItemOf<Values[Path]>>;
      };
};
type AddedFields<Values> = {
  [Path in keyof Values as Values[Path] extends Items ? Path : never]?:
    | Stored<ItemOf<Values[Path]>>
    | { $each: readonly Stored<ItemOf<Values[Path]>>[] };
};
type PulledFields<Values> = {
  [Path in keyof Values as Values[Path] extends Items ? Path : never]?:
    | Stored<ItemOf<Values[Path]>>
    | PatternOf<ItemOf<Values[Path]>>
    | CheckedElement<ItemOf<Values[Path]>>;
};
type PulledValues<Values> = {
  [Path in keyof Values as Values[Path] extends Items ? Path : never]?: readonly Stored<ItemOf<Values[Path]>>[];
};
type Bits = { and: IntegerType } | { or: IntegerType } | { xor: IntegerType };

/** The operators of an update, with the fields to which each applies. */
interface UpdateOperators<Values, Inserted> {
  /** Sets fields, also by dotted path. */
  $set?: AssignedFields<Values>;
  /** Sets fields only if an upsert inserts the document. */
  $setOnInsert?: AssignedFields<Inserted>;
  /** Sets fields to the value if it is less than the stored one. */
  $min?: AssignedFields<Values>;
  /** Sets fields to the value if it is greater than the stored one. */
  $max?: AssignedFields<Values>;
  /** Adds a number to fields. */
  $inc?: FieldsOfType<Values, NumericType, NumericType>;
  /** Multiplies fields by a number. */
  $mul?: FieldsOfType<Values, NumericType, NumericType>;
  /** Combines integers with a bit mask. */
  $bit?: FieldsOfType<Values, NumericType, Bits>;
  /** Removes fields. */
  $unset?: NamedFields<Values, '' | true | 1>;
  /** Renames fields. */
  $rename?: NamedFields<Values, string>;
  /** Sets fields to the server's date. */
  $currentDate?: FieldsOfType<Values, Date | Timestamp, true | { $type: 'date' | 'timestamp' }>;
  /** Appends values to arrays. */
  $push?: PushedFields<Values>;
  /** Adds values to arrays that do not contain them. */
  $addToSet?: AddedFields<Values>;
  /** Removes array elements that equal a value or satisfy a condition. */
  $pull?: PulledFields<Values>;
  /** Removes array elements that equal one of these values. */
  $pullAll?: PulledValues<Values>;
  /** Removes the last element of arrays (1), or the first one (-1). */
  $pop?: FieldsOfType<Values, Items, 1 | -1>;
}

/** An update whose operators, fields, dotted paths and values the compiler checks. */
export type CheckedUpdate<Schema> = UpdateOperators<UpdateValues<Schema>, UpdateValues<WithId<Schema>>>;

type CheckedKeys<Schema> = { readonly [Path in FieldPath<Schema>]?: SortDirection };

/** A sort: fields and dotted paths of the schema with directions, or the name of a field. */
export type CheckedSort<Schema> = FieldPath<Schema> | CheckedKeys<Schema>;

/** A projection of fields and dotted paths of the schema. */
export type CheckedProjection<Schema> = {
  readonly [Path in FieldPath<Schema>]?: 0 | 1 | boolean | `$${string}` | Document;
};

/** The keys of an index: fields and dotted paths of the schema, or `$**` for a wildcard index. */
export type CheckedIndexKeys<Schema> = {
  readonly [Path in FieldPath<Schema> | '$**']?: 1 | -1 | '2d' | '2dsphere' | 'text' | 'hashed';
};

/** An index to create, whose keys and filter the compiler checks. */
export interface CheckedIndex<Schema> extends Omit<IndexDescription, 'key' | 'partialFilterExpression'> {
  /** The fields to index, with their directions or types. */
  key: CheckedIndexKeys<Schema>;
  /** The filter that a document must match to be indexed. Default: all documents. */
  partialFilterExpression?: CheckedFilter<Schema> | undefined;
}

/* oxlint-disable typescript/no-explicit-any -- an array item of an array filter may have any type */

/** Operators for a value whose type is not known. */
interface AnyOperators
  extends CommonOperators<any>, NumberOperators, StringOperators, ArrayOperators<any>, GeoOperators {}

/* oxlint-enable typescript/no-explicit-any */

/** The conditions on the array items of one `$[name]`. The operators are checked. */
export interface CheckedArrayFilter {
  readonly [path: string]:
    | (string | number | bigint | boolean | Date | RegExp | null)
    | { readonly _bsontype: string }
    | readonly unknown[]
    | AnyOperators;
}

/** The members that an update and a replacement of a bulk write have in common. */
interface Choice<Schema> {
  /** The filter that selects the document. */
  filter: CheckedFilter<WithId<Schema>>;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
}
interface Upsert {
  /** Inserts a document if none matches. Default: false. */
  upsert?: boolean;
}
interface FirstOf<Schema> {
  /** The order that decides which of several matching documents is the first. Since MongoDB 8.0. */
  sort?: CheckedSort<WithId<Schema>>;
}
interface Change<Schema> {
  /** The update operators, or an aggregation pipeline. */
  update: CheckedUpdate<Schema> | Document[];
  /** Filters that select the array elements to update. */
  arrayFilters?: CheckedArrayFilter[];
}

/** An operation of `bulkWrite`: an object with one of these members. */
export interface CheckedBulkWrite<Schema> {
  /** Inserts a document. */
  insertOne?: { document: OptionalId<Schema> };
  /** Replaces the first matching document. */
  replaceOne?: Choice<Schema> & Upsert & FirstOf<Schema> & { replacement: WithoutId<Schema> };
  /** Updates the first matching document. */
  updateOne?: Choice<Schema> & Upsert & FirstOf<Schema> & Change<Schema>;
  /** Updates all matching documents. */
  updateMany?: Choice<Schema> & Upsert & Change<Schema>;
  /** Deletes the first matching document. */
  deleteOne?: Choice<Schema>;
  /** Deletes all matching documents. */
  deleteMany?: Choice<Schema>;
}
