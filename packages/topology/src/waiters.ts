import { MongoError, noLimit } from '@tessera/contracts';
import type { Address, Clock, Millis, Request, Server, Timer } from '@tessera/contracts';

/** What a look at the servers gave: one, the reason why there will be none, or nothing yet. */
export type Found = Server | MongoError | undefined;

export interface Waiters {
  /** @param deadline may be Infinity. */
  wait(request: Request<unknown>, at: Address | undefined, deadline: Millis): Promise<Server>;
  /** The servers have changed. Answers whether anyone still waits. */
  serve(): boolean;
  /** Nobody waits any more. */
  failAll(error: () => MongoError): void;
}

interface Waiter {
  readonly request: Request<unknown>;
  readonly at: Address | undefined;
  readonly timer: Timer | undefined;
  readonly onAbort: () => void;
  readonly settle: (outcome: Server | MongoError) => void;
}

export interface WaitersDeps {
  readonly clock: Clock;
  readonly look: (request: Request<unknown>, at: Address | undefined) => Found;
  readonly expired: (request: Request<unknown>, at: Address | undefined, waited: Millis) => MongoError;
  readonly aborted: (request: Request<unknown>) => MongoError;
  /** Told of each that waits no more. */
  readonly settled: (request: Request<unknown>, outcome: Server | MongoError) => void;
}

/**
 * Requests for which no server is suitable, in the order in which they came.
 * Rule: Server Selection, "Server Selection Algorithm", steps 9 to 11.
 */
export const createWaiters = (deps: WaitersDeps): Waiters => {
  const { clock, look, expired, aborted, settled } = deps;
  const waiting = new Set<Waiter>();

  const settle = (waiter: Waiter, outcome: Server | MongoError): void => {
    waiting.delete(waiter);
    waiter.timer?.cancel();
    try {
      waiter.request.signal?.removeEventListener('abort', waiter.onAbort);
    } catch {
      // The others must not wait because of one wrong signal.
    }
    settled(waiter.request, outcome);
    waiter.settle(outcome);
  };

  return {
    wait: (request, at, deadline) =>
      new Promise((resolve, reject) => {
        const since = clock.now();
        const expire = (): void => {
          settle(waiter, expired(request, at, clock.now() - since));
        };
        const waiter: Waiter = {
          request,
          at,
          timer: deadline >= noLimit ? undefined : clock.startTimer(Math.max(0, deadline - since), expire),
          onAbort: () => {
            settle(waiter, aborted(request));
          },
          settle: outcome => {
            if (MongoError.is(outcome)) reject(outcome);
            else resolve(outcome);
          },
        };
        try {
          request.signal?.addEventListener('abort', waiter.onAbort);
        } catch (error) {
          waiter.timer?.cancel();
          throw error;
        }
        waiting.add(waiter);
      }),
    serve() {
      for (const waiter of [...waiting]) {
        const found = look(waiter.request, waiter.at);
        if (found !== undefined) settle(waiter, found);
      }
      return waiting.size > 0;
    },
    failAll(error) {
      for (const waiter of [...waiting]) settle(waiter, error());
    },
  };
};
