import type { Millis } from '@tessera/contracts';

/** The share of the newest round trip in the average. Rule: Server Selection, "Calculation of Average Round Trip Times". */
const alpha = 0.2;

/** The exponentially weighted moving average; the first round trip is the average. */
export const averageRoundTrip = (average: Millis | undefined, newest: Millis): Millis =>
  average === undefined ? newest : alpha * newest + (1 - alpha) * average;

/** How many of the newest are looked at for the least. Rule: Server Monitoring, "Measuring RTT". */
const remembered = 10;

/** The round trips of one server's checks. */
export class RoundTrips {
  #mean: Millis | undefined = undefined;
  #newest: readonly Millis[] = [];

  /** Ignores a negative round trip, which was measured while the clock went back. */
  add(roundTrip: Millis): void {
    if (roundTrip < 0) return;
    this.#mean = averageRoundTrip(this.#mean, roundTrip);
    this.#newest = [...this.#newest, roundTrip].slice(-remembered);
  }

  /** Undefined before the first. */
  average(): Millis | undefined {
    return this.#mean;
  }

  /** 0 while there are fewer than two. */
  least(): Millis {
    return this.#newest.length < 2 ? 0 : Math.min(...this.#newest);
  }

  /** A server that became Unknown starts anew. */
  forget(): void {
    this.#mean = undefined;
    this.#newest = [];
  }
}
