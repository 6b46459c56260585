import type { Clock, Millis } from '@tessera/contracts';
import type { Parameters } from './engine/parameters.js';

/** When a new connection is served: at once, later, or never. */
export type Turn = 'now' | 'never' | Promise<void>;

/**
 * How many new connections are served in a second, if anybody has set a limit. So many more wait for their turn as the queue is
 * long; whoever finds no room is sent away. Rule: "Configure the Ingress Connection Establishment Rate Limiter".
 */
export class ConnectionRate {
  readonly #clock: Clock;
  readonly #parameters: Parameters;
  /** From when on the next one may be served, if there is no credit of calmer times. */
  #next: Millis = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor(clock: Clock, parameters: Parameters) {
    this.#clock = clock;
    this.#parameters = parameters;
  }

  #number(name: string): number {
    return this.#parameters.number(`ingressConnectionEstablishment${name}`);
  }

  turn(): Turn {
    if (!this.#parameters.is('ingressConnectionEstablishmentRateLimiterEnabled')) return 'now';
    const rate = this.#number('RatePerSec');
    const [interval, burst] = [1000 / rate, rate * this.#number('BurstCapacitySecs')];
    const now = this.#clock.now();
    const at = Math.max(this.#next, now - (burst - 1) * interval);
    if (at > now && this.#waiting >= this.#number('MaxQueueDepth')) return 'never';
    this.#next = at + interval;
    return at > now ? this.#wait(at - now) : 'now';
  }

  async #wait(duration: Millis): Promise<void> {
    this.#waiting += 1;
    await this.#clock.sleep(duration);
    this.#waiting -= 1;
  }
}
