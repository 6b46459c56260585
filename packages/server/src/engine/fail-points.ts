import type { Random } from '@tessera/contracts';
import { Doc } from '@tessera/mql/engine';

/** When a fail point is active. */
export type FailMode =
  | { readonly kind: 'off' }
  | { readonly kind: 'alwaysOn' }
  /** Active the next `count` times. */
  | { readonly kind: 'times'; readonly count: number }
  /** Inactive the next `count` times, then always active. */
  | { readonly kind: 'skip'; readonly count: number }
  | { readonly kind: 'random'; readonly probability: number };

/** A place in the server where tests can inject failures. */
export class FailPoint {
  #mode: FailMode = { kind: 'off' };
  #data: Doc = Doc.EMPTY;
  #entered = 0n;
  readonly #waiting = new Set<() => void>();

  get isOff(): boolean {
    return this.#mode.kind === 'off';
  }

  /** How often it has been active since the start. */
  get entered(): bigint {
    return this.#entered;
  }

  set(mode: FailMode, data: Doc): void {
    this.#mode = mode.kind === 'times' && mode.count === 0 ? { kind: 'off' } : mode;
    this.#data = data;
  }

  /**
   * Returns the fail point's data if it is active now, else undefined. Only commands that the data applies to are
   * counted.
   */
  take(random: Random, applies: (data: Doc) => boolean): Doc | undefined {
    if (this.isOff || !applies(this.#data) || !this.#step(random)) return undefined;
    this.#entered += 1n;
    for (const wake of [...this.#waiting]) wake();
    return this.#data;
  }

  /** Calls `wake` each time the fail point is active. Returns a function that cancels the callback. */
  onEntered(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #step(random: Random): boolean {
    const mode = this.#mode;
    switch (mode.kind) {
      case 'off':
        return false;
      case 'alwaysOn':
        return true;
      case 'times':
        this.#mode = mode.count === 1 ? { kind: 'off' } : { kind: 'times', count: mode.count - 1 };
        return true;
      case 'skip':
        if (mode.count === 0) return true;
        this.#mode = { kind: 'skip', count: mode.count - 1 };
        return false;
      case 'random':
        return random.unit() < mode.probability;
    }
  }
}

/** All fail points of this server, under mongod's names. */
export class FailPoints {
  readonly failCommand: FailPoint = new FailPoint();
  readonly failGetMoreAfterCursorCheckout: FailPoint = new FailPoint();
  readonly maxTimeAlwaysTimeOut: FailPoint = new FailPoint();
  readonly onPrimaryTransactionalWrite: FailPoint = new FailPoint();
  /**
   * In mongod, this one stops fetching entries, and the next one stops applying them. Here, both have the same effect.
   */
  readonly stopReplProducer: FailPoint = new FailPoint();
  readonly rsSyncApplyStop: FailPoint = new FailPoint();
  readonly #all: ReadonlyMap<string, FailPoint> = new Map([
    ['failCommand', this.failCommand],
    ['failGetMoreAfterCursorCheckout', this.failGetMoreAfterCursorCheckout],
    ['maxTimeAlwaysTimeOut', this.maxTimeAlwaysTimeOut],
    ['onPrimaryTransactionalWrite', this.onPrimaryTransactionalWrite],
    ['rsSyncApplyStop', this.rsSyncApplyStop],
    ['stopReplProducer', this.stopReplProducer],
  ]);
  #armed = false;

  /** Whether a secondary must not replicate. */
  get stopsReplication(): boolean {
    return !this.stopReplProducer.isOff || !this.rsSyncApplyStop.isOff;
  }

  /** Whether any fail point may be active. While none is, commands skip all other checks. */
  get armed(): boolean {
    return this.#armed;
  }

  get(name: string): FailPoint | undefined {
    return this.#all.get(name);
  }

  /** Turns all fail points off. */
  clear(): void {
    for (const point of this.#all.values()) this.set(point, { kind: 'off' }, Doc.EMPTY);
  }

  /** Sets a fail point from {@link get}. Returns how often it had been active before. */
  set(point: FailPoint, mode: FailMode, data: Doc): bigint {
    point.set(mode, data);
    this.#armed = [...this.#all.values()].some(one => !one.isOff);
    return point.entered;
  }
}
