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

test('creates a folder once and keeps it while it exists', async () => {
  const folder = await installOnce(join(place, 'once'), put('first'));
  await installOnce(folder, put('second'));
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('first');
});

test('leaves nothing after a failed installation, and creates the folder at the next call', async () => {
  const folder = join(place, 'half');
  const failing = installOnce(folder, async unfinished => {
    await put('half')(unfinished);
    throw new Error('The network failed.');
  });
  await expect(failing).rejects.toThrow('The network failed.');
  expect(readdirSync(place).filter(name => name.startsWith('half'))).toEqual([]);
  await installOnce(folder, put('whole'));
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('whole');
});

test('if two calls create the folder at the same time, one wins and nothing else is left', async () => {
  const folder = join(place, 'both');
  await Promise.all([installOnce(folder, put('same')), installOnce(folder, put('same'))]);
  expect(readdirSync(place).filter(name => name.startsWith('both'))).toEqual(['both']);
});

test('ignores the unfinished folder of a killed process, and removes it at the next call', async () => {
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
