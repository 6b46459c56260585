import type { Clock, FileError, Files, Folder, Millis, Random, Soon, Timer } from '@tessera/contracts';
import type { CommandError } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { DatabaseValue, Opened } from '@tessera/store';
import { DataFile, dataName, isView, newDataName, openData } from '@tessera/store';
import type { DataDisk, Engine } from '../engine/engine.js';
import { definitionsOf } from './definitions.js';

/** The folder in which a server stores its data, and settings of the storage. */
export interface DataOptions {
  /** The file system, such as `hostFiles` of `@tessera/node`. */
  readonly files: Files;
  /** The path of the folder. The server creates it if it is missing. Only one server at a time can use it. */
  readonly folder: string;
  /**
   * A size in bytes that determines when the server rewrites the file without obsolete commits: when its size exceeds
   * `2 * d + slack`, where `d` is the size of the data. Default: 8,388,608 (8 MiB).
   */
  readonly slack?: number;
  /** Called with a sentence about each problem that the server found and repaired when it read the data. */
  readonly report?: (sentence: string) => void;
}

/** The delay before a failed write is retried, in milliseconds. */
const retryAfter: Millis = 1000;

const defaultSlack = 8 * 1024 * 1024;

interface Turn {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const newTurn = (): Turn => {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const done = new Promise<void>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  // Prevents an unhandled rejection if no caller awaits the promise.
  done.catch(() => undefined);
  return { done, resolve, reject };
};

const isFileError = (error: unknown): error is FileError => error instanceof Error && 'trouble' in error;

const commandError = (error: unknown): CommandError => {
  const message = error instanceof Error ? error.message : String(error);
  return fail(isFileError(error) && error.trouble === 'full' ? 'OutOfDiskSpace' : 'FileStreamFailed', message);
};

const bytesIn = ({ namespaces }: DatabaseValue): number => {
  let bytes = 0;
  for (const [, namespace] of namespaces) if (!isView(namespace)) bytes += namespace.bytes;
  return bytes;
};

interface Settings {
  readonly interval: Millis;
  readonly slack: number;
}

/** A new file with a snapshot that will replace the current file. */
interface Rewrite {
  readonly file: DataFile;
  readonly value: DatabaseValue;
}

/**
 * Saves the newest data to a file. Waiting callers share one sync for all commits made in the meantime. Commits that no
 * caller waits for are saved after the interval. While writes fail, new commits are rejected.
 */
export class Disk implements DataDisk {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #interval: Millis;
  readonly #folder: Folder;
  readonly #newest: () => DatabaseValue;
  #file: DataFile;
  /** The data in the file. */
  #saved: DatabaseValue;
  #turn: Turn | undefined;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  #trouble: CommandError | undefined;
  #rewriting: Promise<void> | undefined;
  #rewrite: Rewrite | undefined;
  /** The file size at which to check again whether a rewrite is worthwhile. */
  #lookAt: number;
  readonly #slack: number;
  #isOver = false;
  /** Called after more data was saved. */
  onSaved: (() => void) | undefined;

  private constructor(engine: Engine, settings: Settings, opened: Opened & { readonly folder: Folder }) {
    this.#clock = engine.clock;
    this.#random = engine.random;
    this.#interval = settings.interval;
    this.#slack = settings.slack;
    this.#lookAt = settings.slack;
    this.#folder = opened.folder;
    this.#file = opened.file;
    this.#saved = opened.value;
    this.#newest = () => engine.value;
  }

