import type { Document } from '@tessera/contracts';
import { call } from './facade.js';

/** Cursors and change streams alike. Rule: "Cursor Operations". */
export class CursorEntity {
  readonly cursor: object;
  /** What the iteration found with which the command was sent. */
  #first: unknown;

  constructor(cursor: object) {
    this.cursor = cursor;
  }

  /** Sends the command that opens the cursor; what comes with it is kept for the first iteration. */
  async open(): Promise<void> {
    this.#first = await call(this.cursor, 'tryNext');
  }

  untilDocument(): unknown {
    return this.#kept() ?? call(this.cursor, 'next');
  }

  once(): unknown {
    return this.#kept() ?? call(this.cursor, 'tryNext');
  }

  async close(options: Document = {}): Promise<void> {
    await call(this.cursor, 'close', options);
  }

  #kept(): unknown {
    const first = this.#first ?? undefined;
    this.#first = undefined;
    return first;
  }
}
