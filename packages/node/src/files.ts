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
  full: 'make room on that device',
  denied: 'let whoever runs this process read and write there',
  taken: 'give another folder',
  failed: 'look after that device',
};

const fileError = (trouble: FileTrouble, message: string, cause?: unknown): FileError =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { trouble });

/** Runs the function; an error that it throws names the file, the reason and what to do. */
const withFileError = async <T>(what: string, path: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const trouble = troubleOf(code);
    throw fileError(trouble, `${path} could not be ${what} (${code ?? message}): ${advice[trouble]}.`, error);
  }
};

/** What a folder lists survives a crash once the folder itself was synced. */
const syncFolder = async (path: string): Promise<void> => {
  // Windows syncs no folders, and does not let them be opened for it.
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
    // Sizes are synced with the data; when it was changed last need not be.
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

/** Files of this machine. The file `lock` in a folder says which process has it. */
export const hostFiles: Files = {
  openFolder: async path => {
    const at = resolve(path);
    const outcome = await withFileError('opened', path, async () => {
      const outermost = await mkdir(at, { recursive: true, mode: 0o700 });
      // That a folder is there is written in the one around it.
      for (let made = at; outermost !== undefined && made.length >= outermost.length; made = dirname(made))
        await syncFolder(dirname(made));
      return lockFolder(at);
    });
    if (outcome.kind === 'taken') throw fileError('taken', outcome.why);
    return new HostFolder(path, at, outcome.release);
  },
};
