import { MongoCursorExhaustedError } from './errors.js';
import { rejectWith } from './stack-trace.js';

/** Iterates over the documents of a cursor. */
export class CursorIterator<Schema> implements AsyncGenerator<Schema, void, void> {
  readonly next: () => Promise<IteratorResult<Schema, undefined>>;
  readonly #close: () => Promise<void>;

  constructor(next: () => Promise<IteratorResult<Schema, undefined>>, close: () => Promise<void>) {
    this.next = next;
    this.#close = close;
  }

  async return(): Promise<IteratorResult<Schema, undefined>> {
    await this.#close();
    return lastStep;
  }

  async throw(error: unknown): Promise<IteratorResult<Schema, undefined>> {
    await this.#close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

export const asItIs = <Schema>(document: Schema): Schema => document;
export const toStep = <Schema>(value: Schema): IteratorResult<Schema, undefined> => ({ value, done: false });
export const lastStep: IteratorReturnResult<undefined> = { value: undefined, done: true };

/** Returns the rejection of a read from a closed cursor. */
export const exhausted = (): Promise<never> =>
  rejectWith(
    new MongoCursorExhaustedError('The cursor is closed. Call rewind() or create another cursor to read again.'),
  );
