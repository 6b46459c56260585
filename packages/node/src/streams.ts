import { Readable, Writable } from 'node:stream';
import type { Streams } from '@tessera/contracts';

/** Converts a cause to an Error, which stream callbacks require. */
const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * Creates a stream that calls `next` once per read, and never before a read. `Readable.from` calls `next` again after a
 * `data` listener has paused the stream.
 */
const pullingOnDemand = (iterator: AsyncIterator<unknown>, objectMode: boolean): Readable =>
  new Readable({
    objectMode,
    highWaterMark: 0,
    read() {
      iterator.next().then(
        ({ value, done }) => {
          // Pushing null would end the stream without an error.
          if (done !== true && value === null) this.destroy(new TypeError('A stream cannot carry null as a value.'));
          else this.push(done === true ? null : value);
        },
        (error: unknown) => {
          this.destroy(asError(error));
        },
      );
    },
    destroy(error, callback) {
      const ended = iterator.return?.() ?? Promise.resolve();
      ended.then(
        () => {
          callback(error);
        },
        (cause: unknown) => {
          callback(error ?? asError(cause));
        },
      );
    },
  });

/**
 * Creates Node's streams: a `Readable` in object mode unless it carries bytes, and a `Writable` for bytes and text.
 */
export const hostStreams: Streams = {
  readable: (from, { bytes = false, readsAhead = true } = {}) => {
    const iterator = from[Symbol.asyncIterator]();
    if (!readsAhead) return pullingOnDemand(iterator, !bytes);
    // There is no `throw` here: a stream destroyed with an error would call it instead of `return`.
    const pulled: AsyncIterator<unknown> = {
      next: () => iterator.next(),
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
    return Readable.from({ [Symbol.asyncIterator]: () => pulled }, { objectMode: !bytes });
  },
  writable: into => {
    const settle = (done: Promise<void>, callback: (error?: Error) => void): void => {
      done.then(
        () => {
          callback();
        },
        (error: unknown) => {
          callback(asError(error));
        },
      );
    };
    return new Writable({
      write: (bytes: Uint8Array, _encoding, callback) => {
        const done = into.write(bytes);
        if (done === undefined) callback();
        else settle(done, callback);
      },
      final: callback => {
        settle(into.end(), callback);
      },
    });
  },
};
