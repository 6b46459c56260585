/** Invariants of retries: their number, their conditions, their backoff, and the error that is thrown at the end. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';
import { at, factsOf, grouped } from '../../kernel/invariant.js';
import type { Invariant } from '../../kernel/invariant.js';
import type { Dispatched, History } from '../../kernel/record.js';
import { errorText } from '../../kernel/words.js';
import { entriesWithSent, sentOf, sentText } from './commands.js';
import type { Sent } from './commands.js';

/** The default of maxAdaptiveRetries, which applies after an overload error. */
const overloadRetries = 2;
/** The smallest backoff, which then doubles. */
const baseBackoff: Millis = 100;
/** Specification: Retryable Reads, "Retryable Error". */
const passingReads: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001],
  ...[10107, 11600, 11602, 13435, 13436],
]);

const isOverload = ({ labels }: MongoError): boolean => labels.includes('SystemOverloadedError');
const isRetryableOverload = (error: MongoError): boolean =>
  isOverload(error) && error.labels.includes('RetryableError');

/** Returns, for each request, all failures that the retry policy received. */
const failuresOf = (history: History): ReadonlyMap<Dispatched, readonly MongoError[]> =>
  new Map([...factsOf(history, 'decided')].map(({ fact }) => [fact.request, fact.failures]));

export const retriesEnd: Invariant = {
  name: 'an operation is retried once, until its deadline with timeoutMS, and at most twice after an overload error',
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

/** Returns whether the specifications allow a retry after this error. */
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

export const retriesOnlyTransientErrors: Invariant = {
  name: 'operations that could be carried out twice or would fail again are not retried',
  *breaches(history) {
    const { retryReads, retryWrites } = history.plan.settings;
    for (const { at: time, fact } of factsOf(history, 'decided')) {
      const { request, decision, failures } = fact;
      const newest = failures.at(-1);
      if (!decision.retry || newest === undefined) continue;
      const { operation } = request;
      if (!mayPass(newest, operation, operation.kind === 'read' ? retryReads : retryWrites))
        yield `${operation.name} (request ${request.number}) is retried at ${at(time)} after ${errorText(newest)}`;
    }
  },
};

export const waitsWhenOverloaded: Invariant = {
  name: 'a retry after an overload error waits for the backoff',
  *breaches(history) {
    const waiting = new Map<Dispatched, Millis>();
    for (const { at: time, fact } of factsOf(history, 'decided', 'attempted')) {
      const { request } = fact;
      const until = waiting.get(request);
      waiting.delete(request);
      if (fact.is === 'attempted') {
        if (until !== undefined && time < until)
          yield `request ${request.number} is retried at ${at(time)}, before ${at(until)}`;
      } else if (fact.decision.retry && isOverload(fact.failures.at(-1)!))
        // Allow a microsecond for rounding.
        waiting.set(request, time + fact.chance * baseBackoff - 0.001);
    }
  },
};

/**
 * Returns the error to throw: the newest one of an attempt that reached a server, else the first. Specifications:
 * Retryable Writes; Retryable Reads.
 */
const errorOf = (failures: readonly MongoError[], isRead: boolean): MongoError | undefined => {
  const newest = failures.at(-1);
  if (newest?.kind === 'aborted' || newest?.kind === 'closed') return newest;
  const isInformative = ({ kind, origin, labels }: MongoError): boolean =>
    isRead
      ? kind !== 'usage' && origin?.phase !== 'select' && origin?.phase !== 'checkOut'
      : origin?.sent === true && origin.phase === 'command' && !labels.includes('NoWritesPerformed');
  return failures.findLast(isInformative) ?? failures[0];
};

export const raisesTheRightError: Invariant = {
  name: 'the error thrown is that of the attempt that the specifications name, or a timeout error',
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

export const attemptsAreListed: Invariant = {
  name: 'an error lists every attempt of its operation in order',
  *breaches(history) {
    const all = failuresOf(history);
    const written = grouped(sentOf(history), ({ request }) => request);
    for (const { fact } of factsOf(history, 'settled')) {
      const { request, error } = fact;
      const failures = all.get(request);
      if (!MongoError.is(error) || failures === undefined) continue;
      const { attempts } = error;
      if (attempts.length !== failures.length || attempts.some((one, place) => one.error !== failures[place]))
        yield `request ${request.number} failed ${failures.length} times, and its error lists ${attempts.length} attempts`;
      const sent = written.get(request)?.length ?? 0;
      if (sent > attempts.length)
        yield `request ${request.number} was sent ${sent} times, and its error lists ${attempts.length} attempts`;
    }
  },
};

export const noReplyOutstanding: Invariant = {
  name: 'a connection with an outstanding reply is never handed out',
  *breaches(history) {
    const answered = new Set<number>();
    const last = new Map<number, Sent>();
    for (const { at: time, fact, sent } of entriesWithSent(history)) {
      if (sent !== undefined) last.set(sent.connectionId, sent);
      if (fact.is === 'answered') answered.add(fact.requestId);
      if (fact.is !== 'given') continue;
      const owed = last.get(fact.connectionId);
      if (owed !== undefined && !answered.has(owed.requestId))
        yield `#${fact.connectionId} is handed out at ${at(time)} before the reply to ${sentText(owed)}`;
    }
  },
};
