import type { Millis } from '@tessera/contracts';

/** The environment and the limits of functions that share their global variables. */
export interface ScriptOptions {
  /**
   * The sources by names. A source is a function, an expression or statements, of which the last expression is the
   * result.
   */
  readonly functions: Readonly<Record<string, string>>;
  /** A BSON document of global variables. */
  readonly scope: Uint8Array | undefined;
  /** Whether the functions can call `emit(key, value)`. */
  readonly emits: boolean;
  /** Called regularly while a function runs. An error that it throws ends the call, and is thrown to the caller. */
  readonly tick: () => void;
  /** Called for `sleep(ms)`. The script continues at once. An error that it throws ends the call. */
  readonly sleep: (duration: Millis) => void;
  /** Returns the milliseconds since 1970. */
  readonly now: () => Millis;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The result of `version()`. */
  readonly version: string;
  /**
   * Creates the error for a script that fails. The code is that of the thrown value, if it has one. The frames are the
   * calls in the script that led to it, one per line.
   */
  readonly failure: (name: string, message: string, code: number | undefined, frames: string) => Error;
}

/** Functions with their own globals. */
export interface ScriptRealm {
  /**
   * Calls a function.
   * @param self the BSON document that is `this`
   * @param given a BSON document whose values are the arguments
   * @returns a BSON document whose field `value` is the result
   */
  call(name: string, self: Uint8Array, given: Uint8Array): Uint8Array;
  /** Returns whether the result of the function `test` counts as true. The document at the offset is `this` and `obj`. */
  test(bytes: Uint8Array, at: number): boolean;
  /** Calls a function. Returns a BSON document whose values are the keys and values that it emitted, in turn. */
  emitted(name: string, self: Uint8Array): Uint8Array;
  /** Frees the memory. */
  close(): void;
}

/** Runs JavaScript. */
export interface ScriptEngine {
  /** Whether an error of the engine itself has occurred, so that another must replace it. */
  readonly isBroken: boolean;
  /** Compiles functions. @throws the error of `failure` for a source that is not JavaScript */
  open(options: ScriptOptions): ScriptRealm;
}
