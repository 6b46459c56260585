import type { ContractCase } from './case.js';

/** A case that ran. */
export interface CaseResult {
  readonly name: string;
  /** What it threw, or the first rejection that nobody handled while it ran; undefined if the rule is kept. */
  readonly failure: unknown;
}

export interface RunCasesDeps {
  /** Lets the host run its pending tasks. */
  readonly turn: () => Promise<void>;
  /**
   * Calls `heard` for each rejection that nobody handles, until the returned function is called. On Node.js: listen for
   * `unhandledRejection` of `process`. Without it the host decides, and Node.js ends the process.
   */
  readonly watchRejections?: ((heard: (reason: unknown) => void) => () => void) | undefined;
}

/** Runs the cases one after another, so that a part under development can be judged by what it keeps already. */
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
