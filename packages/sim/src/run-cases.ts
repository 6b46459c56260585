import type { ContractCase } from './case.js';

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  /** The error of the case, or the first unhandled rejection while it ran. Undefined if it passed. */
  readonly failure: unknown;
}

export interface RunCasesDeps {
  /** Lets the host run its pending tasks. */
  readonly turn: () => Promise<void>;
  /**
   * Calls `heard` for each unhandled rejection until the returned function is called. On Node.js: listen for
   * `unhandledRejection` of `process`. If omitted, the host handles them: Node.js ends the process.
   */
  readonly watchRejections?: ((heard: (reason: unknown) => void) => () => void) | undefined;
}

/** Runs the cases one after another and returns all results, also of a part that fails some cases. */
export const runCases = async (
  cases: readonly ContractCase[],
  { turn, watchRejections }: RunCasesDeps,
): Promise<readonly CaseResult[]> => {
  const results: CaseResult[] = [];
  for (const one of cases) {
    const failures: unknown[] = [];
    const fail = (reason: unknown): void => void failures.push(reason);
    const stopWatching = watchRejections?.(fail);
    await one.run().catch(fail);
    // A host reports an unhandled rejection only after its pending tasks.
    await turn();
    stopWatching?.();
    results.push({ name: one.name, failure: failures[0] });
  }
  return results;
};
