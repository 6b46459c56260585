/** What writes leave behind. */
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

/** When the server answered which request, and when it lost what was not journaled. */
const livesOf = (history: History): { answers: ReadonlyMap<number, Millis>; crashes: readonly Millis[] } => {
  const answers = new Map<number, Millis>();
  const crashes: Millis[] = [];
  for (const { at, fact } of factsOf(history, 'answered', 'crashed')) {
    if (fact.is === 'crashed') crashes.push(at);
    else if (!answers.has(fact.requestId)) answers.set(fact.requestId, at);
  }
  return { answers, crashes };
};

/** A write that was answered at that time outlives every crash: its tick of the journal, or a write that waited for one, came first. */
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
  name: 'a write that was acknowledged is there once, unless a crash came before the journal',
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
        yield `${call.kind} ${call.number} was acknowledged, and ${lost} is there ${found.get(lost) ?? 0} times`;
    }
  },
};

/** The server said no, and did nothing. */
const isRefusal = (outcome: Sent['outcome']): boolean =>
  outcome !== undefined && outcome !== 'ok' && outcome.kind === 'server' && outcome.reply?.['ok'] !== 1;

export const unsentIsNotThere: Invariant = {
  name: 'a write that failed without having been sent, or was refused whenever it was, is not there',
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
      if (there !== undefined) yield `${call.kind} ${call.number} was never carried out, and ${there} is there`;
    }
  },
};

const wasUnsent = ({ origin }: MongoError): boolean => origin?.sent === false;
