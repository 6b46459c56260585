/** Invariants of sessions, their transaction numbers and their cluster times. */
import { at, factsOf, grouped } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import type { Dispatched, History } from '../../kernel/record.js';
import { entriesWithSent, factsWithLast, sentOf, sentText } from './commands.js';
import type { Sent } from './commands.js';

export const oneIdentity: Invariant = {
  name: 'all attempts of an operation have the same session id, and those of a write the same transaction number',
  *breaches(history) {
    for (const attempts of grouped(sentOf(history), ({ request }) => request).values()) {
      const [first] = attempts;
      const other = attempts.find(one => one.session !== first?.session || one.txnNumber !== first?.txnNumber);
      if (other !== undefined)
        yield `${sentText(other)} has another session or transaction number than the attempt before`;
    }
  },
};

export const numbersRise: Invariant = {
  name: 'the writes of a session have increasing transaction numbers, and every retryable write has one',
  *breaches(history) {
    const last = new Map<string, { readonly number: bigint; readonly request: Dispatched }>();
    for (const one of sentOf(history)) {
      const { session, txnNumber, request } = one;
      const { kind, retryable } = request.operation;
      const isNumbered = kind === 'write' && retryable !== false && history.plan.settings.retryWrites;
      if (isNumbered !== (txnNumber !== undefined))
        yield `${sentText(one)} ${isNumbered ? 'lacks a' : 'has a'} transaction number`;
      if (session === undefined || txnNumber === undefined) continue;
      const before = last.get(session);
      if (before !== undefined && before.request !== request && txnNumber <= before.number)
        yield `${sentText(one)} has transaction number ${txnNumber} after ${before.number}`;
      last.set(session, { number: txnNumber, request });
    }
  },
};

/**
 * For each attempt, the position at which it ended for its session: at its reply, or at its report to the retry policy.
 */
const endsOfAttempts = (history: History): ReadonlyMap<Sent, number> => {
  const ends = new Map<Sent, number>();
  for (const { index, last } of factsWithLast(history, 'heard', 'decided', 'settled'))
    if (last !== undefined && !ends.has(last)) ends.set(last, index);
  return ends;
};

export const neverShared: Invariant = {
  name: 'operations in progress do not share a session, except the killCursors of a cursor in an explicit session',
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
        if (past.has(request)) yield `${sentText(one)} uses a session that another operation has used since`;
        if (before !== undefined && before.request !== request) {
          past.add(before.request);
          if ((ends.get(before) ?? Infinity) > one.index)
            yield `${sentText(one)} shares its session with ${sentText(before)}`;
        }
        before = one;
      }
    }
  },
};

/** The first command of a session that may still run on the server: its position in the history and its owner. */
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
  name: 'a session id with a command that may still run on the server is not used by another session',
  *breaches(history) {
    const stains = stainsOf(history);
    for (const one of sentOf(history)) {
      const stain = stains.get(one.session ?? '');
      if (stain !== undefined && one.index > stain.index && one.request.owner !== stain.owner)
        yield `${sentText(one)} uses the id of a dirty session`;
    }
  },
};

export const sendsClusterTime: Invariant = {
  name: 'the cluster time sent is the newest received, and never decreases',
  *breaches(history) {
    let newest = 0n;
    for (const { fact, sent } of entriesWithSent(history)) {
      if (fact.is === 'heard' && fact.clusterTime !== undefined && fact.clusterTime > newest) newest = fact.clusterTime;
      if (sent !== undefined && (sent.clusterTime ?? 0n) !== newest)
        yield `${sentText(sent)} has cluster time ${String(sent.clusterTime)}, but ${newest} was received`;
    }
  },
};

const causalReads: ReadonlySet<string> = new Set(['find', 'aggregate', 'distinct', 'count']);

export const readsAfter: Invariant = {
  name: 'a read in a causally consistent session sends the newest operation time of its session, and no other read does',
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
        yield `${sentText(one)} has afterClusterTime ${String(one.afterClusterTime)} instead of ${String(wanted)}`;
    }
  },
};

export const sessionsReturn: Invariant = {
  name: 'sessions are released after their last operation, and are reused before a new one is created',
  *breaches(history) {
    /** The last owner of each session id. */
    const lastOwner = new Map<string, number>();
    const free = new Map<number, number>();
    const longer = new Map<number, string>();
    const stains = stainsOf(history);
    let isClosing = false;
    for (const { at: time, index, fact, sent: one } of entriesWithSent(history)) {
      // From here on the client has no session pool.
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
            yield `${sentText(one)} creates a session although that of owner ${owner} was free since ${at(free.get(owner)!)}`;
        }
      }
      lastOwner.set(session, request.owner);
    }
    for (const [owner, session] of longer) yield `the ${session} session of owner ${owner} was never released`;
  },
};
