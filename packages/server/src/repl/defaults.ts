import type { Doc, TimestampValue } from '@tessera/mql/engine';

/** The read and write concern of commands without one, set by `setDefaultRWConcern` and shared by all members. */
export interface Defaults {
  writeConcern: Doc | undefined;
  readConcern: Doc | undefined;
  /** When they were last set, as cluster time and as wall clock time. */
  setAt: { readonly opTime: TimestampValue; readonly wall: number } | undefined;
}
