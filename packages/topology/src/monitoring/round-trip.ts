import type { Millis } from '@tessera/contracts';

/**
 * The weight of the newest round trip in the average. Rule: Server Selection, "Calculation of Average Round Trip
 * Times".
 */
const alpha = 0.2;

/** Returns the next exponentially weighted moving average. The first round trip is the first average. */
export const averageRoundTrip = (average: Millis | undefined, newest: Millis): Millis =>
  average === undefined ? newest : alpha * newest + (1 - alpha) * average;

/** The number of recent round trips of which the minimum is taken. Rule: Server Monitoring, "Measuring RTT". */
const remembered = 10;

/** The round-trip times of one server. */
export class RoundTrips {
  #mean: Millis | undefined = undefined;
  #newest: readonly Millis[] = [];

  /** Adds a round-trip time. Ignores a negative one, which means that the clock was set back. */
  add(roundTrip: Millis): void {
    if (roundTrip < 0) return;
    this.#mean = averageRoundTrip(this.#mean, roundTrip);
    this.#newest = [...this.#newest, roundTrip].slice(-remembered);
  }

  /** Returns the average, or undefined if there is none yet. */
  average(): Millis | undefined {
    return this.#mean;
  }

  /** Returns the minimum, or 0 if there are fewer than two. */
  least(): Millis {
    return this.#newest.length < 2 ? 0 : Math.min(...this.#newest);
  }

  /** Discards all round-trip times. Called when the server becomes Unknown. */
  forget(): void {
    this.#mean = undefined;
    this.#newest = [];
  }
}
