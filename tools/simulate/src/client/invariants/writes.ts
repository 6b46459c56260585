/** Invariants of the marks that writes leave. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';
import { factsOf, grouped } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import { endsOf, foundIn } from '../../kernel/invariants/marks.js';
import type { History } from '../../kernel/record.js';
import { marksOf } from '../plan.js';
import type { ClientCall, ClientPlan } from '../plan.js';
import { sentOf } from './commands.js';
import type { Sent } from './commands.js';

/** Returns the time of each reply, and the times at which the server lost writes that were not journaled. */
const livesOf = (history: History): { answers: ReadonlyMap<number, Millis>; crashes: readonly Millis[] } => {
  const answers = new Map<number, Millis>();
  const crashes: Millis[] = [];
  for (const { at, fact } of factsOf(history, 'answered', 'crashed')) {
    if (fact.is === 'crashed') crashes.push(at);
    else if (!answers.has(fact.requestId)) answers.set(fact.requestId, at);
  }
  return { answers, crashes };
};

/**
 * Returns whether a write that was answered at `at` survives every crash: a tick of the journal, or a write that waited
 * for the journal, came first.
 */
const outlives = (
  at: Millis,
  crashes: readonly Millis[],
  flushes: readonly Millis[],
  journalInterval: Millis,
): boolean => {
  const crash = crashes.find(time => time >= at);
  if (crash === undefined) return true;
  const tickOf = (time: Millis): number => Math.floor(time / journalInterval);
  return tickOf(at) < tickOf(crash) || flushes.some(time => time > at && time <= crash);
};

export const acknowledgedIsThere: Invariant = {
  name: 'an acknowledged write exists once, unless a crash came before the journal',
  *breaches(history) {
    const found = foundIn(history);
    const { answers, crashes } = livesOf(history);
    const done = sentOf(history).filter(({ outcome, isJournaled }) => outcome === 'ok' && isJournaled !== undefined);
    const flushes = done.filter(one => one.isJournaled).map(({ requestId }) => answers.get(requestId)!);
    const byCall = grouped(done, ({ call }) => call);
    const { journalInterval } = (history.plan as ClientPlan).server;
    const isKept = ({ isJournaled, requestId }: Sent): boolean =>
      isJournaled === true || outlives(answers.get(requestId)!, crashes, flushes, journalInterval);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClientCall;
      if (error !== undefined || !(byCall.get(call.number) ?? []).every(isKept)) continue;
      const lost = marksOf(call).find(mark => found.get(mark) !== 1);
      if (lost !== undefined)
        yield `${call.kind} ${call.number} was acknowledged, and mark ${lost} exists ${found.get(lost) ?? 0} times`;
    }
  },
};

/** Returns whether the server rejected the write and changed nothing. */
const isRefusal = (outcome: Sent['outcome']): boolean =>
  outcome !== undefined && outcome !== 'ok' && outcome.kind === 'server' && outcome.reply?.['ok'] !== 1;

export const unsentIsNotThere: Invariant = {
  name: 'a write that was never sent, or was always rejected, leaves no mark',
  *breaches(history) {
    const found = foundIn(history);
    const byCall = grouped(sentOf(history), ({ call }) => call);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClientCall;
      if (error === undefined) continue;
      const sent = byCall.get(call.number) ?? [];
      const isSingle = call.kind !== 'bulkWrite';
      const isUnsent =
        isSingle &&
        MongoError.is(error) &&
        error.attempts.length > 0 &&
        error.attempts.every(attempt => wasUnsent(attempt.error));
      if (!isUnsent && !sent.every(({ outcome }) => isRefusal(outcome))) continue;
      const there = marksOf(call).find(mark => found.get(mark) !== 0);
      if (there !== undefined) yield `${call.kind} ${call.number} was never carried out, and mark ${there} exists`;
    }
  },
};

const wasUnsent = ({ origin }: MongoError): boolean => origin?.sent === false;
