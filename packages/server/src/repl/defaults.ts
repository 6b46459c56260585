import type { Doc, TimestampValue } from '@tessera/mql/engine';

/** Read and write concern of those who say none: `setDefaultRWConcern`. All members know them. */
export interface Defaults {
  writeConcern: Doc | undefined;
  readConcern: Doc | undefined;
  /** When they were set last, by the set's own time and by that of the wall. */
  setAt: { readonly opTime: TimestampValue; readonly wall: number } | undefined;
}
