import type { TimestampValue } from '@tessera/mql/engine';
import type { Author } from '../log/entry.js';
import type { Op } from '../log/op.js';
import type { DatabaseValue } from './database.js';

/** A commit that is about to be made. */
export interface Commit {
  readonly value: DatabaseValue;
  readonly ops: readonly Op[];
  readonly author: Author | undefined;
  readonly transaction: boolean;
  /** Decided, with others, to be its time: later than all that is known of. Undefined: the next. */
  readonly at: TimestampValue | undefined;
}

/** Where the commits of a member of a set are written down. */
export interface History {
  /** Gives a commit its place. Returns the value with its place in it. */
  record(commit: Commit): DatabaseValue;
  /** Called when that value is the newest data. */
  recorded(): void;
}
