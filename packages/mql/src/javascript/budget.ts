import type { Millis } from '@tessera/contracts';
import { spend as took } from '../work/meter.js';
import { failure } from './failure.js';

/** Steps of one evaluation. A step is a node of the program that is looked at, or an element that is. */
export const mostSteps = 100_000;

/** Nodes within nodes and calls within calls, of one evaluation. */
const deepest = 800;

/** UTF-16 code units of one string. */
const longestString = 1024 * 1024;

/** What one evaluation may use up. */
export class Budget {
  readonly sleep: (duration: Millis) => void;
  #left = mostSteps;
  #depth = 0;

  constructor(sleep: (duration: Millis) => void) {
    this.sleep = sleep;
  }

  /** @throws CommandError 139 */
  spend(steps = 1): void {
    this.#left -= steps;
    took(steps);
    if (this.#left < 0)
      throw failure('InternalError', `the script takes more than ${mostSteps} steps for one document`);
  }

  /** @throws CommandError 139 */
  enter(): void {
    this.spend();
    this.#depth += 1;
    if (this.#depth > deepest) throw failure('InternalError', 'too much recursion');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** The text, if it is not too long. @throws CommandError 139 */
  text(made: string): string {
    if (made.length > longestString) {
      throw failure('RangeError', `a string would have more than ${longestString} characters`);
    }
    this.spend(made.length >>> 8);
    return made;
  }
}
