import { MongoError, noLimit } from '@tessera/contracts';
import type { Clock, Request } from '@tessera/contracts';

/**
 * Until the connection that a transaction keeps is free, but no longer than the operation may take.
 * Rule: Client Side Operations Timeout, "Blocking Sections for Operation Execution".
 * @throws MongoError `timeout`, `aborted`: nothing was sent.
 */
export const turnOf = (
  { operation, deadline, signal }: Request<unknown>,
  free: Promise<void>,
  clock: Clock,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      timer?.cancel();
      signal?.removeEventListener('abort', abort);
    };
    const fail = (kind: 'timeout' | 'aborted', how: string, cause?: unknown): void => {
      leave();
      const message = `${operation.name} ${how} while it waited for an earlier operation of its transaction.`;
      reject(new MongoError(kind, message, { cause, origin: { phase: 'checkOut', sent: false } }));
    };
    const abort = (): void => {
      fail('aborted', 'was aborted by its signal', signal?.reason);
    };
    const expire = (): void => {
      fail('timeout', 'ran out of time');
    };
    const timer = deadline >= noLimit ? undefined : clock.startTimer(Math.max(0, deadline - clock.now()), expire);
    if (signal?.aborted === true) return abort();
    signal?.addEventListener('abort', abort);
    void free.then(() => {
      leave();
      resolve();
    });
  });
