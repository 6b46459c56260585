import { noLimit } from './clock.js';
import type { Clock, Millis, Signal, Timer } from './clock.js';

/** The limits of a wait: a deadline, the caller's signal, and the closing of the client. */
export interface WaitLimits {
  /** Schedules the deadline. */
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  /** A point in time on {@link Clock.now}. {@link noLimit} and greater values mean no limit. */
  readonly deadline: Millis;
  /** The caller's signal. */
  readonly signal?: Signal | undefined;
  /** Aborts when the client closes: {@link Deployment.closing}. */
  readonly closing?: Signal | undefined;
}

/** The limit that ended a wait. `expired`: the deadline passed. `aborted`: `signal` aborted. `closed`: `closing` aborted. */
export type WaitEnd = 'expired' | 'aborted' | 'closed';

/**
 * Calls `ended` once, when the deadline passes or a signal aborts. If a signal has already aborted, calls `ended` before
 * it returns. Returns a function that stops watching the limits; call it when the wait ends for another reason.
 * @throws the error that `signal` throws when it is read or listened to, if the user passed a faulty signal; then no limit applies
 */
export const limitWait = (limits: WaitLimits, ended: (why: WaitEnd) => void): (() => void) => {
  const { deadline, signal, closing } = limits;
  const isLimited = deadline < noLimit || signal !== undefined || closing !== undefined;
  return isLimited ? watch(limits, ended) : nothingToStop;
};

/** The function returned for a wait without limits. It is shared, so that such a wait allocates nothing. */
const nothingToStop = (): void => {};

const watch = (limits: WaitLimits, ended: (why: WaitEnd) => void): (() => void) => {
  const { clock, deadline, signal, closing } = limits;
  let timer: Timer | undefined;
  let isWatching = true;
  const stopWatching = (): void => {
    if (!isWatching) return;
    isWatching = false;
    timer?.cancel();
    closing?.removeEventListener('abort', close);
    try {
      signal?.removeEventListener('abort', abort);
    } catch {
      // A user's signal that throws must not prevent the end of the wait.
    }
  };
  const end = (why: WaitEnd): void => {
    stopWatching();
    ended(why);
  };
  const abort = (): void => end('aborted');
  const close = (): void => end('closed');
  if (signal?.aborted === true || closing?.aborted === true) {
    ended(signal?.aborted === true ? 'aborted' : 'closed');
    return stopWatching;
  }
  // The user's signal comes first: if it throws, there is nothing else to undo.
  signal?.addEventListener('abort', abort);
  closing?.addEventListener('abort', close);
  if (deadline < noLimit) timer = clock.startTimer(Math.max(0, deadline - clock.now()), () => end('expired'));
  return stopWatching;
};

/**
 * Resolves or rejects like `work`. If a limit ends the wait first, rejects with the error that `ended` returns; the work continues,
 * and its outcome is ignored. If the user's signal throws, rejects with the thrown error and also ignores the outcome.
 */
export const waitFor = <T>(work: Promise<T>, limits: WaitLimits, ended: (why: WaitEnd) => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    let stopWatching = nothingToStop;
    // Before `limitWait`: if the signal throws, a later rejection of the work must not be unhandled.
    work.then(
      value => {
        stopWatching();
        resolve(value);
      },
      (error: unknown) => {
        stopWatching();
        reject(error);
      },
    );
    stopWatching = limitWait(limits, why => {
      reject(ended(why));
    });
  });
