import type { Clock, Millis, Signal, Soon } from '@tessera/contracts';

export interface Waiting {
  readonly clock: Clock;
  /** Aborted when the client is gone. Ends the wait. */
  readonly signal?: Signal;
  /** The maximum time to wait, in milliseconds; `Infinity` for no limit. */
  readonly within: Millis;
  /** Calls `wake` once, when the condition may have changed. Returns a function that cancels the callback. */
  readonly once: (wake: () => void) => () => void;
}

/** `there`: the condition holds; `late`: the time is over; `gone`: the signal was aborted. */
export type Waited = 'there' | 'late' | 'gone';

/** Waits until a condition holds. It is checked at once, whenever it may have changed, and when the time is over. */
export const waitUntil = (holds: () => boolean, { clock, signal, within, once }: Waiting): Soon<Waited> => {
  if (holds()) return 'there';
  if (signal?.aborted === true) return 'gone';
  return new Promise(resolve => {
    const end = (how: Waited): void => {
      forget();
      timer?.cancel();
      signal?.removeEventListener('abort', gone);
      resolve(how);
    };
    const gone = (): void => end('gone');
    const look = (): void => {
      forget();
      if (holds()) end('there');
      else forget = once(look);
    };
    let forget = once(look);
    const timer =
      within === Number.POSITIVE_INFINITY
        ? undefined
        : clock.startTimer(Math.max(0, within), () => end(holds() ? 'there' : 'late'));
    signal?.addEventListener('abort', gone);
  });
};
