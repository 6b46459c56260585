import type { Deployment, TlsFiles } from './deployment.js';
import type { Topology } from './topology.js';

/** What one test of a peer came to. */
export interface TestResult {
  /** File, class and name: `test_cursor::TestCursor::test_where`. */
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped, as the peer says it; one line. */
  readonly reason: string;
}

/** One file of tests that is to be run. */
export interface Errand {
  readonly file: string;
  readonly at: Deployment;
  /** Further arguments for the peer's own test runner. */
  readonly more: readonly string[];
  readonly signal: AbortSignal;
}

/** A peer that is installed. */
export interface Prepared {
  /** Certificates that its tests bring along; without them, some are made. */
  readonly tls?: TlsFiles;
  /** Runs one file. @throws Error if its test runner does not get so far as to tell of tests */
  run(errand: Errand): Promise<readonly TestResult[]>;
}

/** A client that nobody here wrote, with tests. */
export interface Peer {
  readonly name: string;
  readonly description: string;
  /** Its files of tests that are run, in order. */
  readonly files: readonly string[];
  /** Some of them, for a run that is to be short; none for a peer that takes long to install. */
  readonly short: readonly string[];
  /** Where its tests are worth running, if not everywhere. */
  readonly topologies?: readonly Topology[];
  /** Where they are run once more, with logins and TLS, if nothing else is asked for. */
  readonly secured: readonly Topology[];
  /**
   * Installs it, on first use, and returns what runs its tests, unchanged.
   * @throws Unavailable if that cannot be done on this machine now
   */
  prepare(signal: AbortSignal): Promise<Prepared>;
}
