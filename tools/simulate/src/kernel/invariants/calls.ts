/** Invariants of calls: their results and their duration. */
import type { Millis } from '@tessera/contracts';
import { at, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';
import { errorText } from '../words.js';

/** One tick of the clock. */
export const tick: Millis = 1;

export const endsInTime: Invariant = {
  name: 'every operation ends, and none later than its deadline',
  *breaches(history) {
    const deadlines = new Map<number, Millis>();
    for (const { at: time, fact } of factsOf(history, 'began', 'ended')) {
      if (fact.is === 'began') deadlines.set(fact.operation, fact.deadline);
      else {
        const deadline = deadlines.get(fact.operation) ?? Infinity;
        deadlines.delete(fact.operation);
        if (time > deadline + tick)
          yield `operation ${fact.operation} ended at ${at(time)}, its deadline was ${at(deadline)}`;
      }
    }
    for (const operation of deadlines.keys()) yield `operation ${operation} never ended`;
  },
};

export const abortsAtOnce: Invariant = {
  name: 'an operation whose signal aborts ends at once',
  *breaches(history) {
    const aborted = new Map<number, Millis>();
    for (const { at: time, fact } of factsOf(history, 'aborted', 'ended')) {
      if (fact.is === 'aborted') aborted.set(fact.operation, time);
      else {
        const since = aborted.get(fact.operation);
        if (since !== undefined && time > since + tick)
          yield `operation ${fact.operation} was aborted at ${at(since)} and ended at ${at(time)}`;
      }
    }
  },
};

export const recovers: Invariant = {
  name: 'after all faults have ended, an operation succeeds within serverSelectionTimeoutMS',
  *breaches(history) {
    const limit = history.plan.settings.serverSelectionTimeoutMS;
    let isHealed = false;
    let since: Millis | undefined;
    let failure: unknown;
    const late = new Set<number>();
    for (const { at: time, fact } of factsOf(history, 'healed', 'closing', 'began', 'ended')) {
      if (fact.is === 'healed') isHealed = true;
      else if (fact.is === 'closing') break;
      else if (fact.is === 'began' && isHealed) {
        since ??= time;
        late.add(fact.operation);
      } else if (fact.is === 'ended' && late.has(fact.operation)) {
        failure = fact.error;
        if (failure === undefined && time - (since ?? time) > limit) yield `it took ${time - (since ?? time)} ms`;
      }
    }
    if (failure !== undefined) yield `the last try failed: ${errorText(failure)}`;
  },
};
