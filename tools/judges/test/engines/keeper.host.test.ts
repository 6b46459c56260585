import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compiled, kept } from '../../src/folders.js';

const keeper = compiled(join('outside', 'keeper.js'));
const engine = join(import.meta.dirname, 'engine.mjs');

let data: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  mkdirSync(join(kept, 'data'), { recursive: true });
  data = mkdtempSync(join(kept, 'data', 'test-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

function isAlive(process: number): boolean {
  try {
    return globalThis.process.kill(process, 0);
  } catch {
    return false;
  }
}

/** Returns the ids of the engine's processes once it is ready. */
const ready = (): Promise<number[]> =>
  vi.waitFor(() => JSON.parse(readFileSync(join(data, 'processes'), 'utf8')) as number[], { timeout: 10_000 });

/** A process that has ended exists until its parent or the system has reaped it. */
const expectEnded = (processes: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), { timeout: 10_000 });

const expectNothingLeft = async (processes: readonly number[]): Promise<void> => {
  await expectEnded(processes);
  await vi.waitFor(() => expect(existsSync(data)).toBe(false), { timeout: 10_000 });
};

test('ends the engine and its processes and removes its data when stdin closes', async () => {
  const child = spawn(process.execPath, [keeper, data, process.execPath, engine]);
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(JSON.parse(String(line))).toEqual({ port: 1 });
  const processes = await ready();
  expect(processes.filter(isAlive)).toEqual(processes);
  child.stdin.end();
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  await expectNothingLeft(processes);
});

test('restarts the engine with other arguments on the same data', async () => {
  const child = spawn(process.execPath, [keeper, data, process.execPath, engine]);
  children.push(child);
  const messages = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await messages.next()).toEqual({ done: false, value: '{"port":1}' });
  const before = await ready();
  child.stdin.write(`${JSON.stringify([engine, '--again'])}\n`);
  expect(await messages.next()).toEqual({ done: false, value: '{"port":1}' });
  await expectEnded(before);
  expect(readFileSync(join(data, 'data'), 'utf8')).toBe('some, and more');
  const processes = await ready();
  child.stdin.end();
  expect(await messages.next()).toEqual({ done: true, value: undefined });
  await expectNothingLeft(processes);
});

test('ends the engine and removes its data when the parent process is killed', async () => {
  const start = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([keeper, data, process.execPath, engine])}, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })`;
  const starter = spawn(process.execPath, ['-e', start], { stdio: 'ignore' });
  children.push(starter);
  const processes = await ready();
  expect(processes.filter(isAlive)).toEqual(processes);
  starter.kill('SIGKILL');
  await expectNothingLeft(processes);
});

test('reports the end of the output of an engine that ends on its own', async () => {
  const child = spawn(process.execPath, [keeper, data, process.execPath, engine, '--end']);
  children.push(child);
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  const { ended } = JSON.parse(output.trim().split('\n').at(-1)!) as { ended: string };
  expect(ended).toMatch(/^exit code 3\n[^]*disk full$/);
  expect([code, existsSync(data)]).toEqual([1, false]);
});
