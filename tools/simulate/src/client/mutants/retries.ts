import { MongoError } from '@tessera/contracts';
import type { Clock, FailedAttempt, Millis } from '@tessera/contracts';
import { around } from '../../kernel/around.js';
import { belowSessions, catching, connectionsAround, deciding, deploymentAround } from '../../kernel/doors.js';
import { endsInTime } from '../../kernel/invariants/calls.js';
import { neverTwice } from '../../kernel/invariants/marks.js';
import type { Mutant } from '../../kernel/kind.js';
import { endsWithClient, failsAsAllowed } from '../invariants/calls.js';
import {
  attemptsAreListed,
  noReplyOutstanding,
  raisesTheRightError,
  retriesEnd,
  retriesOnlyTransientErrors,
  waitsWhenOverloaded,
} from '../invariants/retries.js';
import { acknowledgedIsThere, unsentIsNotThere } from '../invariants/writes.js';

const isOverload = (error: unknown): boolean => MongoError.is(error) && error.labels.includes('SystemOverloadedError');

/** Returns the failed attempt as if these were its only failures. */
const forgetting = (failed: FailedAttempt, failures: readonly MongoError[]): FailedAttempt => ({
  ...failed,
  failures,
  attempt: failures.length,
});

export const retryMutants: readonly Mutant[] = [
  {
    name: 'layer-acknowledges-lost-writes',
    sentence: 'a write is acknowledged although its connection broke',
    breaks: acknowledgedIsThere,
    parts: () =>
      catching((error, { operation }) => {
        if (!MongoError.is(error) || error.origin?.sent !== true || operation.kind !== 'write') throw error;
        return { acknowledged: true, n: 1, nModified: 1, upserted: [], errors: [], taken: 1 };
      }),
  },
  {
    name: 'layer-repeats-writes',
    sentence: 'a write whose connection broke is sent again with a new transaction number',
    breaks: neverTwice,
    parts: () =>
      catching((error, { operation }, again) => {
        if (!MongoError.is(error) || error.kind === 'server' || error.kind === 'aborted') throw error;
        if (operation.kind !== 'write' || error.origin?.sent !== true) throw error;
        return again();
      }),
  },
  {
    name: 'errors-claim-nothing-was-sent',
    sentence: 'an error always reports that nothing was sent',
    breaks: unsentIsNotThere,
    parts: () =>
      catching(error => {
        if (MongoError.is(error))
          for (const { error: failure } of error.attempts)
            if (failure.origin !== undefined) failure.origin = { ...failure.origin, sent: false };
        throw error;
      }),
  },
  {
    name: 'policy-retries-unsafe-writes',
    sentence: 'a write that could be carried out twice is retried',
    breaks: retriesOnlyTransientErrors,
    parts: () =>
      deciding(decide => failed => {
        const bold = around(failed.request.operation, { retryable: true });
        return decide({ ...failed, request: { ...failed.request, operation: bold } });
      }),
  },
  {
    name: 'policy-retries-twice',
    sentence: 'a read is retried more often than allowed',
    breaks: retriesEnd,
    parts: () =>
      deciding(
        decide => failed =>
          decide(failed.request.operation.kind === 'read' ? forgetting(failed, failed.failures.slice(-1)) : failed),
      ),
  },
  {
    name: 'policy-counts-by-kind',
    sentence: 'retries are counted for each kind of error and each code, not in total',
    breaks: retriesEnd,
    parts: () =>
      deciding(decide => failed => {
        const newest = failed.failures.at(-1);
        const alike = failed.failures.filter(({ kind, code }) => kind === newest?.kind && code === newest.code);
        return decide(forgetting(failed, alike));
      }),
  },
  {
    name: 'policy-never-waits',
    sentence: 'a retry after an overload error does not wait',
    breaks: waitsWhenOverloaded,
    parts: () =>
      deciding(decide => failed => {
        const decision = decide(failed);
        return decision.retry ? { ...decision, after: 0 } : decision;
      }),
  },
  {
    name: 'policy-throws-the-newest',
    sentence: 'the newest error is thrown even if its attempt never reached a server',
    breaks: raisesTheRightError,
    parts: () =>
      deciding(decide => failed => {
        const decision = decide(failed);
        const raise = failed.failures.at(-1);
        return decision.retry || raise === undefined ? decision : { ...decision, raise };
      }),
  },
  {
    name: 'errors-list-only-the-last-attempt',
    sentence: 'an error omits the attempts before the last',
    breaks: attemptsAreListed,
    parts: () =>
      catching(error => {
        if (MongoError.is(error)) error.attempts = error.attempts.slice(-1);
        throw error;
      }),
  },
  {
    name: 'attempt-restarts-the-deadline',
    sentence: 'each attempt gets the whole timeout of its operation',
    breaks: endsInTime,
    parts: () => {
      const spans = new Map<Millis, Millis>();
      let clock: Pick<Clock, 'now'> | undefined;
      return {
        ...connectionsAround((connection, _, now) => {
          clock = now;
          return {
            start: (message, deadline) => {
              const span = spans.get(deadline);
              connection.start(message, span === undefined ? deadline : now.now() + span);
            },
          };
        }),
        outerLayers: [
          next => request => {
            if (clock !== undefined && request.deadline < Infinity)
              spans.set(request.deadline, request.deadline - clock.now());
            return next(request);
          },
        ],
      };
    },
  },
  {
    name: 'backoff-outlasts-the-deadline',
    sentence: 'the backoff after an overload error ignores the deadline',
    breaks: endsInTime,
    parts: () =>
      belowSessions(
        (next, _, clock) => request =>
          next(request).catch(async (error: unknown) => {
            if (!isOverload(error)) throw error;
            await clock.sleep(6000, request.signal);
            return next(request);
          }),
      ),
  },
  {
    name: 'connection-returns-before-its-reply',
    sentence: 'the connection of an aborted operation is released before its reply arrives',
    breaks: noReplyOutstanding,
    parts: () =>
      connectionsAround(connection => ({
        detach: error => {
          const free = connection.detach(error);
          return free instanceof Promise ? true : free;
        },
      })),
  },
  {
    name: 'deployment-continues-after-close',
    sentence: 'operations in progress continue after the deployment is closed',
    breaks: endsWithClient,
    parts: () => deploymentAround(() => ({ interrupt: () => undefined, close: () => Promise.resolve() })),
  },
  {
    name: 'facade-throws-foreign-errors',
    sentence: 'a call fails with an error that is not a MongoError',
    breaks: failsAsAllowed,
    parts: () =>
      catching(() => {
        throw new TypeError('This is not a MongoError.');
      }),
  },
];
