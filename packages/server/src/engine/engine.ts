import type { Clock, Millis, Random } from '@tessera/contracts';
import { BinaryValue, ObjectIdValue } from '../value/value.js';
import { Cursors } from './cursors.js';
import type { DatabaseValue } from './database.js';
import { Draft, emptyDatabase } from './database.js';
import { ExpiryWatch, sweepExpired } from './expiry.js';
import { Sessions } from './sessions.js';
import type { Version } from './version.js';
import { Watchers } from './watchers.js';

export interface EngineDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface EngineOptions {
  readonly version: Version;
  readonly cursorIdleLimit: Millis;
}

/** The data, who reads and who writes it. All work is synchronous: a command sees one value from beginning to end. */
export class Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly version: Version;
  readonly cursors: Cursors;
  readonly sessions: Sessions = new Sessions();
  readonly startedAt: Millis;
  readonly expiry: ExpiryWatch;
  /** Called after every commit. */
  onCommit: (() => void) | undefined;
  #value: DatabaseValue = emptyDatabase;
  readonly #watchers = new Watchers();
  readonly #processId: Uint8Array;
  #nextId: number;

  constructor(deps: EngineDeps, options: EngineOptions) {
    this.clock = deps.clock;
    this.random = deps.random;
    this.version = options.version;
    this.cursors = new Cursors(deps, options.cursorIdleLimit);
    this.startedAt = deps.clock.now();
    this.expiry = new ExpiryWatch(deps.clock, () => sweepExpired(this));
    this.#processId = deps.random.bytes(5);
    this.#nextId = Math.floor(deps.random.unit() * 0x1000000);
  }

  /** What is committed. */
  get value(): DatabaseValue {
    return this.#value;
  }

  /** Makes the next value and commits it; if the work throws, nothing has changed. */
  change<T>(what: string, work: (draft: Draft) => T): T {
    const draft = new Draft(this.#value, { for: what });
    const result = work(draft);
    const next = draft.finish();
    if (next !== this.#value) {
      this.#value = next;
      this.onCommit?.();
      this.#watchers.wake();
    }
    return result;
  }

  /** Calls back once, after the next commit. Returns the way to take that back. */
  onceChanged(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  newObjectId(): ObjectIdValue {
    const bytes = new Uint8Array(12);
    new DataView(bytes.buffer).setUint32(0, Math.floor(this.clock.wallTime() / 1000) >>> 0);
    bytes.set(this.#processId, 4);
    this.#nextId = (this.#nextId + 1) & 0xffffff;
    bytes[9] = this.#nextId >>> 16;
    bytes[10] = (this.#nextId >>> 8) & 0xff;
    bytes[11] = this.#nextId & 0xff;
    return new ObjectIdValue(bytes);
  }

  newUuid(): BinaryValue {
    const bytes = this.random.bytes(16).slice();
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return new BinaryValue(4, bytes);
  }

  endAllSessions(): void {
    this.sessions.clear();
    this.cursors.killAllOfSessions();
  }

  /** Stops what runs by itself. */
  close(): void {
    this.cursors.close();
    this.expiry.stop();
    this.#watchers.wake();
  }
}
