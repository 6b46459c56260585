import { MongoError } from '@tessera/contracts';
import type { Clock, FailedAttempt, Millis } from '@tessera/contracts';
import { around } from '../../kernel/around.js';
import { belowSessions, catching, connectionsAround, deciding, deploymentAround } from '../../kernel/doors.js';
import { endsInTime } from '../../kernel/invariants/calls.js';
import { neverTwice } from '../../kernel/invariants/marks.js';
import type { Mutant } from '../../kernel/kind.js';
import { endsWithClient, failsAsItMay } from '../invariants/calls.js';
import {
  attemptsAreTold,
  oweNothing,
  raisesTheRight,
  retriesEnd,
  retriesWhatPasses,
  waitsWhenOverloaded,
} from '../invariants/retries.js';
import { acknowledgedIsThere, unsentIsNotThere } from '../invariants/writes.js';

const isOverload = (error: unknown): boolean => MongoError.is(error) && error.labels.includes('SystemOverloadedError');

/** As if only these attempts had failed. */
const forgetting = (failed: FailedAttempt, failures: readonly MongoError[]): FailedAttempt => ({
  ...failed,
  failures,
  attempt: failures.length,
});

export const retryMutants: readonly Mutant[] = [
  {
    name: 'layer-believes-what-was-lost',
    sentence: 'a write whose connection broke is taken for done',
    breaks: acknowledgedIsThere,
    parts: () =>
      catching((error, { operation }) => {
        if (!MongoError.is(error) || error.origin?.sent !== true || operation.kind !== 'write') throw error;
        return { acknowledged: true, n: 1, nModified: 1, upserted: [], errors: [], taken: 1 };
      }),
  },
  {
    name: 'layer-repeats-writes',
    sentence: 'a write whose connection broke is begun anew, as another one',
    breaks: neverTwice,
    parts: () =>
      catching((error, { operation }, again) => {
        if (!MongoError.is(error) || error.kind === 'server' || error.kind === 'aborted') throw error;
        if (operation.kind !== 'write' || error.origin?.sent !== true) throw error;
        return again();
      }),
  },
  {
    name: 'errors-deny-the-sending',
    sentence: 'an error says that nothing was sent, whatever happened',
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
    name: 'policy-repeats-what-it-may-not',
    sentence: 'a write that could be done twice is tried again',
    breaks: retriesWhatPasses,
    parts: () =>
      deciding(decide => failed => {
        const bold = around(failed.request.operation, { retryable: true });
        return decide({ ...failed, request: { ...failed.request, operation: bold } });
      }),
  },
  {
    name: 'policy-retries-twice',
    sentence: 'a read is tried again more often than it may be',
    breaks: retriesEnd,
    parts: () =>
      deciding(
        decide => failed =>
          decide(failed.request.operation.kind === 'read' ? forgetting(failed, failed.failures.slice(-1)) : failed),
      ),
  },
  {
    name: 'policy-counts-by-kind',
    sentence: 'retries are counted for each kind of error and each code, and not in all',
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
    sentence: 'an overloaded server is asked again at once',
    breaks: waitsWhenOverloaded,
    parts: () =>
      deciding(decide => failed => {
        const decision = decide(failed);
        return decision.retry ? { ...decision, after: 0 } : decision;
      }),
  },
  {
    name: 'policy-raises-the-newest',
    sentence: 'the newest error is raised, even if nothing was tried',
    breaks: raisesTheRight,
    parts: () =>
      deciding(decide => failed => {
        const decision = decide(failed);
        const raise = failed.failures.at(-1);
        return decision.retry || raise === undefined ? decision : { ...decision, raise };
      }),
  },
  {
    name: 'errors-tell-the-last-attempt',
    sentence: 'an error tells nothing of the attempts before the last',
    breaks: attemptsAreTold,
    parts: () =>
      catching(error => {
        if (MongoError.is(error)) error.attempts = error.attempts.slice(-1);
        throw error;
      }),
  },
  {
    name: 'attempt-restarts-the-deadline',
    sentence: 'each attempt has the whole time of its operation',
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
    sentence: 'the wait after an overload does not heed the deadline',
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
    name: 'connection-returns-with-a-debt',
    sentence: 'the connection of an operation that was aborted is free at once, though its answer is still to come',
    breaks: oweNothing,
    parts: () =>
      connectionsAround(connection => ({
        detach: error => {
          const free = connection.detach(error);
          return free instanceof Promise ? true : free;
        },
      })),
  },
  {
    name: 'deployment-goes-on-after-close',
    sentence: 'a deployment that is closed lets what is under way go on',
    breaks: endsWithClient,
    parts: () => deploymentAround(() => ({ interrupt: () => undefined, close: () => Promise.resolve() })),
  },
  {
    name: 'facade-throws-others',
    sentence: 'a call fails with an error that says nothing of where and why',
    breaks: failsAsItMay,
    parts: () =>
      catching(() => {
        throw new TypeError('undefined is not a function');
      }),
  },
];
