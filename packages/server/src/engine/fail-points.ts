import type { Random } from '@tessera/contracts';
import { Doc } from '@tessera/mql/engine';

/** When a fail point that applies acts. */
export type FailMode =
  | { readonly kind: 'off' }
  | { readonly kind: 'alwaysOn' }
  /** The next so many times. */
  | { readonly kind: 'times'; readonly count: number }
  /** Ever after so many times. */
  | { readonly kind: 'skip'; readonly count: number }
  | { readonly kind: 'random'; readonly probability: number };

/** A place at which the server can be told to fail. */
export class FailPoint {
  #mode: FailMode = { kind: 'off' };
  #data: Doc = Doc.EMPTY;
  #entered = 0n;
  readonly #waiting = new Set<() => void>();

  get isOff(): boolean {
    return this.#mode.kind === 'off';
  }

  /** How often it has acted since the start. */
  get entered(): bigint {
    return this.#entered;
  }

  set(mode: FailMode, data: Doc): void {
    this.#mode = mode.kind === 'times' && mode.count === 0 ? { kind: 'off' } : mode;
    this.#data = data;
  }

  /** Its data if it is to act now. Only what applies to the data is counted. */
  take(random: Random, applies: (data: Doc) => boolean): Doc | undefined {
    if (this.isOff || !applies(this.#data) || !this.#step(random)) return undefined;
    this.#entered += 1n;
    for (const wake of [...this.#waiting]) wake();
    return this.#data;
  }

  /** Calls back whenever it acts. Returns the way to take that back. */
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

/** All that this server has, under mongod's names. */
export class FailPoints {
  readonly failCommand: FailPoint = new FailPoint();
  readonly failGetMoreAfterCursorCheckout: FailPoint = new FailPoint();
  readonly maxTimeAlwaysTimeOut: FailPoint = new FailPoint();
  readonly onPrimaryTransactionalWrite: FailPoint = new FailPoint();
  /** A secondary gets nothing, or does nothing with what it gets: here it is the same. */
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

  /** Whether a secondary is to stay as it is. */
  get stopsReplication(): boolean {
    return !this.stopReplProducer.isOff || !this.rsSyncApplyStop.isOff;
  }

  /** Whether any of them may act: while none does, commands do not ask further. */
  get armed(): boolean {
    return this.#armed;
  }

  get(name: string): FailPoint | undefined {
    return this.#all.get(name);
  }

  /** None acts any more. */
  clear(): void {
    for (const point of this.#all.values()) this.set(point, { kind: 'off' }, Doc.EMPTY);
  }

  /** Sets one of {@link get}. Returns how often it had acted. */
  set(point: FailPoint, mode: FailMode, data: Doc): bigint {
    point.set(mode, data);
    this.#armed = [...this.#all.values()].some(one => !one.isOff);
    return point.entered;
  }
}
