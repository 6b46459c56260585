import type { ReadOptions } from '../side.js';

/** What is repeated: one operation on one of the two. */
export interface Work {
  /** The number differs from call to call. A promise is awaited before the next operation of the same loop begins. */
  readonly operate: (number: number, options: ReadOptions) => unknown;
  /** The result of an operation by whole value: equal texts are equal results. */
  readonly text: (result: unknown) => string;
  /** One operation by itself, and everything that can be known of it. */
  readonly verify: () => Promise<string>;
}
