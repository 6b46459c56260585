/**
 * Milliseconds: a duration, or a point in time on {@link Clock.now}. As the deadline of an operation, `Infinity` means that
 * timeoutMS is not set.
 */
export type Millis = number;

/**
 * The deadline of an operation with `timeoutMS: 0`. Only serverSelectionTimeoutMS and connectTimeoutMS still apply. It is less than Infinity, which is the deadline without
 * timeoutMS. Finite deadlines replace the older time limits, such as socketTimeoutMS. Rule: Client Side Operations Timeout.
 */
export const noLimit: Millis = Number.MAX_VALUE;

/**
 * A result that is available now, or a promise of it. A function that returns `Soon` does not throw synchronously: it
 * reports a failure with a rejected promise.
 */
export type Soon<T> = T | Promise<T>;

/** The subset of `AbortSignal` that the driver uses. Any `AbortSignal` is a `Signal`. */
export interface Signal {
  /** Whether the operation shall end. */
  readonly aborted: boolean;
  /** The value that `abort` was called with; undefined before. */
  readonly reason: unknown;
  /** The listener is called once, when the signal aborts; never if the signal has already aborted. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Removes a listener, which is then not called. Does nothing if the signal does not have the listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A timer that was started. */
export interface Timer {
  /** Prevents the callback. Does nothing if the timer has fired or was canceled. */
  cancel(): void;
}

/** The only source of time in the driver. `@tessera/sim` implements it with simulated time. */
export interface Clock {
  /** Returns a monotonic time in milliseconds, for deadlines and durations. Its zero point has no meaning. */
  now(): Millis;
  /** Returns the milliseconds since 1970-01-01 UTC, like `Date.now()`. */
  wallTime(): number;
  /**
   * Calls `fire` once, after `after` milliseconds and never in the same turn of the event loop. Never calls it before `now()` has
   * advanced by `after`. Must support every duration, including those above 2^31 - 1; with `Infinity`, the timer never fires.
   *
   * A timer keeps the process alive, as an open socket does, unless `background` is true. Use background timers for periodic tasks,
   * and for time limits on work that itself keeps the process alive, such as an open socket.
   */
  startTimer(after: Millis, fire: () => void, options?: { readonly background?: boolean }): Timer;
  /** Resolves after this duration in milliseconds. Rejects with the signal's reason if the signal aborts first. */
  sleep(duration: Millis, signal?: Signal): Promise<void>;
}
