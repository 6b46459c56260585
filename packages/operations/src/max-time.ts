import { MongoError, noLimit } from '@tessera/contracts';
import type { Clock, Exchange, Millis } from '@tessera/contracts';

/** The maximum that servers accept, in milliseconds: almost 25 days. */
const maxInt32 = 2_147_483_647;

/**
 * Creates the exchange that appends maxTimeMS: the remaining time of timeoutMS minus the minimum round-trip time. If less than a
 * millisecond remains, the command fails with kind `timeout` and is not sent.
 * Rule: Client Side Operations Timeout, "Command Execution".
 * @param otherwise the value for operations without `maxTime`. `none` is for cursors, which must outlive their commands.
 */
export const createMaxTime = (
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  otherwise: Millis | 'none' = Infinity,
): Exchange => ({
  append(writer, { deadline, server }, { name, maxTime = otherwise }) {
    const left = deadline - clock.now() - server.minRoundTripTime;
    // Servers use whole milliseconds, and 0 means no limit.
    if (left < 1) throw tooLate(name, server.address, left + server.minRoundTripTime, server.minRoundTripTime);
    if (maxTime === 'none' || (maxTime === Infinity && deadline === noLimit)) return;
    writer.int32('maxTimeMS', Math.min(Math.floor(left), maxTime, maxInt32));
  },
  received() {
    // The reply has no field about the time limit.
  },
});

const tooLate = (name: string, address: string, left: number, roundTrip: number): MongoError =>
  new MongoError(
    'timeout',
    `'${name}' was not sent to ${address}: ${milliseconds(left)} of timeoutMS are left, but the minimum round-trip time is ${milliseconds(roundTrip)}.`,
  );

const milliseconds = (duration: number): string => `${Math.max(0, Math.round(duration * 10) / 10)} ms`;
