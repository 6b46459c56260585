import type { HostStream, Streams } from '@tessera/contracts';

/** A stream that is read by iteration. */
export interface SimReadable extends HostStream, AsyncIterable<unknown> {}

/** A stream whose `write` and `end` settle when the sink has done its work. */
export interface SimWritable extends HostStream {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

const nobodyListens = (): boolean => false;

/** Minimal streams of a host: promises and iterators without event listeners. */
export const simStreams: Streams = {
  readable: (from): SimReadable => {
    const iterator = from[Symbol.asyncIterator]();
    return {
      [Symbol.asyncIterator]: () => iterator,
      emit: nobodyListens,
      destroy: () => iterator.return?.(),
    };
  },
  writable: (into): SimWritable => {
    let work: Promise<void> = Promise.resolve();
    let isDestroyed = false;
    const next = (step: () => void | Promise<void>): Promise<void> => {
      const done = work.then(() => {
        if (isDestroyed) throw new Error('The stream was destroyed.');
        return step();
      });
      work = done.catch(() => undefined);
      return done;
    };
    return {
      write: bytes => next(() => into.write(bytes)),
      end: () => next(() => into.end()),
      emit: nobodyListens,
      destroy: () => {
        isDestroyed = true;
      },
    };
  },
};
