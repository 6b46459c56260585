import type { Value } from '@tessera/mql/engine';

/** One condition that every result meets: of the top level, all joined by "and". */
export interface Predicate {
  readonly path: string;
  /** `eq`, `in` (value: an array), `gt`, `gte`, `lt`, `lte`; others are of no use to an index. */
  readonly op: string;
  readonly value: Value;
}
