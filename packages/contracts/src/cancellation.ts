import type { Signal } from './clock.js';

/** A {@link Signal} with a method `abort`. It replaces AbortController, which some hosts do not have. */
export class Cancellation implements Signal {
  /** Whether `abort` was called. */
  aborted: boolean = false;
  /** The argument of `abort`. */
  reason: unknown = undefined;
  private readonly listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  /**
   * Sets `reason` and calls each listener once, except for listeners that an earlier listener removes. If a listener throws, `abort`
   * throws that error and does not call the remaining listeners. Further calls do nothing.
   */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.listeners]) if (this.listeners.delete(listener)) listener();
  }
}
