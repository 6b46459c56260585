/** Services of the host process beside time, chance, files and the network. */
export interface Host {
  /** A variable of the environment, undefined where there is none. */
  environment(name: string): string | undefined;
  /** Emits a warning; absent if the host has no place for warnings. */
  warn?(sentence: string): void;
  /**
   * Where lines of a log go: `stdout`, `stderr`, else the path of a file, which is appended to; absent where there is none
   * of them. The function takes a whole line without its end. Both throw if that place cannot be written to.
   */
  openLog?(path: string): (line: string) => void;
  /** A whole file as text; absent where there are no files. Rejects if it cannot be read. */
  readText?(path: string): Promise<string>;
  /** A value that follows calls; absent where the host cannot follow one through what it waits for. */
  createScope?<T>(): Scope<T>;
}

/** One value per call, seen from everything that the call does and waits for. */
export interface Scope<T> {
  run<R>(value: T, call: () => R): R;
  /** That of the innermost call of `run` around this one. */
  current(): T | undefined;
}
