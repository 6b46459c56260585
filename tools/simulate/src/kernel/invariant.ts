import type { DriverEvent, EventName, Millis } from '@tessera/contracts';
import type { Fact, History } from './record.js';

/** A rule that every history must obey. Pure. */
export interface Invariant {
  /** The rule as a sentence. */
  readonly name: string;
  /** Yields a sentence for each breach, which states what happened instead, and when. */
  readonly breaches: (history: History) => Iterable<string>;
}

export interface Breach {
  readonly invariant: string;
  readonly seen: string;
}

/** Returns the first breach, or undefined if the invariant holds. */
export const broken = ({ breaches }: Invariant, history: History): string | undefined => {
  const [first] = breaches(history);
  return first;
};

/** Returns the breach of the first invariant that does not hold. */
export const judge = (invariants: readonly Invariant[], history: History): Breach | undefined => {
  for (const invariant of invariants) {
    const seen = broken(invariant, history);
    if (seen !== undefined) return { invariant: invariant.name, seen };
  }
  return undefined;
};

export const at = (time: Millis): string => `${time.toFixed(3)} ms`;

/** Yields the facts of these kinds, with their times and positions in the history. */
export function* factsOf<K extends Fact['is']>(
  { entries }: History,
  ...kinds: readonly K[]
): Generator<{ readonly at: Millis; readonly index: number; readonly fact: Extract<Fact, { is: K }> }> {
  for (const [index, entry] of entries.entries()) {
    if ((kinds as readonly string[]).includes(entry.fact.is))
      yield { at: entry.at, index, fact: entry.fact as Extract<Fact, { is: K }> };
  }
}

/** Yields the events with these names. */
export function* eventsOf<N extends EventName>(
  history: History,
  ...names: readonly N[]
): Generator<{
  readonly at: Millis;
  readonly index: number;
  readonly pool: number;
  readonly event: Extract<DriverEvent, { name: N }>;
}> {
  for (const { at: time, index, fact } of factsOf(history, 'event')) {
    if ((names as readonly string[]).includes(fact.event.name))
      yield { at: time, index, pool: fact.pool ?? 0, event: fact.event as Extract<DriverEvent, { name: N }> };
  }
}

/** Groups values by a key. Values without a key are left out. */
export const grouped = <T, K>(all: Iterable<T>, keyOf: (one: T) => K | undefined): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
};
