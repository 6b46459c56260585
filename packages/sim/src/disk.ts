import type { Clock, FileError, Files, FileTrouble, Folder, Millis, OpenFile } from '@tessera/contracts';
import type { Chance } from './chance.js';

export interface DiskDeps {
  readonly clock: Clock;
  /** Decides which unsynced data a crash leaves. */
  readonly chance: Chance;
}

export interface DiskOptions {
  /** The maximum duration of a call in virtual time. Default 1 ms. */
  readonly latency?: Millis;
  /** The capacity in bytes. Default: no limit. */
  readonly capacity?: number;
}

/** Files of a simulated world. After a crash they contain what real files could contain. */
export interface Disk extends Files {
  /** The capacity in bytes. Tests may change it at any time. */
  capacity: number;
  /** If set, calls fail with this error and have no effect. */
  trouble: FileTrouble | undefined;
  /**
   * Simulates a crash of the machine: calls in progress fail and open folders are released. A part of the
   * unsynced data remains, in the order in which it was written. Its last write may be cut at any byte or replaced by random bytes.
   */
  crash(): void;
}

const fileError = (trouble: FileTrouble, message: string): FileError => Object.assign(new Error(message), { trouble });

type Change =
  | { readonly kind: 'append'; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
};

const applied = (content: Uint8Array, change: Change): Uint8Array =>
  change.kind === 'append' ? joined(content, change.bytes) : content.slice(0, change.length);

/** The data of a device in pages, each of which is kept or lost as a whole. */
const page = 512;

class Content {
  /** The content that survives a crash. */
  synced: Uint8Array = new Uint8Array(0);
  bytes: Uint8Array = this.synced;
  #changes: Change[] = [];

  change(change: Change): void {
    this.bytes = applied(this.bytes, change);
    this.#changes.push(change);
  }

  sync(): void {
    this.synced = this.bytes;
    this.#changes = [];
  }

  crash(chance: Chance): void {
    // Often nothing changed: most unsynced data was written shortly before the crash.
    if (chance.happens(0.2)) this.#changes = [];
    const whole = chance.below(this.#changes.length + 1);
    let left = this.#changes.slice(0, whole).reduce(applied, this.synced);
    const torn = this.#changes[whole];
    if (torn?.kind === 'append') left = joined(left, this.#torn(torn.bytes, chance));
    this.synced = left;
    this.bytes = left;
    this.#changes = [];
  }

  #torn(bytes: Uint8Array, chance: Chance): Uint8Array {
    if (!chance.happens(0.3)) return bytes.slice(0, chance.below(bytes.length + 1));
    const left = bytes.slice();
    for (let at = 0; at < left.length; at += page) {
      if (chance.happens(0.5)) continue;
      const lost = left.subarray(at, at + page);
      if (chance.happens(0.5)) lost.fill(0);
      else lost.set(chance.bytes(lost.length));
    }
    return left;
  }
}

interface Entry {
  readonly files: Map<string, Content>;
  holder: number | undefined;
}

/** Returns an empty disk. */
export const createDisk = ({ clock, chance }: DiskDeps, options: DiskOptions = {}): Disk => {
  const { latency = 1 } = options;
  const folders = new Map<string, Entry>();
  /** Incremented by every crash. Folders and files that were opened before are invalid. */
  let age = 0;
  let handles = 0;

  const used = (): number => {
    let sum = 0;
    for (const { files } of folders.values()) for (const { bytes } of files.values()) sum += bytes.length;
    return sum;
  };

  /** Runs the call after its duration, and not at all if a crash happens before. */
  const call = async <T>(begun: number, path: string, run: () => T): Promise<T> => {
    await clock.sleep(chance.unit() * latency);
    if (begun !== age) throw fileError('failed', `${path} was lost in a crash.`);
    if (disk.trouble !== undefined)
      throw fileError(disk.trouble, `${path} could not be used: the device is in trouble.`);
    return run();
  };

  const openFile = (begun: number, path: string, content: Content): OpenFile => {
    let isOpen = true;
    const on = <T>(run: () => T): Promise<T> =>
      isOpen ? call(begun, path, run) : Promise.reject(fileError('failed', `${path} is closed.`));
    return {
      size: () => on(() => content.bytes.length),
      read: (at, length) => on(() => content.bytes.slice(at, at + length)),
      append: bytes =>
        on(() => {
          const room = Math.max(0, disk.capacity - used());
          content.change({ kind: 'append', bytes: bytes.slice(0, room) });
          if (bytes.length > room) throw fileError('full', `${path} could not be written: the disk is full.`);
        }),
      sync: () =>
        on(() => {
          content.sync();
        }),
      truncate: length =>
        on(() => {
          content.change({ kind: 'truncate', length });
        }),
      close: () =>
        on(() => {
          isOpen = false;
        }),
    };
  };

  const openFolder = (path: string, begun: number, entry: Entry, handle: number): Folder => {
    const on = <T>(run: () => T): Promise<T> => {
      if (begun === age && entry.holder !== handle)
        return Promise.reject(fileError('failed', `The folder ${path} is closed.`));
      return call(begun, path, run);
    };
    return {
      path,
      list: () => on(() => [...entry.files.keys()]),
      openFile: name =>
        on(() => {
          const content = entry.files.get(name) ?? new Content();
          entry.files.set(name, content);
          return openFile(begun, `${path}/${name}`, content);
        }),
      rename: (from, to) =>
        on(() => {
          const content = entry.files.get(from);
          if (content === undefined) throw fileError('failed', `There is no file ${path}/${from}.`);
          entry.files.delete(from);
          entry.files.set(to, content);
        }),
      remove: name =>
        on(() => {
          entry.files.delete(name);
        }),
      close: () =>
        on(() => {
          entry.holder = undefined;
        }),
    };
  };

  const disk: Disk = {
    capacity: options.capacity ?? Number.POSITIVE_INFINITY,
    trouble: undefined,
    openFolder: path =>
      call(age, path, () => {
        const entry: Entry = folders.get(path) ?? { files: new Map(), holder: undefined };
        if (entry.holder !== undefined) throw fileError('taken', `The folder ${path} is in use by another.`);
        handles += 1;
        entry.holder = handles;
        folders.set(path, entry);
        return openFolder(path, age, entry, handles);
      }),
    crash: () => {
      age += 1;
      for (const entry of folders.values()) {
        entry.holder = undefined;
        for (const content of entry.files.values()) content.crash(chance);
      }
    },
  };
  return disk;
};
