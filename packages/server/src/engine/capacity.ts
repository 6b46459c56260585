import type { Clock, Millis } from '@tessera/contracts';
import type { CommandError } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';

/** How much work a server can do. */
export interface CapacityOptions {
  /** How long one command takes, in milliseconds of the runtime's clock: one after the other. */
  readonly serviceTime: Millis;
  /** How many commands may wait for their turn; beyond that they are refused. */
  readonly queue: number;
  /** How long it takes to refuse one, which goes before all that waits: a server that only refuses does no work. Default 0. */
  readonly refusalTime?: Millis;
}

/** What came of those who asked. */
export interface LoadCounts {
  readonly admitted: number;
  readonly refused: number;
}

/** What becomes of a command, after so long. */
export interface Admission {
  readonly isAdmitted: boolean;
  readonly wait: Millis;
}

/**
 * A server that is busy: each command waits for those before it, and when too many wait the next are refused. The queue is one
 * number, the time at which all that was admitted is done.
 */
export class Capacity {
  readonly #clock: Clock;
  readonly #options: CapacityOptions;
  #busyUntil: Millis = 0;
  #refusesUntil: Millis = 0;
  #admitted = 0;
  #refused = 0;

  constructor(clock: Clock, options: CapacityOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get counts(): LoadCounts {
    return { admitted: this.#admitted, refused: this.#refused };
  }

  ask(): Admission {
    const now = this.#clock.now();
    const { serviceTime, queue, refusalTime = 0 } = this.#options;
    const from = Math.max(now, this.#busyUntil);
    // One is being carried out, so many wait.
    if (from - now > serviceTime * queue) {
      this.#refused += 1;
      this.#refusesUntil = Math.max(now, this.#refusesUntil) + refusalTime;
      this.#busyUntil += refusalTime;
      return { isAdmitted: false, wait: this.#refusesUntil - now };
    }
    this.#admitted += 1;
    this.#busyUntil = from + serviceTime;
    return { isAdmitted: true, wait: this.#busyUntil - now };
  }

  /** Whoever waits is gone. */
  clear(): void {
    this.#busyUntil = 0;
    this.#refusesUntil = 0;
  }
}

export const overloaded = (): CommandError =>
  fail(
    'IngressRequestRateLimitExceeded',
    'The request was rejected because the server is overloaded: too many requests wait already',
    [],
    ['SystemOverloadedError', 'RetryableError'],
  );
