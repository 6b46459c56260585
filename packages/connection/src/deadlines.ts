import { noLimit } from '@tessera/contracts';
import type { Clock, Millis, Timer } from '@tessera/contracts';

/** Whoever may run out of time. */
export interface Expiring {
  /** `Infinity` while there is nothing to wait for. */
  readonly deadline: Millis;
  /** Only called when the deadline has passed; has a later one afterwards. */
  expire(now: Millis): void;
}

/**
 * One timer for the deadlines of all connections. It is armed for the earliest that was ever told and is not disarmed when
 * the work is done in time: it then fires, finds nobody late, and is armed for the earliest of those that are waiting. So a
 * command costs a comparison, and one without a deadline nothing.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #all = new Set<Expiring>();
  #timer: Timer | undefined;
  #armed: Millis = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: Expiring): void {
    this.#all.add(one);
  }

  remove(one: Expiring): void {
    this.#all.delete(one);
    if (this.#all.size === 0) this.#disarm();
  }

  /** Of someone who was added. */
  watch(deadline: Millis, now: Millis): void {
    if (deadline >= this.#armed || deadline === noLimit) return;
    this.#disarm();
    this.#armed = deadline;
    // In the background: the socket of whoever waits keeps the process alive.
    const fire = (): void => {
      this.#fire();
    };
    this.#timer = this.#clock.startTimer(Math.max(0, deadline - now), fire, { background: true });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armed = Infinity;
  }

  #fire(): void {
    this.#disarm();
    const now = this.#clock.now();
    // Whoever is late may close itself, start again, or let others start: hence the copy, and the second look.
    for (const one of [...this.#all]) {
      if (one.deadline <= now) one.expire(now);
    }
    let earliest = Infinity;
    for (const { deadline } of this.#all) earliest = Math.min(earliest, deadline);
    this.watch(earliest, now);
  }
}
