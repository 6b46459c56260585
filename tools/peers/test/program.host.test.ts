import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runProgram } from '../src/program.js';

const cwd = mkdtempSync(join(tmpdir(), 'peers-'));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

const node = (script: string, signal: AbortSignal = new AbortController().signal): Promise<number> =>
  runProgram(process.execPath, ['-e', script], { cwd, env: process.env, log: join(cwd, 'log'), signal });

test('a program is run to its end: its exit code is returned, its output is in the log', async () => {
  expect(await node('console.log("out"); console.error("err"); process.exitCode = 3')).toBe(3);
  expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe('out\nerr\n');
});

test('it is killed when the signal says so', async () => {
  const abort = new AbortController();
  const running = node('setInterval(() => {}, 1000)', abort.signal);
  abort.abort();
  await expect(running).rejects.toThrow('aborted');
});

test('one that is not there is an error', async () => {
  const options = { cwd, env: process.env, log: join(cwd, 'log'), signal: new AbortController().signal };
  await expect(runProgram(join(cwd, 'nothing'), [], options)).rejects.toThrow('ENOENT');
});
