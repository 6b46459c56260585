/** The invariants of histories with scripted members. */
import { MongoError } from '@tessera/contracts';
import type { Millis, ServerDescription } from '@tessera/contracts';
import { at, eventsOf, factsOf } from '../kernel/invariant.js';
import type { Invariant } from '../kernel/invariant.js';
import { abortsAtOnce, tick } from '../kernel/invariants/calls.js';
import { invariantsWith } from '../kernel/invariants/every-history.js';
import { errorText } from '../kernel/words.js';

const rankOf = ({ electionId, setVersion }: ServerDescription): string =>
  `${electionId?.toHexString() ?? ''.padStart(24, '0')}/${String(setVersion ?? 0).padStart(6, '0')}`;

export const noOlderPrimary: Invariant = {
  name: 'a primary is not accepted after a newer one, by electionId and setVersion, was seen',
  *breaches(history) {
    let newest = '';
    for (const { at: time, event } of eventsOf(history, 'topologyDescriptionChanged')) {
      const primaries = [...event.newDescription.servers.values()].filter(({ type }) => type === 'RSPrimary');
      if (primaries.length > 1) yield `there are ${primaries.length} primaries at ${at(time)}`;
      for (const primary of primaries) {
        const rank = rankOf(primary);
        if (rank < newest) yield `${primary.address} (${rank}) is accepted at ${at(time)}, after ${newest} was seen`;
        newest = rank;
      }
    }
  },
};

const isClosed = (error: unknown): boolean => MongoError.is(error) && error.kind === 'closed';

export const closesAtOnce: Invariant = {
  name: 'closing the client ends operations in progress at once, and later operations fail with kind "closed"',
  *breaches(history) {
    let closing: Millis | undefined;
    const late = new Set<number>();
    for (const { at: time, fact } of factsOf(history, 'closing', 'began', 'ended')) {
      if (fact.is === 'closing') closing = time;
      else if (closing === undefined) continue;
      else if (fact.is === 'began') late.add(fact.operation);
      else if (late.has(fact.operation) ? !isClosed(fact.error) : time > closing + tick)
        yield `operation ${fact.operation} ended at ${at(time)} though the client was closed at ${at(closing)}`;
    }
  },
};

export const failsAsMongoError: Invariant = {
  name: 'an operation fails with a MongoError, and never with kind "usage" or "protocol"',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'ended')) {
      const { error, operation } = fact;
      if (error === undefined) continue;
      if (!MongoError.is(error)) yield `operation ${operation} failed at ${at(time)} with ${errorText(error)}`;
      else if (error.kind === 'usage' || error.kind === 'protocol')
        yield `operation ${operation} failed at ${at(time)} as ${error.kind}: ${error.message}`;
    }
  },
};

export const writesOnce: Invariant = {
  name: 'an acknowledged insert was carried out once, and any other insert at most once',
  *breaches(history) {
    const done = new Map<number, number>();
    for (const { at: time, fact } of factsOf(history, 'applied', 'ended', 'began')) {
      if (fact.is === 'began') {
        if (fact.planned.kind === 'insert') done.set(fact.operation, 0);
      } else if (fact.is === 'applied') {
        const times = (done.get(fact.key) ?? 0) + 1;
        done.set(fact.key, times);
        if (times > 1) yield `the insert of operation ${fact.key} was carried out again at ${at(time)}`;
      } else if (fact.error === undefined && done.get(fact.operation) === 0)
        yield `the insert of operation ${fact.operation} was acknowledged at ${at(time)}, but not carried out`;
    }
  },
};

export const invariants: readonly Invariant[] = invariantsWith(
  [noOlderPrimary],
  [writesOnce, abortsAtOnce, closesAtOnce, failsAsMongoError],
);
