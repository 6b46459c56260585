import { messageOf } from '@tessera-tools/house';

/** One fixture file of a suite. */
export interface Fixture {
  /** The path within the suite's `tests` folder. */
  readonly name: string;
  readonly json: unknown;
  /** The source of the file: `SPECIFICATIONS_DIR`, or the name of a driver package. */
  readonly from?: string | undefined;
}

/** The result of one case of a fixture file. */
export interface Result {
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The reason of a failure or a skip. */
  readonly reason?: string;
  /** The correction that was applied before the case ran. */
  readonly amended?: string;
}

/** Runs all cases of the given files. */
export type Suite = (files: readonly Fixture[]) => readonly Result[] | Promise<readonly Result[]>;

/** Runs one case: it passes unless the check throws. */
export const judge = (file: string, name: string, check: () => void): Result => {
  try {
    check();
    return { file, name, outcome: 'passed' };
  } catch (error) {
    return { file, name, outcome: 'failed', reason: messageOf(error) };
  }
};

/** Runs one asynchronous case: it passes unless the check rejects. */
export const judgeLater = async (file: string, name: string, check: () => Promise<void>): Promise<Result> => {
  try {
    await check();
    return { file, name, outcome: 'passed' };
  } catch (error) {
    return { file, name, outcome: 'failed', reason: messageOf(error) };
  }
};

/** Returns whether a file has unified tests, which need a server. */
export const isUnified = (json: unknown): json is { readonly tests: readonly { readonly description: string }[] } =>
  typeof json === 'object' && json !== null && 'schemaVersion' in json;
