import type { Clock, Exchange, Millis } from '@tessera/contracts';
import { noLimit } from '@tessera/contracts';
import { createMaxTime } from '@tessera/operations';
import type { Call } from '@tessera/operations';
import { MongoInvalidArgumentError } from './errors.js';

/** The exchanges that are added to every command with timeoutMS. */
export interface TimeLimits {
  /** Adds maxTimeMS to the command. */
  readonly withMaxTime: readonly Exchange[];
  /** Adds no maxTimeMS, for a command whose cursor must outlive it. */
  readonly withoutMaxTime: readonly Exchange[];
}

export const createTimeLimits = (deps: { readonly clock: Pick<Clock, 'now'> }): TimeLimits => ({
  withMaxTime: [createMaxTime(deps)],
  withoutMaxTime: [createMaxTime(deps, 'none')],
});

/** The members of the driver that a time limit uses. */
interface Timing {
  readonly clock: Pick<Clock, 'now'>;
  readonly timeLimits: TimeLimits;
}

/** @throws MongoInvalidArgumentError unless timeoutMS is a valid duration */
export const checkTimeoutMS = (timeoutMS: unknown): void => {
  if (typeof timeoutMS === 'number' && Number.isSafeInteger(timeoutMS) && timeoutMS >= 0) return;
  const given = typeof timeoutMS === 'number' ? String(timeoutMS) : kindOf(timeoutMS);
  throw new MongoInvalidArgumentError(
    `"timeoutMS" must be a whole number of milliseconds, or 0 for no limit, but is ${given}.`,
  );
};

const kindOf = (value: unknown): string => (value === null ? 'null' : `of the type ${typeof value}`);

/** Returns the deadline of an operation that begins now. @throws MongoInvalidArgumentError for an invalid timeoutMS */
export const deadlineOf = ({ clock }: Pick<Timing, 'clock'>, timeoutMS: number): Millis => {
  checkTimeoutMS(timeoutMS);
  return timeoutMS === 0 ? noLimit : clock.now() + timeoutMS;
};

/**
 * Returns the call of an operation that begins now and may take `timeoutMS`. Rule: Client Side Operations Timeout.
 * @param shared the deadline of the surrounding withTransaction
 * @throws MongoInvalidArgumentError for an invalid timeoutMS
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
