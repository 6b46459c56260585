import type { ReadOptions } from '../side.js';

/** An operation of one driver that is repeated and measured. */
export interface Work {
  /** Runs the operation. The number differs in each call. */
  readonly operate: (number: number, options: ReadOptions) => unknown;
  /** Creates the input of an operation. Its cost is subtracted. */
  readonly making?: (number: number) => unknown;
  /** Whether operations return promises, so that several can run concurrently. */
  readonly asynchronous: boolean;
  /** Returns the part of a result that must be equal in both drivers: all except generated ids. */
  readonly outcome: (result: unknown) => unknown;
  /** Runs one operation and returns everything that can be compared. */
  readonly verify: () => Promise<unknown>;
}
