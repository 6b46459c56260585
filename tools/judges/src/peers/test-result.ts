/** What one test of a peer came to. */
export interface TestResult {
  /** File, class and name: `test_cursor::TestCursor::test_where`. */
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped, as the peer says it; one line. */
  readonly reason: string;
}
