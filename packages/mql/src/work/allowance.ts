import type { CommandError } from '../errors.js';

export interface Bound {
  readonly bytes: number;
  readonly exceeded: () => CommandError;
}

/**
 * The memory limits of a command that must not use temporary files. Sizes are counted as mongod counts them: documents
 * count in full, even if their bytes are shared. A command without an allowance may use temporary files.
 */
export interface Allowance {
  /** The limit for documents that are sorted. */
  readonly sort: Bound;
  /** The limit for groups and their accumulated values. */
  readonly group: Bound;
}
