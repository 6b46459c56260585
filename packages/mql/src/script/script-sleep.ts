import type { Millis } from '@tessera/contracts';

/** Aborts the work of a command because its scripts must sleep first. Nothing of it is committed. */
export class SleepPending extends Error {
  constructor() {
    super('A script sleeps');
  }
}

/**
 * The time for which the scripts of the running command sleep. Scripts do not pause when they sleep. Instead, the reply
 * of a read is delayed, and a write is repeated after the time has passed and only then committed.
 */
export class ScriptSleep {
  /** The time for which scripts have slept in this run, in milliseconds. */
  #slept: Millis = 0;
  /** The real time that has passed for them. */
  #passed: Millis = 0;
  /** The command's time limit. Undefined if no command is running. */
  #limit: Millis | undefined;

  /**
   * Starts a run.
   * @param limit the total time of the command
   */
  begin(passed: Millis, limit: Millis): void {
    this.#slept = 0;
    this.#passed = passed;
    this.#limit = limit;
  }

  /**
   * Counts a sleep. Outside of a command, such as in a waiting cursor, sleeps are ignored.
   * @throws SleepPending if the sleep exceeds the command's time limit
   */
  sleep(duration: Millis): void {
    if (this.#limit === undefined) return;
    this.#slept += duration;
    if (this.#slept > this.#limit) throw new SleepPending();
  }

  /** The time slept, in whole milliseconds. */
  get slept(): Millis {
    return Math.floor(this.#slept);
  }

  /** The time that still has to pass, in milliseconds. */
  get remaining(): Millis {
    return Math.max(this.#slept - this.#passed, 0);
  }

  /**
   * Checks before a commit that the time has passed.
   * @throws SleepPending if it has not
   */
  requireElapsed(): void {
    if (this.remaining > 0) throw new SleepPending();
  }

  /** Ends the run. Later commits do not wait for its sleeps. */
  end(): void {
    this.#slept = 0;
    this.#limit = undefined;
  }
}
