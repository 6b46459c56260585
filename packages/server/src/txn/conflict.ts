import type { Version } from '@tessera/mql/engine';
import { fail, isAtLeast } from '@tessera/mql/engine';

/** The first who writes wins: whoever comes second has to begin anew. */
export const conflict = (): Error =>
  fail(
    'WriteConflict',
    'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
  );

/** A collection is another one than when the transaction began. */
export const catalogConflict = (ns: string, version: Version): Error =>
  isAtLeast(version, '7.0')
    ? conflict()
    : fail(
        'SnapshotUnavailable',
        `Unable to read from a snapshot due to pending collection catalog changes to ${ns}; please retry the operation.`,
      );
