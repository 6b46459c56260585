/** An invariant of writes: each write leaves its mark once. */
import { factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';
import type { PlannedCall } from '../plan.js';
import type { History } from '../record.js';

/** Returns how often each mark exists at the end. */
export const foundIn = (history: History): ReadonlyMap<string, number> => {
  const [found] = factsOf(history, 'found');
  return found?.fact.marks ?? new Map<string, number>();
};

/** Yields the calls with their errors. */
export function* endsOf(history: History): Generator<{ readonly call: PlannedCall; readonly error: unknown }> {
  const calls = new Map<number, PlannedCall>();
  for (const { fact } of factsOf(history, 'began', 'ended')) {
    if (fact.is === 'began') calls.set(fact.operation, fact.planned);
    else yield { call: calls.get(fact.operation)!, error: fact.error };
  }
}

export const neverTwice: Invariant = {
  name: 'no write is carried out twice',
  *breaches(history) {
    for (const [mark, count] of foundIn(history)) if (count > 1) yield `mark ${mark} exists ${count} times`;
  },
};
