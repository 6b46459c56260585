import type { Clock, Millis, Timer } from '@tessera/contracts';

/** The wait before the next attempt to reach minPoolSize after a failed or broken connection. It doubles with each failure. */
const firstPause: Millis = 100;
const longestPause: Millis = 10_000;

/** The dependencies of the background work. */
export interface UpkeepDeps {
  readonly clock: Clock;
  /** Closes connections that were idle for maxIdleTimeMS. Returns the start of the longest remaining idle time, or undefined. */
  readonly closeIdle: () => Millis | undefined;
  /** Opens connections to reach minPoolSize. */
  readonly populate: () => void;
}

/**
 * The background work of a pool: closes idle connections and delays attempts to reach minPoolSize. Runs a timer only while there is
 * something to do.
 * Rule: CMAP, "Background Thread".
 */
export interface Upkeep {
  /** Called when a connection becomes idle. */
  idle(since: Millis): void;
  /** Whether attempts to reach minPoolSize must wait after a failure. */
  readonly pausing: boolean;
  /** Starts the wait after a failed or broken connection, unless it has started. */
  populateFailed(): void;
  /** Resets the wait to its initial length. */
  populateSucceeded(): void;
  /** Cancels all timers and resets the wait. */
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
