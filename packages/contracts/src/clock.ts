/** Milliseconds. As a deadline: a point on {@link Clock.now}; `Infinity` is no limit. */
export type Millis = number;

/** The deadline under `timeoutMS: 0`: there is no limit, but the rules of timeoutMS apply. */
export const noLimit: Millis = Number.MAX_VALUE;

/** The value itself when nothing is to be waited for. Never thrown synchronously: a failure is a rejected promise. */
export type Soon<T> = T | Promise<T>;

/** The part of `AbortSignal` that is used: an `AbortSignal` fits. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Monotonic; its zero means nothing. */
  now(): Millis;
  /** Milliseconds since 1970 in UTC, as `Date.now()`. */
  wallTime(): number;
  /**
   * Fires once, never in the same turn. It keeps the process alive, as an open socket does, unless it is in the
   * background: housekeeping, or a limit on what already keeps the process alive.
   */
  startTimer(after: Millis, fire: () => void, options?: { readonly background?: boolean }): Timer;
  /** Resolves after that time. Rejects with the signal's reason when it aborts. */
  sleep(duration: Millis, signal?: Signal): Promise<void>;
}
