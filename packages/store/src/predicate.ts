import type { Value } from '@tessera/mql/engine';

/** A condition that every result satisfies. All predicates of a query are joined by "and". */
export interface Predicate {
  readonly path: string;
  /** `eq`, `in` (with an array), `gt`, `gte`, `lt`, `lte`. Indexes do not use other operators. */
  readonly op: string;
  readonly value: Value;
}
