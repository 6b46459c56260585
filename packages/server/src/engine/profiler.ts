import type { Doc } from '@tessera/mql/engine';

/** 0: nothing is written down, 1: what is slow or matches the filter, 2: everything. */
export type ProfileLevel = 0 | 1 | 2;

export interface ProfileFilter {
  readonly filter: Doc;
  matches(entry: Doc): boolean;
}

export interface ProfileSettings {
  readonly level: ProfileLevel;
  /** Decides in the place of how slow a command was. */
  readonly filter: ProfileFilter | undefined;
}

const off: ProfileSettings = { level: 0, filter: undefined };

/** What of each database is written down in its `system.profile`. Rule: the command `profile`. */
export class Profiler {
  /** From how many milliseconds on a command is slow. */
  slowMs = 100;
  /** Of the slow ones, how many are written down: 0 to 1. */
  sampleRate = 1;
  readonly #settings = new Map<string, ProfileSettings>();
  #active = false;

  /** Whether anything at all is written down. */
  get active(): boolean {
    return this.#active;
  }

  of(db: string): ProfileSettings {
    return this.#settings.get(db) ?? off;
  }

  set(db: string, settings: ProfileSettings): void {
    // Whoever asks about a database leaves nothing behind.
    if (settings.level === 0 && settings.filter === undefined) this.#settings.delete(db);
    else this.#settings.set(db, settings);
    this.#active = [...this.#settings.values()].some(({ level }) => level > 0);
  }

  /** The database is gone. */
  forget(db: string): void {
    this.set(db, off);
  }
}
