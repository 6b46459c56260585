import type { Clock, Millis, Signal, Soon } from '@tessera/contracts';

export interface Waiting {
  readonly clock: Clock;
  /** Of whoever waits: once it is aborted nobody does. */
  readonly signal?: Signal;
  /** How long at most; `Infinity`: for ever. */
  readonly within: Millis;
  /** Calls back once, when it is worth to look again. Returns the way to take that back. */
  readonly once: (wake: () => void) => () => void;
}

/** `late`: the time is over; `gone`: nobody waits any more. */
export type Waited = 'there' | 'late' | 'gone';

/** Waits until something holds: it is looked at now, whenever it may have changed, and when the time is over. */
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
