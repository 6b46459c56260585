import { MongoError, noLimit } from '@tessera/contracts';
import type { Clock, Exchange, Millis } from '@tessera/contracts';

/** The greatest that servers take: a little less than 25 days. */
const maxInt32 = 2_147_483_647;

/**
 * Tells the server how long it may work: what is left of timeoutMS, without the time that the answer needs on its way. Where
 * nothing would be left to work in, nothing is sent. Rule: Client Side Operations Timeout, "Command Execution".
 * @param otherwise what holds for an operation that says nothing: `none` is for a cursor's, which must outlive its commands.
 */
export const createMaxTime = (
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  otherwise: Millis | 'none' = Infinity,
): Exchange => ({
  append(writer, { deadline, server }, { name, maxTime = otherwise }) {
    const left = deadline - clock.now() - server.minRoundTripTime;
    // The server counts in whole milliseconds, and 0 would be no limit.
    if (left < 1) throw tooLate(name, server.address, left + server.minRoundTripTime, server.minRoundTripTime);
    if (maxTime === 'none' || (maxTime === Infinity && deadline === noLimit)) return;
    writer.int32('maxTimeMS', Math.min(Math.floor(left), maxTime, maxInt32));
  },
  received() {
    // What the server says of its time comes as an error of the command.
  },
});

const tooLate = (name: string, address: string, left: number, roundTrip: number): MongoError =>
  new MongoError(
    'timeout',
    `'${name}' was not sent to ${address}: ${milliseconds(left)} of timeoutMS are left, and the way there and back alone takes ${milliseconds(roundTrip)}`,
  );

const milliseconds = (duration: number): string => `${Math.max(0, Math.round(duration * 10) / 10)} ms`;
