import type { Millis } from '@tessera/contracts';
import { spend as took } from '../work/meter.js';
import { failure } from './failure.js';

/** The maximum number of steps of one evaluation. Evaluating a syntax node or visiting an element is a step. */
export const maxSteps = 100_000;

/** The maximum depth of nested nodes and calls. */
const deepest = 800;

/** The maximum length of a string in UTF-16 code units. */
const longestString = 1024 * 1024;

/** The limits of one evaluation. */
export class Budget {
  readonly sleep: (duration: Millis) => void;
  #left = maxSteps;
  #depth = 0;

  constructor(sleep: (duration: Millis) => void) {
    this.sleep = sleep;
  }

  /**
   * Counts steps.
   * @throws CommandError 139 if there are too many
   */
  spend(steps = 1): void {
    this.#left -= steps;
    took(steps);
    if (this.#left < 0) throw failure('InternalError', `the script takes more than ${maxSteps} steps for one document`);
  }

  /**
   * Enters a nested node or call.
   * @throws CommandError 139 if they are nested too deep
   */
  enter(): void {
    this.spend();
    this.#depth += 1;
    if (this.#depth > deepest) throw failure('InternalError', 'too much recursion');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /**
   * Returns the string.
   * @throws CommandError 139 if it is too long
   */
  text(made: string): string {
    if (made.length > longestString) {
      throw failure('RangeError', `a string has more than ${longestString} characters`);
    }
    this.spend(made.length >>> 8);
    return made;
  }
}
