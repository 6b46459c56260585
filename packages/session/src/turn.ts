import { MongoError, noLimit } from '@tessera/contracts';
import type { Clock, Operation, Request } from '@tessera/contracts';

/** A request, as far as it waits. */
interface Waiting extends Pick<Request<unknown>, 'deadline' | 'signal'> {
  readonly operation: Pick<Operation<unknown>, 'name'>;
}

/**
 * Until the connection that a transaction keeps is free, but no longer than the operation may take.
 * Rule: Client Side Operations Timeout, "Blocking Sections for Operation Execution".
 * @throws MongoError `timeout`, `aborted`: nothing was sent.
 */
export const turnOf = ({ operation, deadline, signal }: Waiting, free: Promise<void>, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      timer?.cancel();
      try {
        signal?.removeEventListener('abort', abort);
      } catch {
        // A signal that throws must not keep the operation waiting.
      }
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
    try {
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort);
    } catch (error) {
      timer?.cancel();
      throw error;
    }
    void free.then(() => {
      leave();
      resolve();
    });
  });
