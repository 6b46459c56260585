import { noLimit } from './clock.js';
import type { Clock, Millis, Signal, Timer } from './clock.js';

/** What may end a wait, besides what is waited for. */
export interface WaitLimits {
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  /** On {@link Clock.now}; `noLimit` and more is no limit. */
  readonly deadline: Millis;
  readonly signal?: Signal | undefined;
  /** Of the client: {@link Deployment.closing}. */
  readonly closing?: Signal | undefined;
}

export type WaitEnd = 'expired' | 'aborted' | 'closed';

/**
 * Calls `ended` once, when the deadline passes or a signal aborts, whichever is first; at once if a signal has aborted already.
 * The returned function stops watching: call it when the wait has ended otherwise.
 * @throws what the signal throws, if it is no proper one; then nothing is watched
 */
export const limitWait = (limits: WaitLimits, ended: (why: WaitEnd) => void): (() => void) => {
  const { deadline, signal, closing } = limits;
  const isLimited = deadline < noLimit || signal !== undefined || closing !== undefined;
  return isLimited ? watch(limits, ended) : nothingToStop;
};

/** For a wait without limits, which costs no closure. */
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
      // A signal that throws must not keep the operation waiting.
    }
  };
  const end = (why: WaitEnd): void => {
    stopWatching();
    ended(why);
  };
  const abort = (): void => {
    end('aborted');
  };
  const close = (): void => {
    end('closed');
  };
  if (signal?.aborted === true || closing?.aborted === true) {
    ended(signal?.aborted === true ? 'aborted' : 'closed');
    return stopWatching;
  }
  // The signal first: if it throws, there is nothing else to undo.
  signal?.addEventListener('abort', abort);
  closing?.addEventListener('abort', close);
  if (deadline < noLimit)
    timer = clock.startTimer(Math.max(0, deadline - clock.now()), () => {
      end('expired');
    });
  return stopWatching;
};

/**
 * Settles as the work does, or rejects with the error that `ended` returns when a limit ends the wait first. The work
 * continues, and its outcome is ignored. If the signal throws, rejects with the thrown error; the outcome is ignored as well.
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
