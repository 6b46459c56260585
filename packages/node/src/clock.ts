import { limitWait } from '@tessera/contracts';
import type { Clock, Millis, Signal, Timer } from '@tessera/contracts';

/** The longest timer of Node.js, which counts milliseconds in 31 bits. A longer one would fire at once. */
const LONGEST = 2 ** 31 - 1;

const now = (): Millis => performance.now();

/**
 * Starts a timer that never fires before its time by {@link Clock.now}. The timers of Node.js use a coarser clock and
 * may fire a millisecond early, so that a caller that compares deadlines would have to wait again.
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

/** The system's clock. */
export const hostClock: Clock = {
  now,
  wallTime: () => Date.now(),
  startTimer,
  sleep,
};
