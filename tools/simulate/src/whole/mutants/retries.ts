import { MongoError } from '@tessera/contracts';
import type { Clock, Millis } from '@tessera/contracts';
import { createConnect } from '@tessera/connection';
import { createSessions } from '@tessera/session';
import { endsInTime } from '../../invariants/operations.js';
import { deploymentAround } from '../../mutants/mutant.js';
import type { Mutant } from '../../mutants/mutant.js';
import { endsWithClient } from '../invariants/closing.js';
import {
  attemptsAreTold,
  failsAsItMay,
  oweNothing,
  raisesTheRight,
  retriesEnd,
  retriesWhatPasses,
  waitsWhenOverloaded,
} from '../invariants/retries.js';
import { acknowledgedIsThere, neverTwice, unsentIsNotThere } from '../invariants/writes.js';
import { policyAround, requestWith } from './doors.js';

const isOverload = (error: unknown): boolean => MongoError.is(error) && error.labels.includes('SystemOverloadedError');

const believesLost: Mutant = {
  name: 'layer-believes-what-was-lost',
  sentence: 'a write whose connection broke is taken for done',
  breaks: acknowledgedIsThere,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (!MongoError.is(error) || error.origin?.sent !== true || request.operation.kind !== 'write') throw error;
          return { n: 1, nModified: 1, upserted: [], errors: [], taken: 1 } as never;
        }),
    ],
  }),
};

const repeatsAnew: Mutant = {
  name: 'layer-repeats-writes',
  sentence: 'a write whose connection broke is begun anew, as another one',
  breaks: neverTwice,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (!MongoError.is(error) || error.kind === 'server' || error.kind === 'aborted') throw error;
          if (request.operation.kind !== 'write' || error.origin?.sent !== true) throw error;
          return next(request);
        }),
    ],
  }),
};

const deniesSending: Mutant = {
  name: 'errors-deny-the-sending',
  sentence: 'an error says that nothing was sent, whatever happened',
  breaks: unsentIsNotThere,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (MongoError.is(error))
            for (const { error: failure } of error.attempts)
              if (failure.origin !== undefined) failure.origin = { ...failure.origin, sent: false };
          throw error;
        }),
    ],
  }),
};

const repeatsAll: Mutant = {
  name: 'policy-repeats-what-it-may-not',
  sentence: 'a write that could be done twice is tried again',
  breaks: retriesWhatPasses,
  parts: () =>
    policyAround(policy => (request, failures, topology, unit) => {
      const { name, db, kind, selection, answer } = request.operation;
      const bold = { name, db, kind, selection, answer, retryable: true, body: () => undefined, read: () => undefined };
      return policy.decide(requestWith(request, { operation: bold }), failures, topology, unit);
    }),
};

const countsNothing: Mutant = {
  name: 'policy-retries-twice',
  sentence: 'a read is tried again more often than it may be',
  breaks: retriesEnd,
  parts: () =>
    policyAround(
      policy => (request, failures, topology, unit) =>
        policy.decide(request, request.operation.kind === 'read' ? failures.slice(-1) : failures, topology, unit),
    ),
};

const countsByKind: Mutant = {
  name: 'policy-counts-by-kind',
  sentence: 'retries are counted for each kind of error and each code, and not in all',
  breaks: retriesEnd,
  parts: () =>
    policyAround(policy => (request, failures, topology, unit) => {
      const newest = failures.at(-1);
      const alike = failures.filter(({ kind, code }) => kind === newest?.kind && code === newest.code);
      return policy.decide(request, alike, topology, unit);
    }),
};

const neverWaits: Mutant = {
  name: 'policy-never-waits',
  sentence: 'an overloaded server is asked again at once',
  breaks: waitsWhenOverloaded,
  parts: () =>
    policyAround(policy => (request, failures, topology, unit) => {
      const decision = policy.decide(request, failures, topology, unit);
      return decision.retry ? { ...decision, after: 0 } : decision;
    }),
};

