import { limitWait, MongoError } from '@tessera/contracts';
import type { Address, Clock, Millis, Request, Server } from '@tessera/contracts';

/** A suitable server, the error that makes waiting pointless, or undefined while no server is suitable. */
export type SelectionOutcome = Server | MongoError | undefined;

export interface SelectionQueue {
  /** Waits for a suitable server. @param deadline may be Infinity */
  wait(request: Request<unknown>, at: Address | undefined, deadline: Millis): Promise<Server>;
  /**
   * Tries to select a server for each waiting request. Called when the servers have changed. Returns whether any
   * request still waits.
   */
  serve(): boolean;
  /** Fails all waiting requests. */
  failAll(error: () => MongoError): void;
}

interface QueuedRequest {
  readonly request: Request<unknown>;
  readonly at: Address | undefined;
  /** Stops watching the deadline and the signal. */
  leave: () => void;
  readonly settle: (outcome: Server | MongoError) => void;
  readonly reject: (error: unknown) => void;
}

export interface SelectionQueueDeps {
  readonly clock: Clock;
  readonly trySelect: (request: Request<unknown>, at: Address | undefined) => SelectionOutcome;
  readonly expired: (request: Request<unknown>, at: Address | undefined, waited: Millis) => MongoError;
  readonly aborted: (request: Request<unknown>) => MongoError;
  /** Called with each request that has stopped waiting. */
  readonly settled: (request: Request<unknown>, outcome: Server | MongoError) => void;
}

/**
 * Returns a queue of requests for which no server is suitable yet, in order of arrival.
 * Rule: Server Selection, "Server Selection Algorithm", steps 9 to 11.
 */
export const createSelectionQueue = (deps: SelectionQueueDeps): SelectionQueue => {
  const { clock, trySelect, expired, aborted, settled } = deps;
  const queue = new Set<QueuedRequest>();

  const settle = (queued: QueuedRequest, outcome: Server | MongoError): void => {
    queue.delete(queued);
    queued.leave();
    settled(queued.request, outcome);
    queued.settle(outcome);
  };

  return {
    wait: (request, at, deadline) =>
      new Promise((resolve, reject) => {
        const since = clock.now();
        const queued: QueuedRequest = {
          request,
          at,
          leave: () => undefined,
          settle: outcome => {
            if (MongoError.is(outcome)) reject(outcome);
            else resolve(outcome);
          },
          reject,
        };
        queue.add(queued);
        try {
          queued.leave = limitWait({ clock, deadline, signal: request.signal }, why => {
            settle(queued, why === 'aborted' ? aborted(request) : expired(request, at, clock.now() - since));
          });
        } catch (error) {
          queue.delete(queued);
          throw error;
        }
      }),
    serve() {
      for (const queued of [...queue]) {
        try {
          const found = trySelect(queued.request, queued.at);
          if (found !== undefined) settle(queued, found);
        } catch (error) {
          // The application's own code threw, such as its server selector. Other requests must not wait because of it.
          queue.delete(queued);
          queued.leave();
          queued.reject(error);
        }
      }
      return queue.size > 0;
    },
    failAll(error) {
      for (const queued of [...queue]) settle(queued, error());
    },
  };
};
