import { Readable } from 'node:stream';
import type { Streams } from '@tessera/contracts';

/** `stream.Readable` in object mode. */
export const hostStreams: Streams = {
  readable: from => {
    const iterator = from[Symbol.asyncIterator]();
    // No `throw` here: a stream destroyed with an error would call that instead of `return`.
    const pulled: AsyncIterator<unknown> = {
      next: () => iterator.next(),
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
    return Readable.from({ [Symbol.asyncIterator]: () => pulled }, { objectMode: true });
  },
};
