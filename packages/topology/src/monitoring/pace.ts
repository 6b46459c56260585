import type { Clock, Millis } from '@tessera/contracts';

/** The number of checks that may follow each other without a pause. An election causes only a few. */
const most = 10;

/**
 * Limits checks that follow each other without a pause, because the server pushes replies or drops connections. Without
 * the limit, such a server could occupy the whole process. Rule: Server Monitoring, "minHeartbeatFrequencyMS".
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

  /** Counts another check. Returns false if there were too many within the span. */
  allows(): boolean {
    const now = this.#clock.now();
    if (now - this.#since >= this.#span) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= most;
  }

  /** Allows one more check: the client ended the last check itself, so the server did not cause the next one. */
  allowOneMore(): void {
    this.#count--;
  }
}
