import type { FileHandle } from 'node:fs/promises';
import { constants, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileError, Files, FileTrouble, Folder, OpenFile } from '@tessera/contracts';
import { lockFolder } from './folder-lock.js';

const troubleOf = (code: string | undefined): FileTrouble => {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'full';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'denied';
    default:
      return 'failed';
  }
};

const advice: Readonly<Record<FileTrouble, string>> = {
  full: 'free space on the device',
  denied: 'grant this process read and write access to it',
  taken: 'use another folder',
  failed: 'check the device',
};

const fileError = (trouble: FileTrouble, message: string, cause?: unknown): FileError =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { trouble });

/** Runs the function. Its errors are converted to errors that name the file, the reason and a remedy. */
const withFileError = async <T>(what: string, path: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const trouble = troubleOf(code);
    throw fileError(trouble, `${path} could not be ${what} (${code ?? message}): ${advice[trouble]}.`, error);
  }
};

/** Syncs a folder. Its list of files survives a crash only after that. */
const syncFolder = async (path: string): Promise<void> => {
  // Windows neither syncs folders nor allows opening them for it.
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

class HostFile implements OpenFile {
  readonly #handle: FileHandle;
  readonly #path: string;
  #end: number;

  constructor(handle: FileHandle, path: string, end: number) {
    this.#handle = handle;
    this.#path = path;
    this.#end = end;
  }

  size(): Promise<number> {
    return Promise.resolve(this.#end);
  }

  read(at: number, length: number): Promise<Uint8Array> {
    return withFileError('read', this.#path, async () => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, this.#end - at)));
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await this.#handle.read(bytes, done, bytes.length - done, at + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    });
  }

  append(bytes: Uint8Array): Promise<void> {
    return withFileError('written', this.#path, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#end);
        done += bytesWritten;
        this.#end += bytesWritten;
      }
    });
  }

  sync(): Promise<void> {
    // The size is synced with the data; the modification time is not needed.
    return withFileError('synced', this.#path, () => this.#handle.datasync());
  }

  truncate(length: number): Promise<void> {
    return withFileError('cut', this.#path, async () => {
      await this.#handle.truncate(length);
      this.#end = Math.min(this.#end, length);
    });
  }

  close(): Promise<void> {
    return withFileError('closed', this.#path, () => this.#handle.close());
  }
}

class HostFolder implements Folder {
  readonly path: string;
  readonly #at: string;
  readonly #release: () => Promise<void>;

  constructor(path: string, at: string, release: () => Promise<void>) {
    this.path = path;
    this.#at = at;
    this.#release = release;
  }

  list(): Promise<readonly string[]> {
    return withFileError('listed', this.path, async () =>
      (await readdir(this.#at)).filter(name => !/^lock(\.|$)/.test(name)),
    );
  }

  openFile(name: string): Promise<OpenFile> {
    const path = join(this.#at, name);
    return withFileError('opened', join(this.path, name), async () => {
      const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      const { size } = await handle.stat();
      if (size === 0) await syncFolder(this.#at);
      return new HostFile(handle, join(this.path, name), size);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return withFileError('renamed', join(this.path, from), async () => {
      await rename(join(this.#at, from), join(this.#at, to));
      await syncFolder(this.#at);
    });
  }

  remove(name: string): Promise<void> {
    return withFileError('removed', join(this.path, name), () => rm(join(this.#at, name), { force: true }));
  }

  close(): Promise<void> {
    return withFileError('unlocked', this.path, this.#release);
  }
}

/** The files of this machine. The file `lock` in a folder names the process that uses the folder. */
export const hostFiles: Files = {
  openFolder: async path => {
    const at = resolve(path);
    const outcome = await withFileError('opened', path, async () => {
      const outermost = await mkdir(at, { recursive: true, mode: 0o700 });
      // The entry of a new folder is stored in its parent, so the parent is synced.
      for (let made = at; outermost !== undefined && made.length >= outermost.length; made = dirname(made))
        await syncFolder(dirname(made));
      return lockFolder(at);
    });
    if (outcome.kind === 'taken') throw fileError('taken', outcome.why);
    return new HostFolder(path, at, outcome.release);
  },
};
