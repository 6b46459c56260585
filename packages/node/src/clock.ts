import { limitWait } from '@tessera/contracts';
import type { Clock, Millis, Signal, Timer } from '@tessera/contracts';

/** Node.js counts a timer's milliseconds in 31 bits; a longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

const now = (): Millis => performance.now();

/**
 * A timer that never fires before its time by {@link Clock.now}: those of Node.js run on a coarser clock and may be a
 * millisecond early, which would make whoever compares deadlines wait in vain.
 */
const startTimer: Clock['startTimer'] = (after, fire, { background = false } = {}): Timer => {
  let handle: NodeJS.Timeout | undefined;
  if (after === Infinity) return { cancel: () => undefined };
  const due = now() + after;
  const arm = (wait: Millis): void => {
    handle = setTimeout(check, Math.min(Math.ceil(wait), LONGEST));
    if (background) handle.unref();
  };
  const check = (): void => {
    const left = due - now();
    if (left > 0) arm(left);
    else fire();
  };
  arm(after);
  return { cancel: () => clearTimeout(handle) };
};

const sleep = (duration: Millis, signal?: Signal): Promise<void> =>
  new Promise((resolve, reject) => {
    limitWait({ clock: { now, startTimer }, deadline: now() + duration, signal }, why => {
      if (why === 'expired') resolve();
      else reject(signal?.reason);
    });
  });

/** Real time. */
export const hostClock: Clock = {
  now,
  wallTime: () => Date.now(),
  startTimer,
  sleep,
};
