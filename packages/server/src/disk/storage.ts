import type { Millis } from '@tessera/contracts';
import type { Engine } from '../engine/engine.js';
import type { DataOptions } from './disk.js';
import { Disk } from './disk.js';

/** The disk of one server process after the other: it is opened when the process first needs it, and anew after a crash. */
export class Storage {
  readonly #engine: Engine;
  readonly #interval: Millis;
  readonly #options: DataOptions;
  #loaded: (() => void) | undefined;
  /** Of the process that runs now. */
  #disk: Disk | undefined;
  #opening: Promise<void> | undefined;
  /** Of the process before: settled when its folder is free. */
  #gone: Promise<void> = Promise.resolve();

  /** @param loaded called once, when the data was read for the first time */
  constructor(engine: Engine, interval: Millis, options: DataOptions, loaded: (() => void) | undefined) {
    this.#engine = engine;
    this.#interval = interval;
    this.#options = options;
    this.#loaded = loaded;
  }

  get isOpen(): boolean {
    return this.#disk !== undefined;
  }

  /** @throws FileError if the folder cannot be had, Error if what is in it cannot be read; each says what to do */
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

  /** @throws CommandError 14031, 39 if what is left cannot be saved */
  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#gone;
    await this.#disk?.close();
  }
}
