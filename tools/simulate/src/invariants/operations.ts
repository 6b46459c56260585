/** Of what callers see. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';
import { errorText } from '../error-text.js';
import { at, factsOf } from './invariant.js';
import type { Invariant } from './invariant.js';

/** One tick of the clock. */
const tick: Millis = 1;

export const endsInTime: Invariant = {
  name: 'every operation ends, and none later than its deadline',
  broken: history => {
    const deadlines = new Map<number, Millis>();
    for (const { at: time, fact } of factsOf(history, 'began', 'ended')) {
      if (fact.is === 'began') deadlines.set(fact.operation, fact.deadline);
      else {
        const deadline = deadlines.get(fact.operation) ?? Infinity;
        deadlines.delete(fact.operation);
        if (time > deadline + tick)
          return `operation ${fact.operation} ended at ${at(time)}, its deadline was ${at(deadline)}`;
      }
    }
    const [never] = deadlines.keys();
    return never === undefined ? undefined : `operation ${never} never ended`;
  },
};

export const abortsAtOnce: Invariant = {
  name: 'an operation whose signal aborts ends at once',
  broken: history => {
    const aborted = new Map<number, Millis>();
    for (const { at: time, fact } of factsOf(history, 'aborted', 'ended')) {
      if (fact.is === 'aborted') aborted.set(fact.operation, time);
      else {
        const since = aborted.get(fact.operation);
        if (since !== undefined && time > since + tick)
          return `operation ${fact.operation} was aborted at ${at(since)} and ended at ${at(time)}`;
      }
    }
    return undefined;
  },
};

export const closesAtOnce: Invariant = {
  name: 'when the client is closed, what is under way ends at once, and what comes later fails as closed',
  broken: history => {
    let closing: Millis | undefined;
    const late = new Set<number>();
    for (const { at: time, fact } of factsOf(history, 'closing', 'began', 'ended')) {
      if (fact.is === 'closing') closing = time;
      else if (closing === undefined) continue;
      else if (fact.is === 'began') late.add(fact.operation);
      else if (late.has(fact.operation) ? !isClosed(fact.error) : time > closing + tick)
        return `operation ${fact.operation} ended at ${at(time)} though the client was closed at ${at(closing)}`;
    }
    return undefined;
  },
};

const isClosed = (error: unknown): boolean => MongoError.is(error) && error.kind === 'closed';

export const failsAsMongoError: Invariant = {
  name: 'an operation fails with a MongoError, and never because the driver was used wrongly',
  broken: history => {
    for (const { at: time, fact } of factsOf(history, 'ended')) {
      const { error, operation } = fact;
      if (error === undefined) continue;
      if (!MongoError.is(error)) return `operation ${operation} failed at ${at(time)} with ${errorText(error)}`;
      if (error.kind === 'usage' || error.kind === 'protocol')
        return `operation ${operation} failed at ${at(time)} as ${error.kind}: ${error.message}`;
    }
    return undefined;
  },
};

export const writesOnce: Invariant = {
  name: 'an insert that was acknowledged was done once, one that was not at most once',
  broken: history => {
    const done = new Map<number, number>();
    for (const { at: time, fact } of factsOf(history, 'applied', 'ended', 'began')) {
      if (fact.is === 'began') {
        if (fact.planned.kind === 'insert') done.set(fact.operation, 0);
      } else if (fact.is === 'applied') {
        const times = (done.get(fact.key) ?? 0) + 1;
        done.set(fact.key, times);
        if (times > 1) return `the insert of operation ${fact.key} was done again at ${at(time)}`;
      } else if (fact.error === undefined && done.get(fact.operation) === 0)
        return `the insert of operation ${fact.operation} was acknowledged at ${at(time)}, but not done`;
    }
    return undefined;
  },
};

export const recovers: Invariant = {
  name: 'when all faults have ended, an operation succeeds within serverSelectionTimeoutMS',
  broken: history => {
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
        if (failure === undefined && time - (since ?? time) > limit) return `it took ${time - (since ?? time)} ms`;
      }
    }
    return failure === undefined ? undefined : `the last try failed: ${errorText(failure)}`;
  },
};
