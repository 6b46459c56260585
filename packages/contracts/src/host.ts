/** Services of the host process other than time, randomness, files and the network. */
export interface Host {
  /** Returns the value of an environment variable, or undefined if it is not set. */
  environment(name: string): string | undefined;
  /** Emits a warning to the developer, on Node.js with `process.emitWarning`. Absent if the host has no warnings. */
  warn?(sentence: string): void;
  /**
   * Opens a destination for log lines: `stdout`, `stderr`, or the path of a file to append to. Returns a function that writes
   * one line; pass the line without a line break. Both functions throw if the destination cannot be written to. Absent if the
   * host has no such destination.
   */
  openLog?(path: string): (line: string) => void;
  /** Reads a whole file as text. Rejects if the file cannot be read. Absent if the host has no files. */
  readText?(path: string): Promise<string>;
  /** Returns the maximum size of the JavaScript heap in bytes. Absent if the host has no limit, or does not report it. */
  heapLimit?(): number;
  /** Creates a {@link Scope}, on Node.js with `AsyncLocalStorage`. Absent if the host cannot follow asynchronous calls. */
  createScope?<T>(): Scope<T>;
  /**
   * Returns a promise that settles like `module`, the promise of an `import()`. Packages call it for modules that they load on
   * first use: see `whenLoaded`. A simulated host stops its time until then. Absent: the promise is awaited itself.
   */
  loaded?<T>(module: Promise<T>): Promise<T>;
}

/** A value that is available in a function and in all code that it calls, including code after an `await`. */
export interface Scope<T> {
  /** Calls `call` with this value in the scope, and returns its result. */
  run<R>(value: T, call: () => R): R;
  /** Returns the value of the innermost `run` around the current code, or undefined outside of any. */
  current(): T | undefined;
}

/** Waits for a module that is being loaded. A simulated host stops its time meanwhile: {@link Host.loaded}. */
export const whenLoaded = <T>(host: Pick<Host, 'loaded'> | undefined, module: Promise<T>): Promise<T> =>
  host?.loaded?.(module) ?? module;
