/** Expects that a suite detects a broken object, by the names of the failing cases. */
import { runCases } from '@tessera/sim';
import type { ContractCase } from '@tessera/sim';
import { expect } from 'vitest';

export const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Returns the names of the cases that fail. */
export const failing = async (cases: readonly ContractCase[]): Promise<readonly string[]> =>
  (await runCases(cases, { turn })).filter(({ failure }) => failure !== undefined).map(({ name }) => name);

/** Expects that a case fails whose name contains these words. */
export const expectNotice = async (cases: readonly ContractCase[], words: string): Promise<void> => {
  expect((await failing(cases)).join('\n')).toContain(words);
};
