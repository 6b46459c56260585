import type { Clock, Millis, Timer } from '@tessera/contracts';
import type { Value } from '@tessera/mql/engine';
import { DateValue, isArray } from '@tessera/mql/engine';
import type { Collection, Index, DatabaseValue, Namespace } from '@tessera/store';
import { keyOf, oldestOf, isView } from '@tessera/store';
import { Blocked } from '../txn/blocked.js';
import type { Draft } from './database.js';
import type { Parameters } from './parameters.js';
import { removeRow } from './writer.js';

/** Returns the earliest date in a value, which may be an array. */
const earliest = (value: Value | undefined): number => {
  if (value instanceof DateValue) return value.ms;
  if (!isArray(value)) return Number.POSITIVE_INFINITY;
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...value.map(item => (item instanceof DateValue ? item.ms : Number.POSITIVE_INFINITY)),
  );
};

const sweepIndex = (draft: Draft, ns: string, { definition, entries }: Index, nowMs: number): void => {
  const limit = nowMs - definition.expireAfterSeconds! * 1000;
  const [field] = definition.fields;
  const first = keyOf(new DateValue(-8.64e15));
  const last = keyOf(new DateValue(limit));
  // An ascending index has the oldest dates first. A descending one is rare, and read as a whole.
  const walk = field!.direction === 1 ? entries.walk(first, `${last}\uffff`) : entries.walk(undefined, undefined);
  const expired: string[] = [];
  while (walk.next()) expired.push(walk.value);
  for (const record of expired) {
    const collection = draft.collection(ns)!;
    const doc = collection.records.get(record);
    const value = doc?.get(field!.path);
    if (doc !== undefined && earliest(value) <= limit) removeRow(draft, collection, { record, doc });
  }
};

const sweepSeries = (draft: Draft, collection: Collection, nowMs: number): void => {
  const oldest = oldestOf(collection, nowMs);
  if (oldest === undefined) return;
  const { ns, timeSeries } = collection.settings;
  for (const [record, doc] of collection.records) {
    if (earliest(doc.get(timeSeries!.timeField)) <= oldest) removeRow(draft, draft.collection(ns)!, { record, doc });
  }
};

const expiring = (collection: Collection): readonly Index[] =>
  collection.indexes.filter(({ definition }) => definition.expireAfterSeconds !== undefined);

const expires = ({ settings: { timeSeries } }: Collection): boolean => timeSeries?.expireAfterSeconds !== undefined;

const mayExpire = (namespace: Namespace): namespace is Collection =>
  !isView(namespace) && (expiring(namespace).length > 0 || expires(namespace));

/** Whether any collection has documents that may expire. */
export const hasExpiring = ({ namespaces }: DatabaseValue): boolean => {
  for (const [, namespace] of namespaces) if (mayExpire(namespace)) return true;
  return false;
};

/** Skips a collection whose expired documents an open transaction has written. The next sweep tries again. */
const unlessBlocked = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
  }
};

/** The data from which expired documents are removed. */
export interface Swept {
  readonly clock: Pick<Clock, 'wallTime'>;
  readonly value: DatabaseValue;
  /** Undefined: the data is in memory only. */
  readonly disk: { readonly isFailing: boolean } | undefined;
  change(what: string, work: (draft: Draft) => void): void;
}

/**
 * Removes expired documents, each collection separately, so that a transaction that blocks one collection does not
 * delay the others. Returns whether any collection has documents that may expire.
 */
export const sweepExpired = (swept: Swept): boolean => {
  if (swept.disk?.isFailing === true) return true;
  const nowMs = swept.clock.wallTime();
  let any = false;
  for (const [ns, namespace] of swept.value.namespaces) {
    if (!mayExpire(namespace)) continue;
    any = true;
    unlessBlocked(() =>
      swept.change('expiry', draft => {
        sweepSeries(draft, namespace, nowMs);
        for (const index of expiring(namespace)) sweepIndex(draft, ns, index, nowMs);
      }),
    );
  }
  return any;
};

/**
 * Removes expired documents every `ttlMonitorSleepSecs`, as long as any documents may expire, unless
 * `ttlMonitorEnabled` is off.
 */
export class ExpiryWatch {
  readonly #clock: Clock;
  readonly #parameters: Parameters;
  readonly #sweep: () => boolean;
  #timer: Timer | undefined;
  /** The time at which the current pause began. */
  #since: Millis = 0;

  constructor(clock: Clock, parameters: Parameters, sweep: () => boolean) {
    this.#clock = clock;
    this.#parameters = parameters;
    this.#sweep = sweep;
    parameters.onSet('ttlMonitorSleepSecs', () => this.#restart());
  }

  /** Starts the timer. Call it after a collection got documents that may expire. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#since = this.#clock.now();
    this.#wait();
  }

  #wait(): void {
    const due = this.#since + 1000 * this.#parameters.number('ttlMonitorSleepSecs');
    const look = (): void => {
      this.#timer = undefined;
      if (!this.#parameters.is('ttlMonitorEnabled') || this.#sweep()) this.start();
    };
    this.#timer = this.#clock.startTimer(Math.max(0, due - this.#clock.now()), look, { background: true });
  }

  #restart(): void {
    if (this.#timer === undefined) return;
    this.stop();
    this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
