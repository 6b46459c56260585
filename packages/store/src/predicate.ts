import type { Extent, NearTarget, Value } from '@tessera/mql/engine';

/** A condition that every result satisfies. All predicates of a query are joined by "and". */
export interface Predicate {
  readonly path: string;
  /** `eq`, `in` (with an array), `gt`, `gte`, `lt`, `lte`, `exists`, `geo`, `near`. Indexes do not use other operators. */
  readonly op: string;
  readonly value: Value;
  /** Where the shapes of a `geo` predicate lie. */
  readonly extent?: Extent | undefined;
  /** The distances of a `near` predicate. */
  readonly near?: NearTarget | undefined;
}
