/** Of retries: whether, how often, how soon, and what is told in the end. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';
import { at, factsOf, grouped } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import type { Dispatched, History } from '../../kernel/record.js';
import { errorText } from '../../kernel/words.js';
import { entriesWithSent, sentOf, told } from './commands.js';
import type { Sent } from './commands.js';

/** The default of maxAdaptiveRetries, once a server was overloaded. */
const overloadRetries = 2;
/** The least that a wait doubles from. */
const baseBackoff: Millis = 100;
/** Rule: Retryable Reads, "Retryable Error". */
const passingReads: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001],
  ...[10107, 11600, 11602, 13435, 13436],
]);

const isOverload = ({ labels }: MongoError): boolean => labels.includes('SystemOverloadedError');
const isRetryableOverload = (error: MongoError): boolean =>
  isOverload(error) && error.labels.includes('RetryableError');

/** What the policy was asked about a request last: all its failures. */
const failuresOf = (history: History): ReadonlyMap<Dispatched, readonly MongoError[]> =>
  new Map([...factsOf(history, 'decided')].map(({ fact }) => [fact.request, fact.failures]));

export const retriesEnd: Invariant = {
  name: 'an operation is retried once; under timeoutMS while there is time; twice in all once a server was overloaded',
  *breaches(history) {
    const failures = new Map<Dispatched, MongoError[]>();
    for (const { at: time, fact } of factsOf(history, 'decided', 'attempted')) {
      const { request } = fact;
      const before = failures.get(request) ?? [];
      if (fact.is === 'decided') failures.set(request, [...before, fact.failures.at(-1)!]);
      else {
        const { deadline, operation } = request;
        const least = deadline < Infinity ? Infinity : 1;
        const most = before.some(isOverload) ? overloadRetries : least;
        if (before.length > most)
          yield `${operation.name} (request ${request.number}) begins attempt ${before.length + 1} at ${at(time)}`;
      }
    }
  },
};

/** Whether the rules let an operation be tried again after this. */
const mayPass = (error: MongoError, { kind, retryable }: Dispatched['operation'], isGateOpen: boolean): boolean => {
  if (error.kind === 'aborted' || error.kind === 'closed' || error.kind === 'usage' || !isGateOpen) return false;
  if (isRetryableOverload(error)) return true;
  if (retryable === false || kind === 'either') return false;
  if (kind === 'write') return error.labels.includes('RetryableWriteError');
  if (error.kind === 'server') return passingReads.has(error.code);
  const phase = error.origin?.phase;
  return error.kind === 'pool'
    ? error.cause !== undefined
    : (error.kind === 'network' || error.kind === 'timeout') && phase !== 'select' && phase !== 'checkOut';
};

export const retriesWhatPasses: Invariant = {
  name: 'nothing is tried again that could be done twice, or would only fail again',
  *breaches(history) {
    const { retryReads, retryWrites } = history.plan.settings;
    for (const { at: time, fact } of factsOf(history, 'decided')) {
      const { request, decision, failures } = fact;
      const newest = failures.at(-1);
      if (!decision.retry || newest === undefined) continue;
      const { operation } = request;
      if (!mayPass(newest, operation, operation.kind === 'read' ? retryReads : retryWrites))
        yield `${operation.name} (request ${request.number}) is to be retried at ${at(time)} after ${errorText(newest)}`;
    }
  },
};

export const waitsWhenOverloaded: Invariant = {
  name: 'after an overloaded server said so nobody tries again without a wait',
  *breaches(history) {
    const waiting = new Map<Dispatched, Millis>();
    for (const { at: time, fact } of factsOf(history, 'decided', 'attempted')) {
      const { request } = fact;
      const until = waiting.get(request);
      waiting.delete(request);
      if (fact.is === 'attempted') {
        if (until !== undefined && time < until)
          yield `request ${request.number} is tried again at ${at(time)}, before ${at(until)}`;
      } else if (fact.decision.retry && isOverload(fact.failures.at(-1)!))
        // A microsecond for sums of fractions.
        waiting.set(request, time + fact.chance * baseBackoff - 0.001);
    }
  },
};

/** Rules: Retryable Writes; Retryable Reads: the newest that tells that something was tried, else the first. */
const errorOf = (failures: readonly MongoError[], isRead: boolean): MongoError | undefined => {
  const newest = failures.at(-1);
  if (newest?.kind === 'aborted' || newest?.kind === 'closed') return newest;
  const tells = ({ kind, origin, labels }: MongoError): boolean =>
    isRead
      ? kind !== 'usage' && origin?.phase !== 'select' && origin?.phase !== 'checkOut'
      : origin?.sent === true && origin.phase === 'command' && !labels.includes('NoWritesPerformed');
  return failures.findLast(tells) ?? failures[0];
};

export const raisesTheRight: Invariant = {
  name: 'the error raised is that of the attempt that the rules name, or of time that was up',
  *breaches(history) {
    const all = failuresOf(history);
    for (const { at: time, fact } of factsOf(history, 'settled')) {
      const { request, error } = fact;
      const failures = all.get(request);
      if (error === undefined || failures === undefined) continue;
      const { operation, deadline } = request;
      const expected = errorOf(failures, operation.kind === 'read');
      const isOfTime =
        deadline < Infinity &&
        MongoError.is(error) &&
        error.kind === 'timeout' &&
        (error === failures.at(-1) || error.cause === expected);
      if (error !== expected && !isOfTime)
        yield `${operation.name} (request ${request.number}) failed at ${at(time)} with ${errorText(error)} instead of ${errorText(expected)}`;
    }
  },
};

export const attemptsAreTold: Invariant = {
  name: 'an error tells every attempt of its operation, in their order',
  *breaches(history) {
    const all = failuresOf(history);
    const written = grouped(sentOf(history), ({ request }) => request);
    for (const { fact } of factsOf(history, 'settled')) {
      const { request, error } = fact;
      const failures = all.get(request);
      if (!MongoError.is(error) || failures === undefined) continue;
      const { attempts } = error;
      if (attempts.length !== failures.length || attempts.some((one, place) => one.error !== failures[place]))
        yield `request ${request.number} failed ${failures.length} times, and its error tells ${attempts.length}`;
      const sent = written.get(request)?.length ?? 0;
      if (sent > attempts.length)
        yield `request ${request.number} was sent ${sent} times, its error tells ${attempts.length}`;
    }
  },
};

export const oweNothing: Invariant = {
  name: 'a connection that owes an answer is given to nobody',
  *breaches(history) {
    const answered = new Set<number>();
    const last = new Map<number, Sent>();
    for (const { at: time, fact, sent } of entriesWithSent(history)) {
      if (sent !== undefined) last.set(sent.connectionId, sent);
      if (fact.is === 'answered') answered.add(fact.requestId);
      if (fact.is !== 'given') continue;
      const owed = last.get(fact.connectionId);
      if (owed !== undefined && !answered.has(owed.requestId))
        yield `#${fact.connectionId} is given at ${at(time)}, and owes the answer to ${told(owed)}`;
    }
  },
};
