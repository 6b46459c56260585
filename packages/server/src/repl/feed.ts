import type { Clock, Millis, Timer } from '@tessera/contracts';
import type { Member } from './member.js';
import type { Point } from './point.js';

/** What a source had when it was sent. */
export interface Parcel {
  readonly source: Member;
  readonly term: bigint;
  readonly point: Point;
}

interface Sent extends Parcel {
  readonly due: Millis;
}

/** So many parcels are on the way; of more only the newest go on, each of which has all that came before it. */
const mostOnTheWay = 10_000;

/** What is on its way to one member. Parcels arrive in the order in which they were sent. */
export class Feed {
  readonly #clock: Clock;
  readonly #arrived: (parcel: Parcel) => void;
  #sent: Sent[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock, arrived: (parcel: Parcel) => void) {
    this.#clock = clock;
    this.#arrived = arrived;
  }

  /** @param takes until it arrives; 0: it is there when this returns, unless others are on the way */
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

  /** What was on its way is lost. */
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

  /** Of what has arrived at once, the newest has all the others. */
  #deliver(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    let newest: Sent | undefined;
    while (this.#sent.length > 0 && this.#sent[0]!.due <= now) newest = this.#sent.shift();
    if (newest !== undefined) this.#arrived(newest);
    this.#wait();
  }
}
