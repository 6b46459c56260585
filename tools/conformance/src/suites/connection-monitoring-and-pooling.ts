import { createNode } from '@tessera/node';
import { runCmapTest } from '../cmap-run.js';
import type { CmapTest } from '../cmap-run.js';
import { isUnified } from '../suite.js';
import type { Fixture, Result, Suite } from '../suite.js';
import { runUnified } from '../unified/run.js';

const styles: readonly string[] = ['unit', 'integration'];

const judgeFile = async ({ name: file, json }: Fixture): Promise<Result> => {
  const test = json as CmapTest;
  const isOurs = test.version === 1 && styles.includes(test.style);
  const problems = isOurs
    ? await runCmapTest(test)
    : [`version ${test.version}, style ${test.style}: this runner knows version 1, styles unit and integration`];
  return problems.length === 0
    ? { file, name: test.description, outcome: 'passed' }
    : { file, name: test.description, outcome: 'failed', reason: problems.join('; ') };
};

/** Each file in a simulated world: style unit over scripted connections, style integration against the embedded server; and unified tests. */
export const run: Suite = async files => {
  const { crypto } = createNode();
  const results: Result[] = [];
  for (const file of files) {
    if (isUnified(file.json)) results.push(...(await runUnified(file, crypto)));
    else results.push(await judgeFile(file));
  }
  return results;
};
