import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { examplesIn, typeErrors, writeExample } from '../../src/docs/examples.js';
import { packages, root, textOf, writtenFiles } from '../../src/docs/repository.js';

const written = writtenFiles();

const examples = packages()
  .filter(({ folder }) => written.includes(`packages/${folder}/README.md`))
  .map(({ folder, name }) => ({ folder, name, code: examplesIn(textOf(`packages/${folder}/README.md`))[0] ?? '' }));

test('the examples of all packages type-check', { timeout: 60_000 }, () => {
  expect(typeErrors(examples.map(({ folder, code }) => writeExample(folder, code).typescript))).toEqual([]);
});

describe('the example in the README.md of', () => {
  test.each(examples)('$name ends well within 20 seconds', { timeout: 25_000 }, async ({ folder, code }) => {
    const { javascript } = writeExample(folder, code);
    const run = promisify(execFile)(process.execPath, [javascript], { cwd: root, timeout: 20_000 });
    await expect(run).resolves.toBeDefined();
  });
});
