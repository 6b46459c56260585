import type { Clock, Millis } from '@tessera/contracts';
import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';

/** How long a command runs before it yields to others, where it can. */
const slice: Millis = 10;

/** The number of steps between two reads of the clock. */
const grain = 1_000;

/** The number of documents between two reads of the clock, however cheap they are. */
const documents = 16;

/** The number of steps that a command may take for a single document. */
export const maxSteps = 5_000_000;

/** Returns whether the error means that a command exceeded its time limit. */
export const isOver = ({ codeName }: CommandError): boolean => codeName === 'MaxTimeMSExpired';

// The state of the running command. Commands run one after the other, so there is only one. A module variable spares
// every function from passing the meter down to the innermost expression.
let clock: Clock | undefined;
let deadline: Millis = Number.POSITIVE_INFINITY;
/** The end of the time slice. Undefined until the first read of the clock: most commands never read it. */
let sliceEnd: Millis | undefined;
let due = false;
/** The number of steps until the next read of the clock. */
let left = grain;
/** The number of steps up to the last read of the clock. */
let total = 0;
/** The number of steps at the start of the current document. */
let mark = 0;

const look = (): void => {
  total += grain - left;
  left = grain;
  // Work outside a command has no time limit.
  if (clock === undefined) return;
  if (total - mark > maxSteps) {
    throw fail(
      'MaxTimeMSExpired',
      `operation exceeded time limit: it takes more than ${maxSteps} steps for one document`,
    );
  }
  const now = clock.now();
  if (now >= deadline) throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
  sliceEnd ??= now + slice;
  if (now >= sliceEnd) due = true;
};

/**
 * Counts steps of the running command. One step takes about 100 ns.
 * @throws CommandError 50 if the command exceeds its time limit, or takes too many steps for one document
 */
export const spend = (steps: number): void => {
  left -= steps;
  if (left <= 0) look();
};

/** Returns the steps for sorting so many values. Expensive comparisons count their own steps in addition. */
export const stepsOfSorting = (values: number): number =>
  values < 2 ? 0 : Math.ceil((values * Math.log2(values)) / 2);

/**
 * Returns whether the command should yield to others. Call it between two documents.
 * @throws CommandError 50 if the command exceeds its time limit
 */
export const isDue = (): boolean => {
  mark = total + grain - left;
  spend(grain / documents);
  return due;
};

/**
 * Starts the next document of a command that does not yield.
 * @throws CommandError 50 if the command exceeds its time limit
 */
export const nextDocument = (): void => {
  isDue();
};

/**
 * Runs a command's work until it ends or yields.
 * @param until the time at which the command exceeds its limit
 */
export const metered = <T>(by: Clock, until: Millis, work: () => T): T => {
  const [outerClock, outerDeadline, outerEnd, outerDue] = [clock, deadline, sliceEnd, due];
  clock = by;
  deadline = until;
  sliceEnd = undefined;
  due = false;
  mark = total + grain - left;
  try {
    return work();
  } finally {
    clock = outerClock;
    deadline = outerDeadline;
    sliceEnd = outerEnd;
    due = outerDue;
  }
};
