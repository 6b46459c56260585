import type { Clock, Millis } from '@tessera/contracts';
import type { Agenda } from './agenda.js';

const untilSignal = (clock: Clock, duration: Millis, signal: Parameters<Clock['sleep']>[1]): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const aborted = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', aborted);
      reject(signal?.reason);
    };
    const timer = clock.startTimer(duration, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    signal?.addEventListener('abort', aborted);
  });

/** Returns a clock of virtual time, which only the world advances. A timer of Infinity never fires and is not kept. */
export const createClock = (agenda: Agenda, options: { wallTime(): number; label(): string }): Clock => {
  const clock: Clock = {
    now: agenda.now,
    wallTime: () => Math.floor(options.wallTime() + agenda.now()),
    startTimer: (after, fire) => {
      if (after === Infinity) return { cancel: () => undefined };
      const label = options.label();
      return agenda.add(agenda.now() + Math.max(0, after), 'timer', () => `timer${label}`, fire);
    },
    sleep: (duration, signal) => untilSignal(clock, duration, signal),
  };
  return clock;
};
