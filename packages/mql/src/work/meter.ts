import type { Clock, Millis } from '@tessera/contracts';
import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';

/** How long a command works before it gives way to others, where it can. */
const slice: Millis = 10;

/** Steps between two glances at the clock. */
const grain = 1_000;

/** Documents between two glances at the clock, whatever they cost. */
const documents = 16;

/** Steps that a command may take for a single document. */
export const mostSteps = 5_000_000;

/** Whether it says that the time of a command is over. */
export const isOver = ({ codeName }: CommandError): boolean => codeName === 'MaxTimeMSExpired';

// Of the command in hand: commands work one after the other, so that there is never more than one, and what it computes is far too
// deep below it for each function on the way to be handed the meter.
let clock: Clock | undefined;
let deadline: Millis = Number.POSITIVE_INFINITY;
/** Unknown before the first glance at the clock: most commands never take one. */
let sliceEnd: Millis | undefined;
let due = false;
/** Steps before the next glance. */
let left = grain;
/** Steps up to the last glance. */
let total = 0;
/** As many steps had been taken when the document began. */
let mark = 0;

const look = (): void => {
  total += grain - left;
  left = grain;
  // What no command has asked for has all the time that it needs.
  if (clock === undefined) return;
  if (total - mark > mostSteps) {
    throw fail(
      'MaxTimeMSExpired',
      `operation exceeded time limit: it takes more than ${mostSteps} steps for one document`,
    );
  }
  const now = clock.now();
  if (now >= deadline) throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
  sliceEnd ??= now + slice;
  if (now >= sliceEnd) due = true;
};

/**
 * The command in hand has computed something: about 100 ns are one step.
 * @throws CommandError 50 when its time is over, or when it computes too long for one document
 */
export const spend = (steps: number): void => {
  left -= steps;
  if (left <= 0) look();
};

/** Of values of which each is compared with some others; what dear comparisons cost they count themselves. */
export const stepsOfSorting = (values: number): number =>
  values < 2 ? 0 : Math.ceil((values * Math.log2(values)) / 2);

/** Between two documents: whether it is time to give way to others. @throws CommandError 50 when its time is over */
export const isDue = (): boolean => {
  mark = total + grain - left;
  spend(grain / documents);
  return due;
};

/** Another document begins, of a command that does not give way. @throws CommandError 50 when its time is over */
export const nextDocument = (): void => {
  isDue();
};

/** Does work of a command up to its end, or up to where it gives way. @param until when its time is over */
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
