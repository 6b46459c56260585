/** Processes, threads and copied processes must never create the same ObjectId. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const source = (path: string): string => join(repository, 'packages', path);

/** A program that creates a source of ids, and optionally an id, before the process may be copied. */
const program = (early: boolean): string => `
  import { createObjectIds } from '${source('bson/src/object-ids.ts')}';
  import { hostClock } from '${source('node/src/clock.ts')}';
  import { hostRandom } from '${source('node/src/crypto.ts')}';
  import { startupSnapshot } from 'node:v8';
  const next = createObjectIds({ clock: hostClock, random: hostRandom });
  const ids = ${early ? '[next().toHexString()]' : '[]'};
  const say = () => console.log(JSON.stringify([...ids, next().toHexString()]));
  if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(say);
  else say();
`;

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  mkdirSync(join(repository, '.cache'), { recursive: true });
  folder = mkdtempSync(join(repository, '.cache', 'object-ids-'));
  for (const early of [false, true]) {
    await build({
      stdin: { contents: program(early), resolveDir: source('bson'), loader: 'ts' },
      alias: { '@tessera/contracts': source('contracts/src/index.ts') },
      outfile: file(`${String(early)}.cjs`),
      bundle: true,
      format: 'cjs',
      platform: 'node',
      logLevel: 'silent',
    });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The 5 random bytes of an id. */
const unique = (id: string): string => id.slice(8, 18);

const spoken = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as string[];
};

test('BSON ObjectID, prose test 3: a new process has another random value', async () => {
  const ids = (await Promise.all([spoken(file('true.cjs')), spoken(file('true.cjs'))])).flat();
  expect(ids).toHaveLength(4);
  expect(new Set(ids.map(unique)).size).toBe(2);
});

test('a new worker thread has another random value', async () => {
  const ids = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<string>((resolve, reject) => {
          const worker = new Worker(file('false.cjs'), { stdout: true });
          let text = '';
          worker.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
          worker.once('error', reject).once('exit', () => resolve(unique((JSON.parse(text) as string[])[0]!)));
        }),
    ),
  );
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

test.each([
  ['made before it', false],
  ['used before it', true],
])('two processes started from one snapshot have different random values if the source was %s', async (_, early) => {
  const blob = file(`${String(early)}.blob`);
  await run(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', file(`${String(early)}.cjs`)]);
  const copies = [await spoken('--snapshot-blob', blob), await spoken('--snapshot-blob', blob)];
  if (early) expect(copies[0]![0]).toBe(copies[1]![0]);
  const own = copies.map(ids => unique(ids.at(-1)!));
  const shared = early ? [unique(copies[0]![0]!)] : [];
  expect(new Set([...own, ...shared]).size).toBe(own.length + shared.length);
});
