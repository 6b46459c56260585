import type { CommandError } from '../errors.js';

export interface Bound {
  readonly bytes: number;
  readonly exceeded: () => CommandError;
}

/**
 * What a command holds at most that may not go on with a disk, by mongod's measure: documents count in full, wherever they lie. Undefined in
 * its place: it may.
 */
export interface Allowance {
  /** Of documents that are sorted. */
  readonly sort: Bound;
  /** Of groups and what is gathered for them. */
  readonly group: Bound;
}