  /**
   * Opens the folder and reads the data.
   * @throws FileError if the folder is not available, Error if the data cannot be read; the message describes what to
   * do
   */
  static async open(
    engine: Engine,
    interval: Millis,
    { files, folder: path, slack = defaultSlack, report }: DataOptions,
  ): Promise<Disk> {
    const folder = await files.openFolder(path);
    try {
      const opened = await openData(folder, engine.random, definitionsOf(engine));
      if (opened.remark !== undefined) report?.(opened.remark);
      return new Disk(engine, { interval, slack }, { ...opened, folder });
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** The data that survives a crash. */
  get saved(): DatabaseValue {
    return this.#saved;
  }

  /** Whether committed data cannot be saved at present. */
  get isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  /** Checks that data can be saved. @throws CommandError 14031, 39 while committed data cannot be saved */
  check(): void {
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Notes that there is a newer value. */
  committed(): void {
    if (this.#timer === undefined && !this.#isOver) this.#saveAfter(this.#interval);
  }

  #saveAfter(wait: Millis): void {
    this.#timer = this.#clock.startTimer(wait, () => {
      this.#timer = undefined;
      void this.flush();
    });
  }

  /** Resolves once all data committed so far survives a crash. @throws CommandError 14031, 39 */
  flush(): Soon<void> {
    if (this.#isOver || (this.#saved === this.#newest() && this.#rewrite === undefined)) return;
    this.#turn ??= newTurn();
    const { done } = this.#turn;
    this.#working ??= this.#work();
    return done;
  }

  async #work(): Promise<void> {
    for (let turn = this.#turn; turn !== undefined && !this.#isOver; turn = this.#turn) {
      this.#turn = undefined;
      try {
        await this.#save(this.#newest());
        this.#trouble = undefined;
        this.onSaved?.();
        turn.resolve();
      } catch (error) {
        this.#trouble = commandError(error);
        turn.reject(this.#trouble);
        this.#timer?.cancel();
        if (!this.#isOver) this.#saveAfter(retryAfter);
      }
    }
    this.#working = undefined;
    if (!this.#isOver && this.#isWorthRewriting()) this.#rewriting = this.#startRewriting();
  }

  async #save(value: DatabaseValue): Promise<void> {
    if (this.#rewrite !== undefined && (await this.#replaced(this.#rewrite, value))) return;
    if (value !== this.#saved) await this.#append(value);
    this.#saved = value;
  }

  async #append(value: DatabaseValue): Promise<void> {
    try {
      await this.#file.commit(this.#saved, value);
    } catch (error) {
      if (this.#rewriting === undefined) throw error;
      // The new file may have used up the disk space. If so, the rewrite is abandoned, and the space is free again.
      await this.#rewriting;
      await this.#file.commit(this.#saved, value);
    }
  }

  /**
   * Appends the commits made since the snapshot to the new file, and replaces the current file by it. Returns false if
   * the new file cannot be written.
   */
  async #replaced(rewrite: Rewrite, value: DatabaseValue): Promise<boolean> {
    if (value !== rewrite.value) {
      try {
        await rewrite.file.commit(rewrite.value, value);
      } catch {
        await this.#giveUp(rewrite.file);
        return false;
      }
      this.#rewrite = { file: rewrite.file, value };
    }
    // If renaming fails, it is unknown which file has the name, so nothing is acknowledged until that is clear.
    await this.#folder.rename(newDataName, dataName);
    await rewrite.file.renamed(() => this.#folder.openFile(dataName));
    const old = this.#file;
    this.#file = rewrite.file;
    this.#saved = value;
    this.#rewrite = undefined;
    this.#rewriting = undefined;
    await old.close().catch(() => undefined);
    return true;
  }

  /** Abandons a rewrite. The current file is complete, only larger than necessary. */
  async #giveUp(file: Pick<DataFile, 'close'>): Promise<void> {
    this.#rewrite = undefined;
    await file.close().catch(() => undefined);
    await this.#folder.remove(newDataName).catch(() => undefined);
    this.#rewriting = undefined;
  }

  #isWorthRewriting(): boolean {
    const { size } = this.#file;
    if (this.#rewriting !== undefined || size < this.#lookAt) return false;
    const worth = 2 * bytesIn(this.#saved) + this.#slack;
    this.#lookAt = Math.max(worth, size + this.#slack);
    return size > worth;
  }

  /** Starts a rewrite. Commits continue in the current file, and are added to the new one at the end. */
  async #startRewriting(): Promise<void> {
    const value = this.#saved;
    const made = await this.#folder.openFile(newDataName).catch(() => undefined);
    if (made === undefined) {
      this.#rewriting = undefined;
      return;
    }
    try {
      this.#rewrite = { file: await DataFile.begin(made, this.#random, value), value };
    } catch {
      return this.#giveUp(made);
    }
    this.#lookAt = this.#slack;
    void this.flush();
  }

  #stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#turn?.reject(fail('InterruptedAtShutdown', 'The server was shut down'));
  }

  async #letGo(cleanUp: boolean): Promise<void> {
    this.#stop();
    await this.#working;
    await this.#rewriting;
    const files = this.#rewrite === undefined ? [this.#file] : [this.#file, this.#rewrite.file];
    // After the end, no caller can handle the error.
    await Promise.all(files.map(file => file.close())).catch(() => undefined);
    if (cleanUp) await this.#folder.remove(newDataName).catch(() => undefined);
    await this.#folder.close().catch(() => undefined);
  }

  /** Simulates a crash: unsaved data is lost. Resolves when the folder is available again. */
  abandon(): Promise<void> {
    return this.#letGo(false);
  }

  /** Saves the rest of the data and releases the folder. @throws CommandError 14031, 39 if the data cannot be saved */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#letGo(true);
    }
  }
}
