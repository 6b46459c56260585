import { MongoError, waitFor } from '@tessera/contracts';
import type { Clock, Operation, Request } from '@tessera/contracts';

/** The part of a request that a wait needs. */
interface Waiting extends Pick<Request<unknown>, 'deadline' | 'signal'> {
  readonly operation: Pick<Operation<unknown>, 'name'>;
}

/**
 * Waits until the transaction's connection is free, at most until the operation's deadline.
 * Rule: Client Side Operations Timeout, "Blocking Sections for Operation Execution".
 * @throws MongoError `timeout` or `aborted`; nothing was sent
 */
export const waitForTransaction = (
  { operation, deadline, signal }: Waiting,
  free: Promise<void>,
  clock: Clock,
): Promise<void> =>
  waitFor(free, { clock, deadline, signal }, why => {
    const failed = (kind: 'timeout' | 'aborted', how: string, cause?: unknown): MongoError => {
      const message = `${operation.name} ${how} while it waited for an earlier operation of its transaction.`;
      return new MongoError(kind, message, { cause, origin: { phase: 'checkOut', sent: false } });
    };
    if (why === 'aborted') return failed('aborted', 'was aborted by its signal', signal?.reason);
    return failed('timeout', 'timed out');
  });
