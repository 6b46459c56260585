import type { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import type { Author } from '../log/entry.js';
import type { Op } from '../log/op.js';

/** A commit before it is recorded. */
export interface Commit {
  readonly value: DatabaseValue;
  readonly ops: readonly Op[];
  readonly author: Author | undefined;
  readonly transaction: boolean;
  /**
   * The cluster time that the coordinator of a transaction decided, later than all times seen so far. Undefined: the
   * next time.
   */
  readonly at: TimestampValue | undefined;
}

/** The oplog of a replica set member, as seen by the engine. */
export interface History {
  /** The latest cluster time seen. */
  readonly clusterTime: TimestampValue;
  /** Appends a commit to the oplog. Returns the value with its optime. */
  record(commit: Commit): DatabaseValue;
  /** Called after that value became the newest data. */
  recorded(): void;
}
