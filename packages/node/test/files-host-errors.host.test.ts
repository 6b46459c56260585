import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Folder, OpenFile } from '@tessera/contracts';
import { hostFiles } from '@tessera/node';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'files-errors-'));
const handle = await open(root);
/** The prototype of all open files: the host's own functions, which a test replaces. */
const prototype = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
const { read, write, sync, datasync, truncate } = prototype;

afterEach(() => {
  Object.assign(prototype, { read, write, sync, datasync, truncate });
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let paths = 0;
const freshPath = (): string => join(root, `${paths++}`);

/** Creates a file with these bytes in a new folder. */
const fileOf = async (...bytes: readonly number[]): Promise<{ path: string; folder: Folder; file: OpenFile }> => {
  const path = freshPath();
  const folder = await hostFiles.openFolder(path);
  const file = await folder.openFile('data');
  await file.append(Uint8Array.from(bytes));
  return { path: join(path, 'data'), folder, file };
};

const failing = (code?: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error('odd'), code === undefined ? {} : { code }));

describe('a failed file operation', () => {
  test.each([
    ...['ENOSPC', 'EDQUOT', 'EFBIG'].map(code => [code, 'full', 'free space on the device']),
    ...['EACCES', 'EPERM', 'EROFS'].map(code => [code, 'denied', 'grant this process read and write access to it']),
    ...['EIO', 'ENOENT'].map(code => [code, 'failed', 'check the device']),
  ])('with the code %s has the trouble %s, and suggests to %s', async (code, trouble, advice) => {
    const { path, folder, file } = await fileOf();
    Object.assign(prototype, { write: failing(code) });
    await expect(file.append(Uint8Array.of(1))).rejects.toMatchObject({
      trouble,
      message: `${path} could not be written (${code}): ${advice}.`,
      cause: { code },
    });
    await file.close();
    await folder.close();
  });

  test("without a code contains the host's message", async () => {
    const { path, folder, file } = await fileOf();
    Object.assign(prototype, { datasync: failing() });
    await expect(file.sync()).rejects.toMatchObject({
      trouble: 'failed',
      message: `${path} could not be synced (odd): check the device.`,
    });
    await file.close();
    await folder.close();
  });

  test('names the file or folder and the operation', async () => {
    const { path, folder, file } = await fileOf(1);
    const at = join(path, '..');
    const messageOf = (doing: Promise<unknown>): Promise<unknown> =>
      doing.then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      );
    mkdirSync(join(at, 'sub'));
    writeFileSync(join(at, 'sub', 'x'), '');
    Object.assign(prototype, { read: failing('EIO'), truncate: failing('EIO') });
    const messages = [
      await messageOf(file.read(0, 1)),
      await messageOf(file.truncate(0)),
      await messageOf(folder.openFile('sub')),
      await messageOf(folder.rename('missing', 'other')),
      await messageOf(folder.remove('sub')),
    ];
    await file.close();
    rmSync(at, { recursive: true });
    messages.push(await messageOf(folder.list()));
    writeFileSync(at, '');
    messages.push(await messageOf(folder.close()), await messageOf(hostFiles.openFolder(at)));
    expect(messages).toEqual([
      `${path} could not be read (EIO): check the device.`,
      `${path} could not be cut (EIO): check the device.`,
      `${join(at, 'sub')} could not be opened (EISDIR): check the device.`,
      `${join(at, 'missing')} could not be renamed (ENOENT): check the device.`,
      `${join(at, 'sub')} could not be removed (ERR_FS_EISDIR): check the device.`,
      `${at} could not be listed (ENOENT): check the device.`,
      `${at} could not be unlocked (ENOTDIR): check the device.`,
      `${at} could not be opened (EEXIST): check the device.`,
    ]);
  });

  test('is reported if the file cannot be closed', async () => {
    const { path, folder, file } = await fileOf(1);
    Object.assign(prototype, {
      datasync(this: FileHandle) {
        closeSync(this.fd);
        return Promise.resolve();
      },
    });
    await file.sync();
    await expect(file.close()).rejects.toMatchObject({
      trouble: 'failed',
      message: `${path} could not be closed (EBADF): check the device.`,
    });
    await folder.close();
  });
});

