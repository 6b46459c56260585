import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostFiles } from '@tessera/node';
import { filesSuite } from '@tessera/sim';
import { afterAll, describe, expect, test, vi } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'files-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let paths = 0;
const freshPath = (): string => join(root, 'made', `${paths++}`);

describe('the files of the host fulfill the contract of Files', () => {
  for (const { name, run } of filesSuite({ files: hostFiles, freshPath })) test(name, run);
});

/** Creates a folder with this lock file. */
const leftBy = (lock: string): string => {
  const path = freshPath();
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'lock'), lock);
  return path;
};

/** Returns the start time of a process, or undefined if the system does not provide it. */
const beganOf = (pid: number): string | undefined => {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')')).split(' ')[20];
};

const goneProcess = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid!;
};

describe('a folder lock', () => {
  test('left by an ended process is replaced, and leaves no file behind', async () => {
    const path = leftBy(`${await goneProcess()} - ${hostname()}\n`);
    const folder = await hostFiles.openFolder(path);
    expect(readFileSync(join(path, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await folder.close();
    expect(existsSync(join(path, 'lock'))).toBe(false);
    expect(await (await hostFiles.openFolder(path)).list()).toEqual([]);
  });

  test('left by an ended process is replaced even if its process ID was reused', async context => {
    context.skip(!existsSync('/proc/self/stat'), 'this system does not provide the start time of a process');
    const folder = await hostFiles.openFolder(leftBy(`${process.ppid} 1 ${hostname()}\n`));
    await folder.close();
  });

  test('left by a running process is kept, and the error names the process and a remedy', async () => {
    const path = leftBy(`${process.ppid} - ${hostname()}\n`);
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} is in use by process ${process.ppid}. Stop that process, or use another folder.`,
    });
  });

  test('left by another machine is kept', async () => {
    const path = leftBy('12 - elsewhere\n');
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} is in use by process 12 on the machine elsewhere. Remove ${join(path, 'lock')} if that process has ended.`,
    });
  });

  test.each([
    ...['?', '', '12 - elsewhere', `12 -\n`, 'x12 - elsewhere\n', '12 - elsewhere\n\n', 'twelve - elsewhere\n'],
    `${process.pid} - ${hostname()}\nmore\n`,
  ])('that does not name its owner is kept: %j', async text => {
    const path = leftBy(text);
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} cannot be used: ${join(path, 'lock')} does not name the process that uses it. Remove that file if no process does.`,
    });
    expect([readdirSync(path), readFileSync(join(path, 'lock'), 'utf8')]).toEqual([['lock'], text]);
  });

  test('contains the process ID, the start time and the machine', async () => {
    const path = freshPath();
    const folder = await hostFiles.openFolder(path);
    const text = readFileSync(join(path, 'lock'), 'utf8');
    await folder.close();
    expect(text).toBe(`${process.pid} ${beganOf(process.pid) ?? '-'} ${hostname()}\n`);
  });

  test('left by this process without a start time is valid only while the folder is open', async () => {
    const own = `${process.pid} - ${hostname()}\n`;
    const path = leftBy(own);
    const folder = await hostFiles.openFolder(path);
    writeFileSync(join(path, 'lock'), own);
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'taken',
      message: `The folder ${path} is in use by process ${process.pid}. Stop that process, or use another folder.`,
    });
    await folder.close();
    await (await hostFiles.openFolder(path)).close();
  });

  test('left by a running process is kept, also if it belongs to another user', async () => {
    const path = leftBy(`${process.ppid} - ${hostname()}\n`);
    const codes = ['EPERM', 'ESRCH'];
    const { kill } = process;
    const asked: unknown[] = [];
    process.kill = (...question) => {
      asked.push(question);
      throw Object.assign(new Error('refused'), { code: codes.shift() });
    };
    try {
      await expect(hostFiles.openFolder(path)).rejects.toMatchObject({ trouble: 'taken' });
      await (await hostFiles.openFolder(path)).close();
    } finally {
      process.kill = kill;
    }
    expect(asked).toEqual([
      [process.ppid, 0],
      [process.ppid, 0],
    ]);
  });

  test('left by a process without system information is kept if a signal can reach it', async () => {
    const path = leftBy(`${await goneProcess()} 5 ${hostname()}\n`);
    const { kill } = process;
    process.kill = () => true;
    try {
      await expect(hostFiles.openFolder(path)).rejects.toMatchObject({ trouble: 'taken' });
    } finally {
      process.kill = kill;
    }
    await (await hostFiles.openFolder(path)).close();
  });

  test('left by a zombie process is replaced', async context => {
    context.skip(!existsSync('/proc/self/stat'), 'this system does not provide the state of a process');
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(String(output));
      // After the exec, the parent never waits for the child.
      await vi.waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n', { timeout: 10_000 });
      process.kill(pid, 'SIGKILL');
      await vi.waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), { timeout: 10_000 });
      const folder = await hostFiles.openFolder(leftBy(`${pid} ${beganOf(pid)} ${hostname()}\n`));
      await folder.close();
      const other = await hostFiles.openFolder(leftBy(`${pid} - ${hostname()}\n`));
      await other.close();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('left by a process with unusual characters in its name is read correctly', async context => {
    context.skip(!existsSync('/proc/self/stat'), 'this system does not provide the start time of a process');
    const program = join(root, 'odd) Z 1');
    symlinkSync(process.execPath, program);
    const child = spawn(program, ['--eval', 'process.stdout.write("."); setInterval(() => {}, 1000)'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await once(child.stdout, 'data');
      const path = leftBy(`${child.pid} ${beganOf(child.pid!)} ${hostname()}\n`);
      await expect(hostFiles.openFolder(path)).rejects.toMatchObject({ trouble: 'taken' });
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('is not removed by a process that no longer owns it, and may be absent', async () => {
    const [lost, gone] = [freshPath(), freshPath()];
    const folders = [await hostFiles.openFolder(lost), await hostFiles.openFolder(gone)];
    writeFileSync(join(lost, 'lock'), '12 - elsewhere\n');
    rmSync(join(gone, 'lock'));
    for (const folder of folders) await folder.close();
    expect([readFileSync(join(lost, 'lock'), 'utf8'), readdirSync(gone)]).toEqual(['12 - elsewhere\n', []]);
  });

  test('leaves no other file behind, and is not listed', async () => {
    const path = freshPath();
    const folder = await hostFiles.openFolder(path);
    expect(readdirSync(path)).toEqual(['lock']);
    for (const name of ['lock.7.1', 'lock.7.1.stale', 'locks', 'a.lock', 'lockfile'])
      writeFileSync(join(path, name), '');
    expect([...(await folder.list())].sort()).toEqual(['a.lock', 'lockfile', 'locks']);
    await folder.close();
  });
});

test('reports missing write access', async context => {
  context.skip(process.getuid?.() === 0, 'root can write everywhere');
  const path = freshPath();
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o500);
  await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
    trouble: 'denied',
    message: `${path} could not be opened (EACCES): grant this process read and write access to it.`,
  });
});

test('reports a full device', async context => {
  context.skip(!existsSync('/dev/full'), 'this system has no /dev/full');
  const path = leftBy('');
  rmSync(join(path, 'lock'));
  symlinkSync('/dev/full', join(path, 'data'));
  const folder = await hostFiles.openFolder(path);
  const file = await folder.openFile('data');
  await expect(file.append(Uint8Array.of(1))).rejects.toMatchObject({
    trouble: 'full',
    message: `${join(path, 'data')} could not be written (ENOSPC): free space on the device.`,
  });
  await file.close();
  await folder.close();
});
