import type { Clock, Millis } from '@tessera/contracts';

/** How many checks may follow each other without rest: an election brings a handful of changes. */
const most = 10;

/**
 * Counts the checks that follow each other at once, because a server pushes its replies or loses its connections. One that
 * never lets its monitor rest would take the whole process. Rule: Server Monitoring, "minHeartbeatFrequencyMS".
 */
export class Pace {
  readonly #clock: Clock;
  readonly #span: Millis;
  #since: Millis = -Infinity;
  #count = 0;

  constructor(clock: Clock, span: Millis) {
    this.#clock = clock;
    this.#span = span;
  }

  /** Counts one more; false if there were too many within the span. */
  allows(): boolean {
    const now = this.#clock.now();
    if (now - this.#since >= this.#span) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= most;
  }

  /** The client ended the last check itself, so the next one is not the server's doing. */
  allowOneMore(): void {
    this.#count--;
  }
}
