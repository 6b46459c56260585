import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { kept } from '../../src/folders.js';
import { fetching, run, versionOf } from '../../src/outside/program.js';
import { Unavailable } from '../../src/outside/unavailable.js';

let cwd: string;
beforeAll(() => {
  mkdirSync(kept, { recursive: true });
  cwd = mkdtempSync(join(kept, 'test-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const node = (script: string): readonly [string, string[]] => [process.execPath, ['-e', script]];

const isAlive = (process: number): boolean => {
  try {
    return globalThis.process.kill(process, 0);
  } catch {
    return false;
  }
};

test('run returns the exit code and the output of stdout and stderr', async () => {
  expect(await run(...node('console.log("out"); console.error("err"); process.exitCode = 4'), { cwd })).toEqual({
    code: 4,
    log: expect.stringMatching(/^(?:out\nerr\n|err\nout\n)$/) as string,
  });
});

test('run writes stdout and stderr to the log in order', async () => {
  const log = join(cwd, 'log');
  const script = 'console.log("out"); console.error("err"); console.log("end")';
  expect(await run(...node(script), { cwd, log })).toEqual({ code: 0, log: 'out\nerr\nend\n' });
  expect(readFileSync(log, 'utf8')).toBe('out\nerr\nend\n');
});

test('run kills a program that exceeds its time limit', async () => {
  expect(await run(...node('console.log("out"); setInterval(() => {}, 1000)'), { cwd, timeLimit: 1500 })).toEqual({
    code: 137,
    log: 'out\n\nkilled after 1500 ms\n',
  });
});

test('run rejects if the program does not exist', async () => {
  await expect(run(join(cwd, 'nothing'), [], { cwd })).rejects.toThrow('ENOENT');
});

test('aborting an installation kills the program and all processes that it started', async () => {
  const abort = new AbortController();
  const engine = join(import.meta.dirname, 'engine.mjs');
  const ended = run(process.execPath, [engine], { cwd, signal: abort.signal }).catch((error: unknown) => error);
  const processes = await vi.waitFor(() => JSON.parse(readFileSync(join(cwd, 'processes'), 'utf8')) as number[], {
    timeout: 10_000,
  });
  abort.abort('SIGINT');
  expect(await ended).toBe('SIGINT');
  await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), { timeout: 10_000 });
});

test('fetching throws Unavailable if the registry cannot be reached, and another Error for any other failure', async () => {
  const failing = (output: string): Promise<void> =>
    fetching('anything', ...node(`console.error(${JSON.stringify(output)}); process.exitCode = 1`), { cwd });
  await expect(failing('getaddrinfo ENOTFOUND registry')).rejects.toThrow(Unavailable);
  await expect(failing('Temporary failure in name resolution')).rejects.toThrow(
    /^anything cannot be installed because/,
  );
  await expect(failing('hashes do not match')).rejects.toThrow(
    /^anything could not be installed[^]*hashes do not match$/,
  );
  await expect(failing('hashes do not match')).rejects.not.toThrow(Unavailable);
});

test('versionOf throws Unavailable for a missing program, with the advice', async () => {
  await expect(versionOf('no-such-program', [], 'install it')).rejects.toThrow(
    new Unavailable('`no-such-program` is not on the PATH or does not run: install it.'),
  );
});
