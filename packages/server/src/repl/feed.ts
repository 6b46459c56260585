import type { Clock, Millis, Timer } from '@tessera/contracts';
import type { Member } from './member.js';
import type { Point } from './point.js';

/** A message with the state of a source at the time of sending. */
export interface Parcel {
  readonly source: Member;
  readonly term: bigint;
  readonly point: Point;
}

interface Sent extends Parcel {
  readonly due: Millis;
}

/**
 * The maximum number of parcels in transit. Beyond it, only the newest are kept, because each includes all earlier
 * ones.
 */
const mostOnTheWay = 10_000;

/** The parcels in transit to one member. They arrive in the order in which they were sent. */
export class Feed {
  readonly #clock: Clock;
  readonly #arrived: (parcel: Parcel) => void;
  #sent: Sent[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock, arrived: (parcel: Parcel) => void) {
    this.#clock = clock;
    this.#arrived = arrived;
  }

  /**
   * Sends a parcel.
   * @param takes milliseconds until it arrives; 0: it arrives before this returns, unless others are in transit
   */
  send(parcel: Parcel, takes: Millis): void {
    if (takes === Number.POSITIVE_INFINITY) return;
    if (takes === 0 && this.#sent.length === 0) {
      this.#arrived(parcel);
      return;
    }
    const due = Math.max(this.#clock.now() + takes, this.#sent.at(-1)?.due ?? 0);
    this.#sent.push({ ...parcel, due });
    if (this.#sent.length > mostOnTheWay) this.#sent.shift();
    this.#wait();
  }

  /** Drops all parcels in transit. */
  clear(): void {
    this.#sent = [];
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(): void {
    const [first] = this.#sent;
    if (first === undefined || this.#timer !== undefined) return;
    const takes = Math.max(0, first.due - this.#clock.now());
    this.#timer = this.#clock.startTimer(takes, () => this.#deliver(), { background: true });
  }

  /** Delivers the newest of the parcels that have arrived, because it includes the others. */
  #deliver(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    let newest: Sent | undefined;
    while (this.#sent.length > 0 && this.#sent[0]!.due <= now) newest = this.#sent.shift();
    if (newest !== undefined) this.#arrived(newest);
    this.#wait();
  }
}
