import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abilities } from '../../src/engines/abilities/ability.js';
import { compiled, kept } from '../../src/folders.js';

const main = compiled(join('engines', 'main.js'));

let empty: string;
beforeAll(() => {
  mkdirSync(kept, { recursive: true });
  empty = mkdtempSync(join(kept, 'test-'));
});
afterAll(() => rmSync(empty, { recursive: true, force: true }));

/** Runs the tool with a PATH that contains no program. */
const engines = (args: readonly string[], env: NodeJS.ProcessEnv = {}): { status: number | null; output: string } => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: { ...process.env, PATH: empty, ...env },
    encoding: 'utf8',
  });
  return { status, output: stderr };
};

const sentence = (program: string): RegExp => new RegExp(`\`${program}\` is not on the PATH or does not run: install `);

test('without Python the integration tests and every ability are skipped, with a reason that states what to install', () => {
  const file = join(empty, 'tally.json');
  const { status, output } = engines(['--short'], { TALLY: file });
  const tally = JSON.parse(readFileSync(file, 'utf8')) as { skipped: { title: string; reason: string }[] };
  const titles = ['integration tests', ...abilities].map(title => ({ title: `secantusdb: ${title}` }));
  expect(tally).toMatchObject({ passed: 0, failed: [], skipped: titles });
  for (const { reason } of tally.skipped) expect(reason).toMatch(sentence('python3'));
  expect([status, output]).toEqual([0, expect.stringMatching(sentence('python3'))]);
});

test('without Java a command on the engine is not run, and the exit code is 69', () => {
  const { status, output } = engines(['mongo-java-server', '--', process.execPath, '-e', 'console.log("run")']);
  expect([status, output]).toEqual([69, expect.stringMatching(sentence('java'))]);
});
