import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

const house = new URL('../dist/index.js', import.meta.url).href;

const program = `
  import { Mistake, readArguments, run, wholeNumber } from ${JSON.stringify(house)};
  const read = given => readArguments({ options: { seed: wholeNumber() } }, given);
  await run('npm run tool -- [--seed N]\\n', read, async ({ options: { seed } }) => {
    if (seed === 13) throw new Mistake('13 is not a seed.');
    process.stdout.write('seed ' + seed);
    return 1;
  });`;

interface Ended {
  readonly code: number | string | null | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs the tool with these arguments. */
const tool = (...given: string[]): Promise<Ended> =>
  new Promise(resolve => {
    const args = ['--input-type=module', '--eval', program, 'tool', ...given];
    const child = execFile(process.execPath, args, (_, out, err) => {
      resolve({ code: child.exitCode, out, err });
    });
  });

const usage = 'npm run tool -- [--seed N]\n';

test('a tool exits with the code that its main function returns', async () => {
  expect(await tool('--seed', '7')).toEqual({ code: 1, out: 'seed 7', err: '' });
});

test('--help prints the usage', async () => {
  expect(await tool('--seed', 'x', '--help')).toEqual({ code: 0, out: usage, err: '' });
});

test('a Mistake of the parser or the main function prints its message and the usage, and exits with code 2', async () => {
  const err = (sentence: string): string => `${sentence}\n\n${usage}`;
  expect(await tool('--seed', 'x')).toEqual({ code: 2, out: '', err: err('--seed takes a whole number, not "x".') });
  expect(await tool('--seed', '13')).toEqual({ code: 2, out: '', err: err('13 is not a seed.') });
});
