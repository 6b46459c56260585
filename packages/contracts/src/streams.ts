import type { Soon } from './clock.js';

/** A stream of the host, as far as whoever made it uses it. */
export interface HostStream {
  /** Tells those who listen at the stream. */
  emit(name: string, value: unknown): unknown;
  /** Ends it before its time; with a cause, its listeners are told that. */
  destroy(cause?: unknown): unknown;
}

/** Where the bytes go that are written to a stream. Calls do not overlap: the next one waits for the one before. */
export interface StreamSink {
  /** The bytes are the writer's again once this has settled. */
  write(bytes: Uint8Array): Soon<void>;
  /** Everything was written. */
  end(): Promise<void>;
}

/** Streams as the host knows them: on Node.js `stream.Readable` and `stream.Writable`. */
export interface Streams {
  /**
   * Pulls from the iterable as the stream is read; destroying it calls the iterator's `return`.
   * @param options.bytes it is a stream of bytes, and the iterable gives `Uint8Array`; otherwise one of values.
   * @param options.readsAhead false: pulls a value only when the reader asks for it. Default true.
   */
  readable(
    from: AsyncIterable<unknown>,
    options?: { readonly bytes?: boolean; readonly readsAhead?: boolean },
  ): HostStream;
  /** Applies backpressure when the sink is slow; an error of the sink ends the stream. */
  writable(into: StreamSink): HostStream;
}
