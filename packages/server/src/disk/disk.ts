import type { Clock, FileError, Files, Folder, Millis, Random, Soon, Timer } from '@tessera/contracts';
import type { CommandError } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import { isView } from '../engine/database.js';
import type { DataDisk, Engine } from '../engine/engine.js';
import { DataFile, dataName, newDataName } from './data-file.js';
import type { Opened } from './open.js';
import { openData } from './open.js';

/** Where a server keeps its data, if it is to outlive it. */
export interface DataOptions {
  readonly files: Files;
  /** Made if it is not there; one server at a time has it. */
  readonly folder: string;
  /** Bytes that the file may have beyond twice its data before it is written anew, without what is past. Default 8 MiB. */
  readonly slack?: number;
  /** Is told, in a sentence, what was found odd at the start and put right. */
  readonly report?: (sentence: string) => void;
}

/** After how long writing is tried again that has failed. */
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
  // Also when nobody waits for it.
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

/** A new file with a snapshot in it, that is to take the place of the old one. */
interface Rewrite {
  readonly file: DataFile;
  readonly value: DatabaseValue;
}

/**
 * Keeps the newest data in a file. Whoever waits for it shares the sync with all that was committed meanwhile; what nobody
 * waits for is saved when the interval is over. When a write fails, commits are refused until one succeeds.
 */
export class Disk implements DataDisk {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #interval: Millis;
  readonly #folder: Folder;
  readonly #newest: () => DatabaseValue;
  #file: DataFile;
  /** What the file holds. */
  #saved: DatabaseValue;
  #turn: Turn | undefined;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  #trouble: CommandError | undefined;
  #rewriting: Promise<void> | undefined;
  #rewrite: Rewrite | undefined;
  /** The size at which the file is worth to be looked at again. */
  #lookAt: number;
  readonly #slack: number;
  #isOver = false;
  /** Called when more is saved than before. */
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
   * Has the folder from now on.
   * @throws FileError if the folder cannot be had, Error if what is in it cannot be read; each says what to do
   */
  static async open(
    engine: Engine,
    interval: Millis,
    { files, folder: path, slack = defaultSlack, report }: DataOptions,
  ): Promise<Disk> {
    const folder = await files.openFolder(path);
    try {
      const opened = await openData(engine, folder);
      if (opened.remark !== undefined) report?.(opened.remark);
      return new Disk(engine, { interval, slack }, { ...opened, folder });
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** What survives a crash. */
  get saved(): DatabaseValue {
    return this.#saved;
  }

  /** What is committed cannot be saved at present. */
  get isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  /** @throws CommandError 14031, 39 as long as what is committed cannot be saved */
  check(): void {
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** There is a newer value. */
  committed(): void {
    if (this.#timer === undefined && !this.#isOver) this.#saveAfter(this.#interval);
  }

  #saveAfter(wait: Millis): void {
    this.#timer = this.#clock.startTimer(wait, () => {
      this.#timer = undefined;
      void this.flush();
    });
  }

  /** All that is committed now survives a crash when this has settled. @throws CommandError 14031, 39 */
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
      // A new file may have taken the room that there was; if so, it is given up.
      await this.#rewriting;
      await this.#file.commit(this.#saved, value);
    }
  }

  /** Adds to the new file what was committed since it was begun, and puts it in the place of the old one, unless it has no room. */
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
    // If this fails nobody knows which of the two has the name: nothing is acknowledged until it is known.
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

  /** The old file is as good as it was, and longer than it had to be. */
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

  /** Others go on in the old file meanwhile; what they committed is added in the end. */
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
    this.#turn?.reject(fail('InterruptedAtShutdown', 'The server is gone'));
  }

  async #letGo(cleanUp: boolean): Promise<void> {
    this.#stop();
    await this.#working;
    await this.#rewriting;
    const files = this.#rewrite === undefined ? [this.#file] : [this.#file, this.#rewrite.file];
    // Whoever is gone has nobody to tell of it.
    await Promise.all(files.map(file => file.close())).catch(() => undefined);
    if (cleanUp) await this.#folder.remove(newDataName).catch(() => undefined);
    await this.#folder.close().catch(() => undefined);
  }

  /** The process is gone: what is not saved is lost. Settles when others can have the folder. */
  abandon(): Promise<void> {
    return this.#letGo(false);
  }

  /** Saves what is left to save, and lets others have the folder. @throws CommandError 14031, 39 if that cannot be saved */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#letGo(true);
    }
  }
}
