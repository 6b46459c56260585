import type { Doc } from '@tessera/mql/engine';

/** 0: record nothing; 1: record commands that are slow or match the filter; 2: record every command. */
export type ProfileLevel = 0 | 1 | 2;

export interface ProfileFilter {
  readonly filter: Doc;
  matches(entry: Doc): boolean;
}

export interface ProfileSettings {
  readonly level: ProfileLevel;
  /** Selects commands to record, in place of their duration. */
  readonly filter: ProfileFilter | undefined;
}

const off: ProfileSettings = { level: 0, filter: undefined };

/** Which commands are recorded in each database's `system.profile`. Rule: the command `profile`. */
export class Profiler {
  /** The duration from which a command counts as slow, in milliseconds. */
  slowMs = 100;
  /** The share of slow commands that are recorded, from 0 to 1. */
  sampleRate = 1;
  readonly #settings = new Map<string, ProfileSettings>();
  #active = false;

  /** Whether any commands are recorded. */
  get active(): boolean {
    return this.#active;
  }

  of(db: string): ProfileSettings {
    return this.#settings.get(db) ?? off;
  }

  set(db: string, settings: ProfileSettings): void {
    // Do not store defaults, so that reading a database's level leaves no entry.
    if (settings.level === 0 && settings.filter === undefined) this.#settings.delete(db);
    else this.#settings.set(db, settings);
    this.#active = [...this.#settings.values()].some(({ level }) => level > 0);
  }

  /** Removes the settings of a dropped database. */
  forget(db: string): void {
    this.set(db, off);
  }
}
