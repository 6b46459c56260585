import type { AutocompleteRule, TextRule } from '../definition/mapping.js';
import type { Point } from './point.js';
import type { Scalar, ScalarKind } from '../values.js';
import { TextField } from './text-field.js';

/** A value of a unit, with the information whether it is an element of an array. */
export interface Stored<T> {
  readonly value: T;
  readonly inArray: boolean;
}

/** The values of one kind of one field, by unit. */
export class Column<T> {
  readonly #values = new Map<number, Stored<T>[]>();

  add(unit: number, value: T, inArray: boolean): void {
    const values = this.#values.get(unit);
    if (values === undefined) this.#values.set(unit, [{ value, inArray }]);
    else values.push({ value, inArray });
  }

  remove(unit: number): void {
    this.#values.delete(unit);
  }

  of(unit: number): readonly Stored<T>[] {
    return this.#values.get(unit) ?? [];
  }

  entries(): Iterable<[number, readonly Stored<T>[]]> {
    return this.#values;
  }
}

/** The values of one kind, and how queries compare strings with them. */
export interface ScalarColumn {
  readonly column: Column<Scalar>;
  readonly normalize: ((text: string) => string) | undefined;
}

const found = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
};

/** Separates a path from the name of an alternate analyzer. */
const separator = '\u0000';

export const textKey = (path: string, multi?: string): string =>
  multi === undefined ? path : `${path}${separator}${multi}`;

/**
 * The fields of units. A unit is a document of the collection, or an embedded document of an array. Each array of
 * embedded documents has a level of its own below the level of the documents that contain it.
 */
export class Level {
  readonly texts: Map<string, TextField> = new Map<string, TextField>();
  readonly autocompletes: Map<string, TextField> = new Map<string, TextField>();
  readonly points: Map<string, Column<Point>> = new Map<string, Column<Point>>();
  readonly units: Set<number> = new Set<number>();
  /** The levels of embedded documents by their paths. */
  readonly below: Map<string, Level> = new Map<string, Level>();
  readonly #scalars = new Map<string, Map<ScalarKind, ScalarColumn>>();
  readonly #present = new Map<string, Set<number>>();
  readonly #parents = new Map<number, number>();
  readonly #children = new Map<number, number[]>();
  #next = 0;

  /** Adds a unit, which belongs to a unit of the level above. */
  create(parent?: number): number {
    const unit = this.#next++;
    this.units.add(unit);
    if (parent === undefined) return unit;
    this.#parents.set(unit, parent);
    found(this.#children, parent, () => []).push(unit);
    return unit;
  }

  parentOf(unit: number): number {
    return this.#parents.get(unit)!;
  }

  text(path: string, rule: Pick<TextRule, 'analyzer' | 'searchAnalyzer'>): TextField {
    return found(this.texts, path, () => new TextField(rule));
  }

  autocomplete(path: string, rule: AutocompleteRule): TextField {
    return found(this.autocompletes, path, () => new TextField(rule));
  }

  point(path: string): Column<Point> {
    return found(this.points, path, () => new Column<Point>());
  }

  scalars(path: string): ReadonlyMap<ScalarKind, ScalarColumn> {
    return this.#scalars.get(path) ?? new Map<ScalarKind, ScalarColumn>();
  }

  scalarColumn(path: string, kind: ScalarKind, normalize?: (text: string) => string): Column<Scalar> {
    const kinds = found(this.#scalars, path, () => new Map<ScalarKind, ScalarColumn>());
    return found(kinds, kind, () => ({ column: new Column<Scalar>(), normalize })).column;
  }

  level(path: string): Level {
    return found(this.below, path, () => new Level());
  }

  notePresent(unit: number, path: string): void {
    found(this.#present, path, () => new Set<number>()).add(unit);
  }

  present(path: string): ReadonlySet<number> {
    return this.#present.get(path) ?? new Set<number>();
  }

  remove(unit: number): void {
    for (const field of [...this.texts.values(), ...this.autocompletes.values(), ...this.points.values()])
      field.remove(unit);
    for (const kinds of this.#scalars.values()) for (const { column } of kinds.values()) column.remove(unit);
    for (const units of this.#present.values()) units.delete(unit);
    for (const level of this.below.values()) level.#removeChildren(unit);
    this.units.delete(unit);
    this.#parents.delete(unit);
  }

  #removeChildren(parent: number): void {
    for (const unit of this.#children.get(parent) ?? []) this.remove(unit);
    this.#children.delete(parent);
  }
}
