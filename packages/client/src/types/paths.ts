/** Dotted paths into documents, under the names of the official driver's types. */
import type { Condition, Document, RootFilterOperators, UpdateFilter } from '@tessera/contracts';
import type { Flatten, KeysOfAType, WithId } from './documents.js';
import type { Leaf } from './leaf.js';

type ValueAt<Type, Key extends string> = Key extends keyof Type
  ? Type[Key]
  : [Type, Key] extends [readonly (infer Item)[], `${number}`]
    ? Item
    : unknown;

/** The type of the value at the path; unknown where the schema does not define it. */
export type PropertyType<Type, Path extends string> =
  Type extends ReadonlyMap<string, infer Value>
    ? Value
    : string extends Path
      ? unknown
      : Path extends keyof Type
        ? Type[Path]
        : Path extends `${infer First}.${infer Rest}`
          ? PropertyType<NonNullable<ValueAt<Type, First>>, Rest>
          : ValueAt<Type, Path>;

/** Whether a document contains its own type, so that its paths would be endless. */
type IsOfItself<Type, Value> = Value extends Type ? true : Type extends Value ? true : false;

/** The paths of a document, each as a tuple of up to eight keys. */
export type NestedPaths<Type, Depth extends readonly number[]> = Depth['length'] extends 8
  ? []
  : Type extends Leaf
    ? []
    : Type extends readonly (infer Item)[]
      ? [] | [number, ...NestedPaths<Item, [...Depth, 1]>]
      : Type extends ReadonlyMap<string, unknown>
        ? [string]
        : Type extends object
          ? {
              [Key in keyof Type & string]-?: true extends IsOfItself<Type, Flatten<NonNullable<Type[Key]>>>
                ? [Key]
                : [Key] | [Key, ...NestedPaths<Type[Key], [...Depth, 1]>];
            }[keyof Type & string]
          : [];

/** The keys joined by a separator. */
export type Join<Parts extends readonly unknown[], Between extends string> = Parts extends readonly []
  ? ''
  : Parts extends readonly [infer First extends string | number, ...infer Rest]
    ? Rest extends readonly []
      ? `${First}`
      : `${First}${Between}${Join<Rest, Between>}`
    : string;

type Paths<Schema> = Join<NestedPaths<Schema, []>, '.'>;

/** The paths whose values have the given type. */
export type NestedPathsOfType<Schema, Value> = KeysOfAType<
  { [Path in Paths<Schema>]: PropertyType<Schema, Path> },
  Value
>;

/** A filter whose dotted paths the compiler checks. */
export type StrictFilter<Schema> =
  | Partial<Schema>
  | ({ [Path in Paths<WithId<Schema>>]?: Condition<PropertyType<WithId<Schema>, Path>> } & RootFilterOperators<
      WithId<Schema>
    >);

/** Fields and dotted paths, including array items, with values of their types. */
export type StrictMatchKeysAndValues<Schema> = Readonly<
  { [Path in Paths<Schema>]?: PropertyType<Schema, Path> } & {
    [
      Path in `${NestedPathsOfType<Schema, readonly unknown[]>}.$${`[${string}]` | ''}`
    ]?: Path extends `${infer Field}.$${string}` ? Flatten<PropertyType<Schema, Field>> : never;
  } & Document
>;

/** An update whose dotted paths the compiler checks. */
export type StrictUpdateFilter<Schema> = UpdateFilter<Schema> & {
  /** Sets fields to the value if it is less than the stored one. */
  $min?: StrictMatchKeysAndValues<Schema>;
  /** Sets fields to the value if it is greater than the stored one. */
  $max?: StrictMatchKeysAndValues<Schema>;
  /** Sets fields, also by dotted path. */
  $set?: StrictMatchKeysAndValues<Schema>;
  /** Sets fields only if an upsert inserts the document. */
  $setOnInsert?: StrictMatchKeysAndValues<Schema>;
};
