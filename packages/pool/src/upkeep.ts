import type { Clock, Millis, Timer } from '@tessera/contracts';

/** After a connection for minPoolSize could not be opened, or broke while it lay idle: not again at once, and ever later. */
const firstPause: Millis = 100;
const longestPause: Millis = 10_000;

export interface UpkeepDeps {
  readonly clock: Clock;
  /** Closes what has been idle for too long; answers since when the oldest that is left has been, if there is one. */
  readonly closeIdle: () => Millis | undefined;
  readonly populate: () => void;
}

/**
 * The work in the background: a timer is running only while there is something that it will have to do.
 * Rule: CMAP, "Background Thread".
 */
export interface Upkeep {
  /** A connection lies idle since then. */
  idle(since: Millis): void;
  /** True while minPoolSize has to wait after failures. */
  readonly pausing: boolean;
  populateFailed(): void;
  populateSucceeded(): void;
  stop(): void;
}

export const createUpkeep = (
  { clock, closeIdle, populate }: UpkeepDeps,
  options: { maxIdleTimeMS: Millis },
): Upkeep => {
  const { maxIdleTimeMS } = options;
  let sweep: Timer | undefined;
  let pause: Timer | undefined;
  let failures = 0;

  const schedule = (oldest: Millis | undefined): void => {
    if (oldest === undefined || maxIdleTimeMS === 0 || sweep !== undefined) return;
    sweep = clock.startTimer(oldest + maxIdleTimeMS - clock.now(), () => {
      sweep = undefined;
      schedule(closeIdle());
    });
  };

  return {
    idle: schedule,
    get pausing() {
      return pause !== undefined;
    },
    populateFailed: () => {
      if (pause !== undefined) return;
      pause = clock.startTimer(Math.min(longestPause, firstPause * 2 ** failures), () => {
        pause = undefined;
        populate();
      });
      failures += 1;
    },
    populateSucceeded: () => {
      failures = 0;
    },
    stop: () => {
      sweep?.cancel();
      pause?.cancel();
      sweep = undefined;
      pause = undefined;
      failures = 0;
    },
  };
};
