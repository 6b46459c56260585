import type { DriverEvent, EventName, Millis } from '@tessera/contracts';
import type { Fact, History } from '../record.js';

/** What must hold in every history. Pure. */
export interface Invariant {
  /** A sentence that is true, or the history is wrong. */
  readonly name: string;
  /** What was seen instead, and when; undefined: it holds. */
  readonly broken: (history: History) => string | undefined;
}

export interface Breach {
  readonly invariant: string;
  readonly seen: string;
}

/** The first of them that does not hold. */
export const judge = (invariants: readonly Invariant[], history: History): Breach | undefined => {
  for (const { name, broken } of invariants) {
    const seen = broken(history);
    if (seen !== undefined) return { invariant: name, seen };
  }
  return undefined;
};

export const at = (time: Millis): string => `${time.toFixed(3)} ms`;

/** Facts of one kind, with time and place in the history. */
export function* factsOf<K extends Fact['is']>(
  { entries }: History,
  ...kinds: readonly K[]
): Generator<{ readonly at: Millis; readonly index: number; readonly fact: Extract<Fact, { is: K }> }> {
  for (const [index, entry] of entries.entries()) {
    if ((kinds as readonly string[]).includes(entry.fact.is))
      yield { at: entry.at, index, fact: entry.fact as Extract<Fact, { is: K }> };
  }
}

/** Events of these names. */
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