const raisesNewest: Mutant = {
  name: 'policy-raises-the-newest',
  sentence: 'the newest error is raised, even if nothing was tried',
  breaks: raisesTheRight,
  parts: () =>
    policyAround(policy => (request, failures, topology, unit) => {
      const decision = policy.decide(request, failures, topology, unit);
      const raise = failures.at(-1);
      return decision.retry || raise === undefined ? decision : { ...decision, raise };
    }),
};

const tellsTheLast: Mutant = {
  name: 'errors-tell-the-last-attempt',
  sentence: 'an error tells nothing of the attempts before the last',
  breaks: attemptsAreTold,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch((error: unknown) => {
          if (MongoError.is(error)) error.attempts = error.attempts.slice(-1);
          throw error;
        }),
    ],
  }),
};

const restartsDeadlines: Mutant = {
  name: 'attempt-restarts-the-deadline',
  sentence: 'each attempt has the whole time of its operation',
  breaks: endsInTime,
  parts: () => {
    const spans = new Map<Millis, Millis>();
    let clock: Pick<Clock, 'now'> | undefined;
    return {
      connect: (deps, options) => {
        clock = deps.clock;
        const connect = createConnect(deps, options);
        return async (to, how) => {
          const connection = await connect(to, how);
          const start = connection.start.bind(connection);
          return Object.assign(connection, {
            start: (message: Parameters<typeof start>[0], deadline: Millis) => {
              const span = spans.get(deadline);
              start(message, span === undefined ? deadline : deps.clock.now() + span);
            },
          });
        };
      },
      outerLayers: [
        next => request => {
          if (clock !== undefined && request.deadline < Infinity)
            spans.set(request.deadline, request.deadline - clock.now());
          return next(request);
        },
      ],
    };
  },
};

const waitsTooLong: Mutant = {
  name: 'backoff-outlasts-the-deadline',
  sentence: 'the wait after an overload does not heed the deadline',
  breaks: endsInTime,
  parts: () => ({
    sessions: (deps, options) => {
      const sessions = createSessions(deps, options);
      return {
        ...sessions,
        layer: next =>
          sessions.layer(request =>
            next(request).catch(async (error: unknown) => {
              if (!isOverload(error)) throw error;
              await deps.clock.sleep(6000, request.signal);
              return next(request);
            }),
          ),
      };
    },
  }),
};

const givesBackBusy: Mutant = {
  name: 'connection-returns-with-a-debt',
  sentence: 'the connection of an operation that was aborted is free at once, though its answer is still to come',
  breaks: oweNothing,
  parts: () => ({
    connect: (deps, options) => {
      const connect = createConnect(deps, options);
      return async (to, how) => {
        const connection = await connect(to, how);
        const detach = connection.detach.bind(connection);
        return Object.assign(connection, {
          detach: (error: MongoError) => {
            const free = detach(error);
            return free instanceof Promise ? true : free;
          },
        });
      };
    },
  }),
};

const goesOn: Mutant = {
  name: 'deployment-goes-on-after-close',
  sentence: 'a deployment that is closed lets what is under way go on',
  breaks: endsWithClient,
  parts: () => deploymentAround(() => ({ interrupt: () => undefined, close: () => Promise.resolve() })),
};

const throwsOthers: Mutant = {
  name: 'facade-throws-others',
  sentence: 'a call fails with an error that says nothing of where and why',
  breaks: failsAsItMay,
  parts: () => ({
    outerLayers: [
      next => request =>
        next(request).catch(() => {
          throw new TypeError('undefined is not a function');
        }),
    ],
  }),
};

export const retryMutants: readonly Mutant[] = [
  believesLost,
  repeatsAnew,
  deniesSending,
  repeatsAll,
  countsNothing,
  countsByKind,
  neverWaits,
  raisesNewest,
  tellsTheLast,
  restartsDeadlines,
  waitsTooLong,
  givesBackBusy,
  goesOn,
  throwsOthers,
];
