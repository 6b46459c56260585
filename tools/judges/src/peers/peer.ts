import type { Deployment, TlsFiles } from './deployment.js';
import type { Topology } from './topology.js';

/** The result of one test of a peer. */
export interface TestResult {
  /** The file, class and name of the test, such as `test_cursor::TestCursor::test_where`. */
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The peer's reason for a failure or skip, on one line. Empty for a passed test. */
  readonly reason: string;
}

/** A run of one file of tests. */
export interface TestFileRun {
  readonly file: string;
  readonly at: Deployment;
  /** Additional arguments for the peer's test runner. */
  readonly more: readonly string[];
  readonly signal: AbortSignal;
}

/** An installed peer. */
export interface Prepared {
  /** The certificates that the peer's tests bring along. If absent, certificates are created. */
  readonly tls?: TlsFiles;
  /**
   * Runs one file.
   * @throws Error if the test runner fails before it reports tests
   */
  run(fileRun: TestFileRun): Promise<readonly TestResult[]>;
}

/** A client of another project, with tests. */
export interface Peer {
  readonly name: string;
  readonly description: string;
  /** The files of tests to run, in order. */
  readonly files: readonly string[];
  /** The files of a short run. Empty for a peer that takes long to install. */
  readonly short: readonly string[];
  /** The topologies on which the tests are useful. Defaults to all. */
  readonly topologies?: readonly Topology[];
  /** The topologies on which the tests also run with authentication and TLS by default. */
  readonly secured: readonly Topology[];
  /**
   * Installs the peer on first use, and returns a runner of its unchanged tests.
   * @throws Unavailable if the peer is not available on this machine
   */
  prepare(signal: AbortSignal): Promise<Prepared>;
}
