import { noLimit } from '@tessera/contracts';
import type { Clock, Millis, Timer } from '@tessera/contracts';

/** An object with a deadline, such as a connection that waits for a reply. */
export interface Expiring {
  /** `Infinity` while the object waits for nothing. */
  readonly deadline: Millis;
  /** Called only after the deadline has passed. Afterwards, the deadline must be later than `now`. */
  expire(now: Millis): void;
}

/**
 * One timer for the deadlines of all connections. It is armed for the earliest deadline and stays armed when the
 * command completes in time. When it then fires, it finds nothing expired and is armed for the earliest remaining
 * deadline. A command with a deadline thus costs one comparison, and a command without a deadline costs nothing.
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

  /** Arms the timer for the deadline of an added object. */
  watch(deadline: Millis, now: Millis): void {
    if (deadline >= this.#armed || deadline === noLimit) return;
    this.#disarm();
    this.#armed = deadline;
    // The timer does not keep the process alive; the socket of the waiting connection does.
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
    // `expire` may remove its object or set new deadlines: iterate over a copy and check each deadline again.
    for (const one of [...this.#all]) {
      if (one.deadline <= now) one.expire(now);
    }
    let earliest = Infinity;
    for (const { deadline } of this.#all) earliest = Math.min(earliest, deadline);
    this.watch(earliest, now);
  }
}