type Transfer = (
  this: FileHandle,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<unknown>;

/** Transfers at most two bytes per call. */
const atMostTwo = (transfer: Transfer): Transfer =>
  function (buffer, offset, length, position) {
    return transfer.call(this, buffer, offset, Math.min(2, length), position);
  };

describe('a host that transfers fewer bytes than requested', () => {
  test('is called again for the remaining bytes', async () => {
    const { path, folder, file } = await fileOf(1, 2);
    Object.assign(prototype, { read: atMostTwo(read as Transfer), write: atMostTwo(write as Transfer) });
    await file.append(Uint8Array.of(3, 4, 5, 6, 7));
    expect([...readFileSync(path)]).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([await file.size(), ...(await file.read(1, 5))]).toEqual([7, 2, 3, 4, 5, 6]);
    await file.close();
    await folder.close();
  });

  test('returns the remaining bytes of a file that another process truncated', async () => {
    const { path, folder, file } = await fileOf(1, 2, 3, 4);
    writeFileSync(path, Uint8Array.of(1, 2));
    expect([...(await file.read(0, 4))]).toEqual([1, 2]);
    expect([...(await file.read(9, 4))]).toEqual([]);
    await file.close();
    await folder.close();
  });
});

test('truncating a file past its end does not extend it', async () => {
  const { folder, file } = await fileOf(1, 2, 3);
  await file.truncate(2);
  await file.truncate(5);
  await file.append(Uint8Array.of(9));
  expect([await file.size(), ...(await file.read(0, 9))]).toEqual([3, 1, 2, 9]);
  await file.close();
  await folder.close();
});

test('files and folders are created with access for the owner only', async () => {
  const path = join(freshPath(), 'a', 'b');
  const folder = await hostFiles.openFolder(path);
  const file = await folder.openFile('data');
  const modes = [join(path, '..'), path, join(path, 'data')].map(made => statSync(made).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o600]);
  await file.close();
  await folder.close();
});

describe('the entries of a folder', () => {
  /** Returns a function that returns the files and folders synced since the previous call. */
  const watchSyncs = (): (() => readonly string[]) => {
    const synced: string[] = [];
    const record = (how: typeof sync) =>
      async function (this: FileHandle): Promise<void> {
        synced.push(relative(root, readlinkSync(`/proc/self/fd/${this.fd}`)) || '.');
        await how.call(this);
      };
    Object.assign(prototype, { sync: record(sync), datasync: record(datasync) });
    return () => synced.splice(0);
  };

  test('are synced: new folders in their parents, new files once, and renamed files; data on request', async context => {
    context.skip(!existsSync('/proc/self/fd'), 'this system does not provide the path of an open file');
    const taken = watchSyncs();
    const name = relative(root, freshPath());
    const path = join(root, name, 'x', 'y');
    const folder = await hostFiles.openFolder(path);
    const seen = [taken()];
    const file = await folder.openFile('data');
    seen.push(taken());
    await file.append(Uint8Array.of(1));
    seen.push(taken());
    await file.sync();
    seen.push(taken());
    await (await folder.openFile('data')).close();
    seen.push(taken());
    await folder.rename('data', 'other');
    seen.push(taken());
    await folder.close();
    await (await hostFiles.openFolder(path)).close();
    seen.push(taken());
    await file.close();
    const at = join(name, 'x', 'y');
    expect(seen).toEqual([[join(name, 'x'), name, '.'], [at], [], [join(at, 'data')], [], [at], []]);
  });

  test('are synced without leaving the folder open, even on failure', async context => {
    context.skip(!existsSync('/proc/self/fd'), 'this system does not provide the list of open files');
    const isOpen: boolean[] = [];
    const fds: number[] = [];
    Object.assign(prototype, {
      sync(this: FileHandle) {
        fds.push(this.fd);
        return failing('EIO')();
      },
    });
    const path = freshPath();
    await expect(hostFiles.openFolder(path)).rejects.toMatchObject({
      trouble: 'failed',
      message: `${path} could not be opened (EIO): check the device.`,
    });
    for (const fd of fds) {
      const target = existsSync(`/proc/self/fd/${fd}`) ? readlinkSync(`/proc/self/fd/${fd}`) : '';
      isOpen.push(target === root);
    }
    expect(isOpen).toEqual([false]);
  });
});
