import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kept } from '../../src/folders.js';
import { installOnce } from '../../src/outside/install.js';

let place: string;
beforeAll(() => {
  mkdirSync(kept, { recursive: true });
  place = mkdtempSync(join(kept, 'test-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const put =
  (text: string) =>
  async (folder: string): Promise<void> =>
    writeFileSync(join(folder, 'made'), text);

test('a folder is made once, and not again while it is there', async () => {
  const folder = await installOnce(join(place, 'once'), put('first'));
  await installOnce(folder, put('second'));
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('first');
});

test('what fails half-way leaves nothing, and is made anew the next time', async () => {
  const folder = join(place, 'half');
  const failing = installOnce(folder, async unfinished => {
    await put('half')(unfinished);
    throw new Error('the network went');
  });
  await expect(failing).rejects.toThrow('the network went');
  expect(readdirSync(place).filter(name => name.startsWith('half'))).toEqual([]);
  await installOnce(folder, put('whole'));
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('whole');
});

test('of two that make it at the same time one wins, and nothing else is left', async () => {
  const folder = join(place, 'both');
  await Promise.all([installOnce(folder, put('same')), installOnce(folder, put('same'))]);
  expect(readdirSync(place).filter(name => name.startsWith('both'))).toEqual(['both']);
});

test('a killed process leaves what is not taken for whole, and is removed by the next', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const folder = join(place, 'killed');
  mkdirSync(`${folder}.unfinished-${dead.pid}-x`);
  await installOnce(folder, async unfinished => {
    expect(existsSync(`${folder}.unfinished-${dead.pid}-x`)).toBe(false);
    await put('whole')(unfinished);
  });
  expect(readdirSync(place).filter(name => name.startsWith('killed'))).toEqual(['killed']);
});
