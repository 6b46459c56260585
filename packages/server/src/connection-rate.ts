import type { Clock, Millis } from '@tessera/contracts';
import type { Parameters } from './engine/parameters.js';

/** When the server serves a new connection: at once, never, or after the promise resolves. */
export type Turn = 'now' | 'never' | Promise<void>;

/**
 * Limits how many new connections the server serves per second, if the parameters set a limit. Connections over the
 * limit wait in a queue, and the server closes a connection that finds the queue full. Rule: "Configure the Ingress
 * Connection Establishment Rate Limiter".
 */
export class ConnectionRate {
  readonly #clock: Clock;
  readonly #parameters: Parameters;
  /** The earliest time at which the next connection may be served, when no burst credit is left. */
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
