import type { Soon } from './clock.js';

/** A stream of the host, with the members that the driver uses. */
export interface HostStream {
  /** Emits an event to the stream's listeners. */
  emit(name: string, value: unknown): unknown;
  /** Ends the stream early. With a cause, its listeners receive that error. */
  destroy(cause?: unknown): unknown;
}

/** The destination of the bytes written to a stream. Calls do not overlap: each call waits for the previous call. */
export interface StreamSink {
  /** Receives the next bytes. The caller may reuse their memory after the result has settled. */
  write(bytes: Uint8Array): Soon<void>;
  /** Called after the last write. The stream finishes when the promise resolves. */
  end(): Promise<void>;
}

/** Creates streams of the host: on Node.js `stream.Readable` and `stream.Writable`. */
export interface Streams {
  /**
   * Creates a readable stream that pulls values from the iterable as they are read. Destroying the stream calls the iterator's
   * `return`.
   * @param options.bytes true: a byte stream, and the iterable yields `Uint8Array`. Default false: an object stream.
   * @param options.readsAhead false: pulls a value only when the reader requests one. Default true.
   */
  readable(
    from: AsyncIterable<unknown>,
    options?: { readonly bytes?: boolean; readonly readsAhead?: boolean },
  ): HostStream;
  /** Creates a writable stream. It applies backpressure while the sink is busy; an error of the sink destroys the stream. */
  writable(into: StreamSink): HostStream;
}
