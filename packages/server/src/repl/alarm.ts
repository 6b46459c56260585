import type { Clock, Millis, Timer } from '@tessera/contracts';

/** A timer that can be set only once until it fires or is stopped. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Starts the timer, unless it is running. */
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
