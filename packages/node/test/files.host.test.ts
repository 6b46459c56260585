import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostFiles } from '@tessera/node';
import { filesSuite } from '@tessera/sim';
import { afterAll, describe, expect, test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'files-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let paths = 0;
const freshPath = (): string => join(root, 'made', `${paths++}`);

describe('the files of the host keep the terms of Files', () => {
  for (const { name, run } of filesSuite({ files: hostFiles, freshPath })) test(name, run);
});

/** A folder with a lock of a process that is gone. */
const leftBy = (lock: string): string => {
  const path = freshPath();
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'lock'), lock);
  return path;
};

const goneProcess = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid!;
};

describe('the lock of a folder', () => {
  test('of a process that is gone is in nobody’s way, and leaves no file behind', async () => {
    const path = leftBy(`${await goneProcess()} - ${hostname()}\n`);
    const folder = await hostFiles.openFolder(path);
    expect(readFileSync(join(path, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await folder.close();
    expect(existsSync(join(path, 'lock'))).toBe(false);
    expect(await (await hostFiles.openFolder(path)).list()).toEqual([]);
  });

  test('of a process whose number another one has now is in nobody’s way', async context => {
    context.skip(!existsSync('/proc/self/stat'), 'this system does not tell when a process began');
    const folder = await hostFiles.openFolder(leftBy(`${process.ppid} 1 ${hostname()}\n`));
    await folder.close();
  });

  test('of a living process says which, and what to do', async () => {
    const path = leftBy(`${process.ppid} - ${hostname()}\n`);
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} is in use by process ${process.ppid}: stop that process, or give another folder.`,
    });
  });

  test('of another machine is believed', async () => {
    const path = leftBy('12 - elsewhere\n');
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} is in use by process 12 on the machine elsewhere. Remove ${join(path, 'lock')} if that process is gone.`,
    });
  });

  test('that nobody can read is left alone', async () => {
    const path = leftBy('?');
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({ trouble: 'taken' });
    expect(readFileSync(join(path, 'lock'), 'utf8')).toBe('?');
  });
});

test('who may not write there is told so', async context => {
  context.skip(process.getuid?.() === 0, 'whoever is root may write anywhere');
  const path = freshPath();
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o500);
  await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
    trouble: 'denied',
    message: `${path} could not be opened (EACCES): let whoever runs this process read and write there.`,
  });
});

test('a device without room is full', async context => {
  context.skip(!existsSync('/dev/full'), 'this system has no /dev/full');
  const path = leftBy('');
  rmSync(join(path, 'lock'));
  symlinkSync('/dev/full', join(path, 'data'));
  const folder = await hostFiles.openFolder(path);
  const file = await folder.openFile('data');
  await expect(file.append(Uint8Array.of(1))).rejects.toMatchObject({
    trouble: 'full',
    message: `${join(path, 'data')} could not be written (ENOSPC): make room on that device.`,
  });
  await file.close();
  await folder.close();
});
