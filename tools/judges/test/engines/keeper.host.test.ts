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

/** The engine's processes, once it is ready. */
const ready = (): Promise<number[]> =>
  vi.waitFor(() => JSON.parse(readFileSync(join(data, 'processes'), 'utf8')) as number[], { timeout: 10_000 });

/** Whoever was ended is there until its parent, or the system, has taken note of it. */
const expectEnded = (processes: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), { timeout: 10_000 });

const expectNothingLeft = async (processes: readonly number[]): Promise<void> => {
  await expectEnded(processes);
  await vi.waitFor(() => expect(existsSync(data)).toBe(false), { timeout: 10_000 });
};

test('an engine, its processes and its data are gone when the input of its keeper closes', async () => {
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

test('an engine starts again with other arguments on the same data', async () => {
  const child = spawn(process.execPath, [keeper, data, process.execPath, engine]);
  children.push(child);
  const told = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await told.next()).toEqual({ done: false, value: '{"port":1}' });
  const before = await ready();
  child.stdin.write(`${JSON.stringify([engine, '--again'])}\n`);
  expect(await told.next()).toEqual({ done: false, value: '{"port":1}' });
  await expectEnded(before);
  expect(readFileSync(join(data, 'data'), 'utf8')).toBe('some, and more');
  const processes = await ready();
  child.stdin.end();
  expect(await told.next()).toEqual({ done: true, value: undefined });
  await expectNothingLeft(processes);
});

test('they are gone, too, when whoever started it is killed', async () => {
  const start = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([keeper, data, process.execPath, engine])}, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })`;
  const starter = spawn(process.execPath, ['-e', start], { stdio: 'ignore' });
  children.push(starter);
  const processes = await ready();
  expect(processes.filter(isAlive)).toEqual(processes);
  starter.kill('SIGKILL');
  await expectNothingLeft(processes);
});

test('an engine that ends by itself is told with the last it said', async () => {
  const child = spawn(process.execPath, [keeper, data, process.execPath, engine, '--end']);
  children.push(child);
  let told = '';
  child.stdout.on('data', (text: Buffer) => (told += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  const { ended } = JSON.parse(told.trim().split('\n').at(-1)!) as { ended: string };
  expect(ended).toMatch(/^exit code 3\n[^]*no more disk$/);
  expect([code, existsSync(data)]).toEqual([1, false]);
});
