/** The fields and dotted paths of a schema, with the types of their values. `StrictCollection` checks them. */
import type { Leaf } from './leaf.js';

/** Types without paths below them. */
type Scalar = Leaf | symbol | null | undefined;

/** The number of levels whose paths are checked. Below them, every path is accepted. */
type Levels = readonly [1, 1, 1, 1, 1];

type Deeper<Left extends readonly unknown[]> = Left extends readonly [unknown, ...infer Rest] ? Rest : [];

/** The steps that lead into an array: a position, and in an update also `$`, `$[]` and `$[name]`. */
type FilterStep = `${number}`;
type UpdateStep = `${number}` | '$' | `$[${string}]`;

/** The paths below a value, without the dot. */
type Below<Value, Step extends string, Left extends readonly unknown[]> = unknown extends Value
  ? string
  : Value extends Scalar
    ? never
    : Value extends readonly (infer Item)[]
      ? Step | `${Step}.${Below<Item, Step, Left>}` | InItems<Item, Step, Left>
      : Value extends ReadonlyMap<string, unknown>
        ? string
        : Left extends readonly []
          ? string
          : PathsOf<Value, Step, Deeper<Left>>;

/** The paths of a filter that omit the position: `crew.name` for an array of documents. An update requires the position. */
type InItems<Item, Step extends string, Left extends readonly unknown[]> = '$' extends Step
  ? never
  : Below<Item, Step, Left>;

type PathsOf<Schema, Step extends string, Left extends readonly unknown[]> = Schema extends unknown
  ? {
      [Key in keyof Schema & string]: Key | `${Key}.${Below<Schema[Key], Step, Left>}`;
    }[keyof Schema & string]
  : never;

/** The value at a path; unknown where the schema does not define it. */
type ValueAt<Value, Path extends string> = unknown extends Value
  ? unknown
  : Value extends null | undefined
    ? never
    : Value extends readonly (infer Item)[]
      ? Path extends UpdateStep
        ? Item
        : Path extends `${UpdateStep}.${infer Rest}`
          ? ValueAt<Item, Rest>
          : ValueAt<Item, Path>
      : Value extends ReadonlyMap<string, infer Item>
        ? InMap<Item>
        : string extends keyof Value
          ? InMap<Value[keyof Value]>
          : string extends Path
            ? unknown
            : Path extends keyof Value
              ? Value[Path]
              : Path extends `${infer Key}.${infer Rest}`
                ? Key extends keyof Value
                  ? ValueAt<Value[Key], Rest>
                  : never
                : never;

/** The value of a map, below which any path is accepted. */
type InMap<Item> = [Item] extends [Scalar] ? Item : unknown;

/** The fields and dotted paths that a filter, a sort, a projection or an index may use. */
export type FieldPath<Schema> = PathsOf<Schema, FilterStep, Levels>;

/** The fields of a schema and its dotted paths, with the types of their values, as filters name them. */
export type FieldValues<Schema> = { [Path in FieldPath<Schema>]: Exclude<ValueAt<Schema, Path>, undefined> };

/** The fields of a schema and its dotted paths, with the types of their values, as updates name them. */
export type UpdateValues<Schema> = {
  [Path in PathsOf<Schema, UpdateStep, Levels>]: Exclude<ValueAt<Schema, Path>, undefined>;
};
