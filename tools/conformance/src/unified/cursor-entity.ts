import type { Document } from '@tessera/contracts';
import { call } from './facade.js';

/** An entity for a cursor or a change stream. Rule: "Cursor Operations". */
export class CursorEntity {
  readonly cursor: object;
  /** The result of the iteration that sent the command. */
  #first: unknown;

  constructor(cursor: object) {
    this.cursor = cursor;
  }

  /** Sends the command that opens the cursor. A document of the first batch is kept for the first iteration. */
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
