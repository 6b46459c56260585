import type { Clock, Millis } from '@tessera/contracts';
import { fail } from '../errors.js';

/** How much work a server can do. */
export interface CapacityOptions {
  /** How long one command takes, in milliseconds of the runtime's clock: one after the other. */
  readonly serviceTime: Millis;
  /** How many commands may wait for their turn; beyond that they are refused. */
  readonly queue: number;
}

/** What came of those who asked. */
export interface LoadCounts {
  readonly admitted: number;
  readonly refused: number;
}

/**
 * A server that is busy: each command waits for those before it, and when too many wait the next are refused at once, which
 * costs nothing. The queue is one number, the time at which all that was admitted is done.
 */
export class Capacity {
  readonly #clock: Clock;
  readonly #options: CapacityOptions;
  #busyUntil: Millis = 0;
  #admitted = 0;
  #refused = 0;

  constructor(clock: Clock, options: CapacityOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get counts(): LoadCounts {
    return { admitted: this.#admitted, refused: this.#refused };
  }

  /** Admitted, it has to wait so long until it is done. @throws CommandError 462 */
  admit(): Millis {
    const now = this.#clock.now();
    const { serviceTime, queue } = this.#options;
    const from = Math.max(now, this.#busyUntil);
    // One is being carried out, so many wait.
    if (from - now > serviceTime * queue) {
      this.#refused += 1;
      throw fail(
        'IngressRequestRateLimitExceeded',
        'The request was rejected because the server is overloaded: too many requests wait already',
        [],
        ['SystemOverloadedError', 'RetryableError'],
      );
    }
    this.#admitted += 1;
    this.#busyUntil = from + serviceTime;
    return this.#busyUntil - now;
  }

  /** Whoever waits is gone. */
  clear(): void {
    this.#busyUntil = 0;
  }
}
