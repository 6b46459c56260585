import type { Millis } from '@tessera/contracts';

/** The work of a command cannot go on before its scripts have slept. Nothing of it is committed. */
export class Asleep extends Error {
  constructor() {
    super('A script sleeps');
  }
}

/**
 * How long the scripts of the command in hand sleep. Work is not interrupted for that: it is done at once, and what it comes to
 * waits. A read is answered later. A write is begun anew when its time has come, and only then committed.
 */
export class Naps {
  /** What they have slept in this run of the work, in milliseconds of their own. */
  #slept: Millis = 0;
  /** What has really passed for them. */
  #passed: Millis = 0;
  /** Undefined: no command is in hand. */
  #limit: Millis | undefined;

  /** A run of the work begins. @param limit what the command has for all of it */
  begin(passed: Millis, limit: Millis): void {
    this.#slept = 0;
    this.#passed = passed;
    this.#limit = limit;
  }

  /** Of what is looked at while a cursor waits for more nobody counts it. @throws Asleep if the command has no time for that */
  sleep(duration: Millis): void {
    if (this.#limit === undefined) return;
    this.#slept += duration;
    if (this.#slept > this.#limit) throw new Asleep();
  }

  /** All of it, in whole milliseconds. */
  get slept(): Millis {
    return Math.floor(this.#slept);
  }

  /** What still has to pass, in milliseconds. */
  get owed(): Millis {
    return Math.max(this.#slept - this.#passed, 0);
  }

  /** To be called before anything is committed. @throws Asleep if it is too early for that */
  settle(): void {
    if (this.owed > 0) throw new Asleep();
  }

  /** The work is done: whatever else is committed is none of theirs. */
  end(): void {
    this.#slept = 0;
    this.#limit = undefined;
  }
}
