import type { ReadOptions } from '../side.js';

/** What is repeated: one operation on one of the two. */
export interface Work {
  /** The number differs from call to call. */
  readonly operate: (number: number, options: ReadOptions) => unknown;
  /** What the application does for each operation before the driver is asked: its cost is taken off. */
  readonly making?: (number: number) => unknown;
  /** Whether operations are promises, of which many may be in flight. */
  readonly asynchronous: boolean;
  /** What of an operation's result must be equal on both sides: all of it but new ids. */
  readonly outcome: (result: unknown) => unknown;
  /** One operation by itself, and everything that can be known of it. */
  readonly verify: () => Promise<unknown>;
}
