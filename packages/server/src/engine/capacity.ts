import type { Clock, Millis } from '@tessera/contracts';
import type { CommandError } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';

/** The limits of a server's throughput. */
export interface CapacityOptions {
  /**
   * How long each command takes, in milliseconds of the runtime's clock. `getMore` and all commands that accept a read
   * concern or a write concern run one after the other: reads, writes, commits, and changes of collections, indexes, users
   * and roles. Other commands, such as hello and killCursors, are not limited.
   */
  readonly serviceTime: Millis;
  /**
   * The maximum number of waiting commands. While so many wait, the server rejects further ones with 462 and the labels
   * `SystemOverloadedError` and `RetryableError`.
   */
  readonly queue: number;
  /**
   * How long a rejection takes, in milliseconds. Rejections take precedence over waiting commands and delay them, so
   * many rejections can stop all work. Default: 0.
   */
  readonly refusalTime?: Millis;
}

/** The numbers of limited commands that a server has admitted and rejected since it was created. Crashes do not reset them. */
export interface LoadCounts {
  /** The number of commands that ran, or wait for their turn. */
  readonly admitted: number;
  /** The number of commands that were rejected with 462. */
  readonly refused: number;
}

/** Whether a command is admitted, and after which delay it runs or fails. */
export interface Admission {
  readonly isAdmitted: boolean;
  readonly wait: Millis;
}

/**
 * Simulates a busy server: each command waits for the previous ones, and is rejected if too many wait. The queue is
 * represented by a single number, the time at which the last admitted command completes.
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
    // One command runs, and `queue` commands wait.
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

  /** Forgets all waiting commands. */
  clear(): void {
    this.#busyUntil = 0;
    this.#refusesUntil = 0;
  }
}

export const overloaded = (): CommandError =>
  fail(
    'IngressRequestRateLimitExceeded',
    'The request was rejected because the server is overloaded: too many requests are waiting',
    [],
    ['SystemOverloadedError', 'RetryableError'],
  );
