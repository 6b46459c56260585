import { join } from 'node:path';
import { root } from '../folders.js';
import { run } from '../outside/program.js';

/** `  title        1,234 ms   what was found` */
const step = /^ {2}(\S.*?) +[\d,]+ ms {3}(.*)$/;

/** What each step of the quick start found, of what it printed. */
export const results = (printed: string): string[] =>
  printed
    .split('\n')
    .map(line => step.exec(line))
    .filter(match => match !== null)
    .map(([, title, found]) => `${title!}: ${found!.replaceAll(/tessera_quick_start_[0-9a-f]+/g, 'DATABASE')}`);

/** Where the steps differ, a sentence each. */
export const differences = (expected: readonly string[], found: readonly string[]): string[] =>
  Array.from({ length: Math.max(expected.length, found.length) }, (_, index) => index)
    .filter(index => expected[index] !== found[index])
    .map(index => `${expected[index] ?? 'nothing'}, but here ${found[index] ?? 'nothing'}`);

async function resultsWith(uri: string | undefined, signal: AbortSignal): Promise<string[]> {
  const { MONGODB_URI: _other, ...rest } = process.env;
  const env = uri === undefined ? rest : { ...rest, MONGODB_URI: uri };
  const program = join(root, 'examples', 'quick-start', 'dist', 'main.js');
  const { code, log } = await run(process.execPath, [program], { cwd: root, env, signal });
  if (code !== 0) throw new Error(`The quick start ended with exit code ${code}:\n${log}`);
  return results(log);
}

/** Runs the first example on the embedded server and on that deployment. @returns how many steps were equal, and where they differ */
export async function compareQuickStart(
  uri: string,
  signal: AbortSignal,
): Promise<{ readonly equal: number; readonly different: readonly string[] }> {
  const expected = await resultsWith(undefined, signal);
  const different = differences(expected, await resultsWith(uri, signal));
  if (expected.length === 0) throw new Error('The quick start printed no step.');
  return { equal: expected.length - different.length, different };
}
