import type { TestResult } from './test-result.js';

/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** One file of tests that is to be run. */
export interface Errand {
  readonly file: string;
  readonly at: Place;
  /** Further arguments for the peer's own test runner. */
  readonly more: readonly string[];
  readonly signal: AbortSignal;
}

/** A client that nobody here wrote, with its own tests. */
export interface Peer {
  readonly name: string;
  readonly description: string;
  /** Its files of tests that are run, in order. */
  readonly files: readonly string[];
  /** Some of them, for a run that is to be short. */
  readonly short: readonly string[];
  /**
   * Installs it, on first use, and returns what runs its tests, unchanged.
   * @throws Unavailable if that cannot be done on this machine now
   */
  prepare(signal: AbortSignal): Promise<(errand: Errand) => Promise<readonly TestResult[]>>;
}
