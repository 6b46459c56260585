import { messageOf } from '@tessera-tools/house';

/** One file of fixtures, by its name within the suite's folder. */
export interface Fixture {
  readonly name: string;
  readonly json: unknown;
  /** `SPECIFICATIONS_DIR`, or the package that it was read from. */
  readonly from?: string | undefined;
}

/** What became of one case of a fixture file. */
export interface Result {
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** What was mended in it before it was run. */
  readonly amended?: string;
}

/** Judges whatever files of its format it is given. */
export type Suite = (files: readonly Fixture[]) => readonly Result[] | Promise<readonly Result[]>;

/** One case: it passes unless it throws. */
export const judge = (file: string, name: string, check: () => void): Result => {
  try {
    check();
    return { file, name, outcome: 'passed' };
  } catch (error) {
    return { file, name, outcome: 'failed', reason: messageOf(error) };
  }
};

/** One case that takes time: it passes unless it is rejected. */
export const judgeLater = async (file: string, name: string, check: () => Promise<void>): Promise<Result> => {
  try {
    await check();
    return { file, name, outcome: 'passed' };
  } catch (error) {
    return { file, name, outcome: 'failed', reason: messageOf(error) };
  }
};

/** Unified tests, which need a server. */
export const isUnified = (json: unknown): json is { readonly tests: readonly { readonly description: string }[] } =>
  typeof json === 'object' && json !== null && 'schemaVersion' in json;
