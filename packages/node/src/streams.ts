import { Readable, Writable } from 'node:stream';
import type { Streams } from '@tessera/contracts';

/** The error as a stream's callback takes it. */
const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** `stream.Readable`, in object mode unless it is one of bytes, and `stream.Writable`, which takes bytes and text. */
export const hostStreams: Streams = {
  readable: (from, { bytes = false, readsAhead = true } = {}) => {
    const iterator = from[Symbol.asyncIterator]();
    // No `throw` here: a stream destroyed with an error would call that instead of `return`.
    const pulled: AsyncIterator<unknown> = {
      next: () => iterator.next(),
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
    return Readable.from(
      { [Symbol.asyncIterator]: () => pulled },
      {
        objectMode: !bytes,
        ...(readsAhead ? {} : { highWaterMark: 0 }),
      },
    );
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
