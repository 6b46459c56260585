import { runCmapTest } from '../cmap-run.js';
import type { CmapTest } from '../cmap-run.js';
import { judgeLater } from '../suite.js';
import type { Result, Suite } from '../suite.js';

const styles: readonly string[] = ['unit', 'integration'];

const check = async (test: CmapTest): Promise<void> => {
  const isOurs = test.version === 1 && styles.includes(test.style);
  const problems = isOurs
    ? await runCmapTest(test)
    : [
        `version ${test.version}, style ${test.style}: this runner supports version 1 and the styles unit and integration`,
      ];
  if (problems.length > 0) throw new Error(problems.join('; '));
};

/**
 * Runs each file in a simulated world: style "unit" with scripted connections, style "integration" on the embedded
 * server.
 */
export const run: Suite = async files => {
  const results: Result[] = [];
  for (const { name, json } of files) {
    const test = json as CmapTest;
    results.push(await judgeLater(name, test.description, () => check(test)));
  }
  return results;
};
