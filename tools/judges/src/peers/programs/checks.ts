import type { TestResult } from '../peer.js';

const line = /^(passed|failed|skipped) ([^:]+)(?:: (.*))?$/;

/**
 * The checks that a program tells of: `passed NAME`, `failed NAME: REASON`, `skipped NAME: REASON`, a line each, and `done`
 * behind the last. Other lines are passed over.
 * @param file what stands before the names
 * @throws Error if it did not come to its end
 */
export function readTold(file: string, log: string): readonly TestResult[] {
  const lines = log.split(/\r?\n/);
  if (!lines.includes('done')) throw new Error('The program did not come to its end.');
  const results = new Map<string, TestResult>();
  for (const [, outcome, name = '', reason = ''] of lines
    .map(each => line.exec(each))
    .filter(match => match !== null)) {
    const id = `${file}::${name}`;
    if (results.has(id)) throw new Error(`The program told twice of: ${name}.`);
    results.set(id, { id, outcome: outcome as TestResult['outcome'], reason });
  }
  if (results.size === 0) throw new Error('The program told of no check.');
  return [...results.values()];
}
