import { limitWait, MongoError } from '@tessera/contracts';
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
    const fail = (kind: 'timeout' | 'aborted', how: string, cause?: unknown): void => {
      const message = `${operation.name} ${how} while it waited for an earlier operation of its transaction.`;
      reject(new MongoError(kind, message, { cause, origin: { phase: 'checkOut', sent: false } }));
    };
    const leave = limitWait({ clock, deadline, signal }, why => {
      if (why === 'aborted') fail('aborted', 'was aborted by its signal', signal?.reason);
      else fail('timeout', 'ran out of time');
    });
    void free.then(() => {
      leave();
      resolve();
    });
  });
