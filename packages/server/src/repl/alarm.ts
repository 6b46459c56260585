import type { Clock, Millis, Timer } from '@tessera/contracts';

/** One timer that is set when there is need for it, and put off by nothing but being stopped. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Unless it is set already. */
  set(after: Millis): void {
    this.#timer ??= this.#clock.startTimer(
      after,
      () => {
        this.#timer = undefined;
        this.#ring();
      },
      { background: true },
    );
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
