import type { TestResult } from '../peer.js';

const line = /^(passed|failed|skipped) ([^:]+)(?:: (.*))?$/;

/**
 * Parses the checks that a program prints, one per line: `passed NAME`, `failed NAME: REASON` or `skipped NAME:
 * REASON`. The last line is `done`. Other lines are ignored.
 * @param file the prefix of the test ids
 * @throws Error if the program did not finish
 */
export function readChecks(file: string, log: string): readonly TestResult[] {
  const lines = log.split(/\r?\n/);
  if (!lines.includes('done')) throw new Error('The program did not finish.');
  const results = new Map<string, TestResult>();
  for (const [, outcome, name = '', reason = ''] of lines
    .map(each => line.exec(each))
    .filter(match => match !== null)) {
    const id = `${file}::${name}`;
    if (results.has(id)) throw new Error(`The program reported "${name}" twice.`);
    results.set(id, { id, outcome: outcome as TestResult['outcome'], reason });
  }
  if (results.size === 0) throw new Error('The program reported no checks.');
  return [...results.values()];
}
