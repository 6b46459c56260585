import type { Version } from '@tessera/mql/engine';
import { fail, isAtLeast } from '@tessera/mql/engine';

/** Returns the error for the second of two conflicting writes. Its transaction has to be retried. */
export const conflict = (): Error =>
  fail(
    'WriteConflict',
    'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
  );

/** Returns the error for a collection whose definition has changed since the transaction started. */
export const catalogConflict = (ns: string, version: Version): Error =>
  isAtLeast(version, '7.0')
    ? conflict()
    : fail(
        'SnapshotUnavailable',
        `Unable to read from a snapshot due to pending collection catalog changes to ${ns}; please retry the operation.`,
      );
