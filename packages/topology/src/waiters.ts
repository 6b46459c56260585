import { limitWait, MongoError } from '@tessera/contracts';
import type { Address, Clock, Millis, Request, Server } from '@tessera/contracts';

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
  /** Stops watching its time and its signal. */
  leave: () => void;
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
    waiter.leave();
    settled(waiter.request, outcome);
    waiter.settle(outcome);
  };

  return {
    wait: (request, at, deadline) =>
      new Promise((resolve, reject) => {
        const since = clock.now();
        const waiter: Waiter = {
          request,
          at,
          leave: () => undefined,
          settle: outcome => {
            if (MongoError.is(outcome)) reject(outcome);
            else resolve(outcome);
          },
        };
        waiting.add(waiter);
        try {
          waiter.leave = limitWait({ clock, deadline, signal: request.signal }, why => {
            settle(waiter, why === 'aborted' ? aborted(request) : expired(request, at, clock.now() - since));
          });
        } catch (error) {
          waiting.delete(waiter);
          throw error;
        }
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
