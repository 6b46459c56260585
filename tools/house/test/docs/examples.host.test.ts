import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { examplesIn, filesIn, typeErrors, writeExample } from '../../src/docs/examples.js';
import { packages, root, textOf, writtenFiles } from '../../src/docs/repository.js';

const written = writtenFiles();

const examples = packages()
  .filter(({ folder }) => written.includes(`packages/${folder}/README.md`))
  .map(({ folder, name }) => ({ folder, name, code: examplesIn(textOf(`packages/${folder}/README.md`))[0] ?? '' }));

// The examples of the second guide import the driver under the name that an application gives it.
const guide = ['compose', 'migrating'].flatMap(page =>
  filesIn(textOf(`docs/${page}.md`)).map(({ name, code }) => ({
    name: `${page}/${name}`,
    code: code.replaceAll(`from 'mongodb'`, `from '@tessera/mongodb'`),
  })),
);

/** Runs an example. Rejects if it fails or runs longer than 20 seconds. */
const runExample = (javascript: string): Promise<unknown> =>
  promisify(execFile)(process.execPath, [javascript], { cwd: root, timeout: 20_000 });

test('the examples of all packages and of the guides type-check', { timeout: 60_000 }, () => {
  const files = [...examples.map(({ folder, code }) => ({ name: folder, code })), ...guide];
  expect(typeErrors(files.map(({ name, code }) => writeExample(name, code).typescript))).toEqual([]);
});

describe('the example in the README.md of', () => {
  test.each(examples)('$name succeeds within 20 seconds', { timeout: 25_000 }, async ({ folder, code }) => {
    await expect(runExample(writeExample(folder, code).javascript)).resolves.toBeDefined();
  });
});

describe('in the guides', () => {
  // Files that others import come first.
  const written = guide.map(({ name, code }) => ({ name, ...writeExample(name, code) }));
  test.each(written)('$name.ts succeeds within 20 seconds', { timeout: 25_000 }, async ({ javascript }) => {
    await expect(runExample(javascript)).resolves.toBeDefined();
  });
});
