import type { Soon } from '@tessera/contracts';
import type { Call } from '../commands/command.js';
import { fail } from '../errors.js';
import type { Transaction } from './transaction.js';

/** A write outside of transactions has met one that is not decided: it begins anew when that is over. Nothing of it is committed. */
export class Blocked extends Error {
  readonly by: Transaction;

  constructor(by: Transaction) {
    super('A transaction that is under way has written the same');
    this.by = by;
  }
}

/** @throws CommandError 50, 279 */
const ended = ({ engine, client, generic }: Call, { by }: Blocked, deadline: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const { signal } = client.peer;
    const settle = (outcome: () => void) => (): void => {
      forget();
      timer?.cancel();
      signal.removeEventListener('abort', gone);
      outcome();
    };
    const gone = settle(() => {
      reject(fail('ClientDisconnect', 'operation was interrupted because a client disconnected'));
    });
    const late = settle(() => {
      reject(fail('MaxTimeMSExpired', 'operation exceeded time limit'));
    });
    const forget = by.onceEnded(settle(resolve));
    const limited = (generic.maxTimeMS ?? 0) > 0;
    const timer = limited ? engine.clock.startTimer(Math.max(deadline - engine.clock.now(), 0), late) : undefined;
    signal.addEventListener('abort', gone);
  });

/** Does the work again and again until no transaction is in its way. @throws CommandError 50 once `maxTimeMS` is over */
export const unblocked = <T>(call: Call, work: () => Soon<T>): Soon<T> => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    return again(call, work, error);
  }
};

const again = async <T>(call: Call, work: () => Soon<T>, first: Blocked): Promise<T> => {
  const deadline = call.engine.clock.now() + (call.generic.maxTimeMS ?? 0);
  for (let blocked = first; ;) {
    await ended(call, blocked, deadline);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      blocked = error;
    }
  }
};
