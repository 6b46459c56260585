import type { Clock, Exchange, Millis } from '@tessera/contracts';
import { noLimit } from '@tessera/contracts';
import { createMaxTime } from '@tessera/operations';
import type { Call } from '@tessera/operations';
import { MongoInvalidArgumentError } from './errors.js';

/** What goes with every command under timeoutMS. */
export interface TimeLimits {
  /** Adds maxTimeMS to the command. */
  readonly withMaxTime: readonly Exchange[];
  /** Adds none, for a command whose cursor must outlive it. */
  readonly withoutMaxTime: readonly Exchange[];
}

export const createTimeLimits = (deps: { readonly clock: Pick<Clock, 'now'> }): TimeLimits => ({
  withMaxTime: [createMaxTime(deps)],
  withoutMaxTime: [createMaxTime(deps, 'none')],
});

/** What of the driver a time limit needs. */
interface Timing {
  readonly clock: Pick<Clock, 'now'>;
  readonly timeLimits: TimeLimits;
}

/** @throws MongoInvalidArgumentError unless it can be waited for so long. */
export const checkTimeoutMS = (timeoutMS: unknown): void => {
  if (typeof timeoutMS === 'number' && Number.isSafeInteger(timeoutMS) && timeoutMS >= 0) return;
  const given = typeof timeoutMS === 'number' ? String(timeoutMS) : kindOf(timeoutMS);
  throw new MongoInvalidArgumentError(
    `timeoutMS must be a whole number of milliseconds, or 0 for no limit, not ${given}.`,
  );
};

const kindOf = (value: unknown): string =>
  value === null ? 'null: once there is a limit it can be changed, but not taken away' : `of the type ${typeof value}`;

/** The time of an operation that begins now. @throws MongoInvalidArgumentError unless it can be waited for so long. */
export const deadlineOf = ({ clock }: Pick<Timing, 'clock'>, timeoutMS: number): Millis => {
  checkTimeoutMS(timeoutMS);
  return timeoutMS === 0 ? noLimit : clock.now() + timeoutMS;
};

/**
 * Returns the call of an operation that begins now and may take `timeoutMS`. Rule: Client Side Operations Timeout.
 * @param shared the deadline of a withTransaction that it is part of
 * @throws MongoInvalidArgumentError unless it can be waited for so long.
 */
export const timedCall = (
  driver: Timing,
  { session, signal }: Pick<Call, 'session' | 'signal'>,
  timeoutMS: number | undefined,
  shared?: Millis,
): Call => {
  if (shared !== undefined) {
    const renew = (): Millis => shared;
    return { session, signal, deadline: shared, renew, exchanges: driver.timeLimits.withMaxTime, timeoutMS };
  }
  if (timeoutMS === undefined) return { session, signal };
  const renew = (): Millis => deadlineOf(driver, timeoutMS);
  return { session, signal, deadline: renew(), renew, exchanges: driver.timeLimits.withMaxTime, timeoutMS };
};
