/** Of sessions, their numbers and their times. */
import { at, factsOf, grouped } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import type { Dispatched, History } from '../../kernel/record.js';
import { entriesWithSent, factsWithLast, sentOf, told } from './commands.js';
import type { Sent } from './commands.js';

export const oneIdentity: Invariant = {
  name: 'all attempts of an operation bear the same session id, and those of a write the same transaction number',
  *breaches(history) {
    for (const attempts of grouped(sentOf(history), ({ request }) => request).values()) {
      const [first] = attempts;
      const other = attempts.find(one => one.session !== first?.session || one.txnNumber !== first?.txnNumber);
      if (other !== undefined) yield `${told(other)} bears another session or number than its attempt before`;
    }
  },
};

export const numbersRise: Invariant = {
  name: 'the writes of a session bear different, rising transaction numbers, and no write that is retried lacks one',
  *breaches(history) {
    const last = new Map<string, { readonly number: bigint; readonly request: Dispatched }>();
    for (const one of sentOf(history)) {
      const { session, txnNumber, request } = one;
      const { kind, retryable } = request.operation;
      const isNumbered = kind === 'write' && retryable !== false && history.plan.settings.retryWrites;
      if (isNumbered !== (txnNumber !== undefined)) yield `${told(one)} ${isNumbered ? 'lacks a' : 'bears a'} number`;
      if (session === undefined || txnNumber === undefined) continue;
      const before = last.get(session);
      if (before !== undefined && before.request !== request && txnNumber <= before.number)
        yield `${told(one)} bears ${txnNumber} after ${before.number}`;
      last.set(session, { number: txnNumber, request });
    }
  },
};

/** For each attempt, where in the history it was over for the session: heard, or told to the retry policy. */
const endsOfAttempts = (history: History): ReadonlyMap<Sent, number> => {
  const ends = new Map<Sent, number>();
  for (const { index, last } of factsWithLast(history, 'heard', 'decided', 'settled'))
    if (last !== undefined && !ends.has(last)) ends.set(last, index);
  return ends;
};

export const neverShared: Invariant = {
  name: 'no two operations under way share a session, but for the end of a cursor that a session of the application had',
  *breaches(history) {
    const ends = endsOfAttempts(history);
    const kept = new Set(
      [...factsOf(history, 'opened')].map(({ fact }) => (fact.session === 'cursor' ? 0 : fact.owner)),
    );
    const isBehind = ({ name, request: { owner } }: Sent): boolean => name === 'killCursors' && kept.has(owner);
    const watched = sentOf(history).filter(one => !isBehind(one));
    for (const commands of grouped(watched, ({ session }) => session).values()) {
      const past = new Set<Dispatched>();
      let before: Sent | undefined;
      for (const one of commands) {
        const { request } = one;
        if (past.has(request)) yield `${told(one)} uses a session that another operation has used since`;
        if (before !== undefined && before.request !== request) {
          past.add(before.request);
          if ((ends.get(before) ?? Infinity) > one.index) yield `${told(one)} shares its session with ${told(before)}`;
        }
        before = one;
      }
    }
  },
};

/** By session: since when, and through whom, its last command may still be under way. */
interface Stain {
  readonly index: number;
  readonly owner: number;
}

const stainsOf = (history: History): ReadonlyMap<string, Stain> => {
  const stains = new Map<string, Stain>();
  for (const { index, fact, last } of factsWithLast(history, 'decided')) {
    const failure = fact.failures.at(-1);
    if (failure === undefined || failure.kind === 'server' || failure.origin?.sent === false) continue;
    if (failure.origin !== undefined && failure.origin.phase !== 'command') continue;
    if (last?.session !== undefined && !stains.has(last.session))
      stains.set(last.session, { index, owner: last.request.owner });
  }
  return stains;
};

export const dirtyIsGone: Invariant = {
  name: 'a session id whose command may still be under way is never used by another session',
  *breaches(history) {
    const stains = stainsOf(history);
    for (const one of sentOf(history)) {
      const stain = stains.get(one.session ?? '');
      if (stain !== undefined && one.index > stain.index && one.request.owner !== stain.owner)
        yield `${told(one)} bears the id of a session that is dirty`;
    }
  },
};

export const tellsClusterTime: Invariant = {
  name: 'the cluster time sent is the newest heard, and never goes back',
  *breaches(history) {
    let newest = 0n;
    for (const { fact, sent } of entriesWithSent(history)) {
      if (fact.is === 'heard' && fact.clusterTime !== undefined && fact.clusterTime > newest) newest = fact.clusterTime;
      if (sent !== undefined && (sent.clusterTime ?? 0n) !== newest)
        yield `${told(sent)} says ${String(sent.clusterTime)}, and ${newest} was heard`;
    }
  },
};

const causalReads: ReadonlySet<string> = new Set(['find', 'aggregate', 'distinct', 'count']);

export const readsAfter: Invariant = {
  name: 'a read in a causally consistent session asks for the newest operation time that it heard, and no other read does',
  *breaches(history) {
    const heard = new Map<number, bigint>();
    const causal = new Set<number>();
    for (const { fact, sent: one } of entriesWithSent(history)) {
      if (fact.is === 'opened' && fact.session === 'causal') causal.add(fact.owner);
      else if (fact.is === 'heard' && fact.operationTime !== undefined) {
        const { owner } = fact.request;
        if (fact.operationTime > (heard.get(owner) ?? 0n)) heard.set(owner, fact.operationTime);
      }
      if (one === undefined || !causalReads.has(one.name)) continue;
      const { owner } = one.request;
      const wanted = causal.has(owner) ? heard.get(owner) : undefined;
      if (one.afterClusterTime !== wanted)
        yield `${told(one)} asks for ${String(one.afterClusterTime)} instead of ${String(wanted)}`;
    }
  },
};

export const sessionsReturn: Invariant = {
  name: 'sessions are given back when their last operation has ended, and another one takes them before a new one is made',
  *breaches(history) {
    /** By id, who used it last. */
    const lastOwner = new Map<string, number>();
    const free = new Map<number, number>();
    const longer = new Map<number, string>();
    const stains = stainsOf(history);
    let isClosing = false;
    for (const { at: time, index, fact, sent: one } of entriesWithSent(history)) {
      // From now on there is no pool of sessions any more.
      if (fact.is === 'closing') isClosing = true;
      if (fact.is === 'opened') longer.set(fact.owner, fact.session);
      else if (fact.is === 'released') {
        longer.delete(fact.owner);
        free.set(fact.owner, time);
      } else if (fact.is === 'settled') {
        const { number, owner } = fact.request;
        if (owner === number) free.set(number, time);
      }
      if (one?.session === undefined || isClosing) continue;
      const { session, request } = one;
      if (!lastOwner.has(session)) {
        for (const [id, owner] of lastOwner) {
          const isClean = (stains.get(id)?.index ?? Infinity) > index;
          if (isClean && (free.get(owner) ?? Infinity) < time)
            yield `${told(one)} makes a new session, while that of owner ${owner} was free since ${at(free.get(owner)!)}`;
        }
      }
      lastOwner.set(session, request.owner);
    }
    for (const [owner, session] of longer) yield `the ${session} session of owner ${owner} was never given back`;
  },
};
