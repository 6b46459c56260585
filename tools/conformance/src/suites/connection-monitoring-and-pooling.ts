import { runCmapTest } from '../cmap-run.js';
import type { CmapTest } from '../cmap-run.js';
import type { Fixture, Result, Suite } from '../suite.js';

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

/** Each file in a simulated world: style unit over scripted connections, style integration against the embedded server. */
export const run: Suite = async files => {
  const results: Result[] = [];
  for (const file of files) results.push(await judgeFile(file));
  return results;
};
