import type { Millis } from '@tessera/contracts';
import type { Engine } from '../engine/engine.js';
import type { DataOptions } from './disk.js';
import { Disk } from './disk.js';

/**
 * The disk of consecutive processes of a server. It is opened when a process first needs it, and opened again after a
 * crash.
 */
export class Storage {
  readonly #engine: Engine;
  readonly #interval: Millis;
  readonly #options: DataOptions;
  #loaded: (() => void) | undefined;
  /** The disk of the current process. */
  #disk: Disk | undefined;
  #opening: Promise<void> | undefined;
  /** Resolves when the previous process has released the folder. */
  #gone: Promise<void> = Promise.resolve();

  /** @param loaded called once, after the data was read for the first time */
  constructor(engine: Engine, interval: Millis, options: DataOptions, loaded: (() => void) | undefined) {
    this.#engine = engine;
    this.#interval = interval;
    this.#options = options;
    this.#loaded = loaded;
  }

  get isOpen(): boolean {
    return this.#disk !== undefined;
  }

  /**
   * Opens the disk.
   * @throws FileError if the folder is not available, Error if the data cannot be read; the message describes what to
   * do
   */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    await this.#gone;
    this.#disk = await Disk.open(this.#engine, this.#interval, this.#options);
    this.#engine.load(this.#disk);
    this.#loaded?.();
    this.#loaded = undefined;
  }

  crash(): void {
    const disk = this.#disk;
    this.#disk = undefined;
    this.#engine.disk = undefined;
    this.#opening = undefined;
    if (disk !== undefined) this.#gone = disk.abandon();
  }

  /** Closes the disk. @throws CommandError 14031, 39 if the rest of the data cannot be saved */
  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#gone;
    await this.#disk?.close();
  }
}
