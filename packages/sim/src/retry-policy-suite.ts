import type {
  ErrorKind,
  FailedAttempt,
  Operation,
  Origin,
  Phase,
  Request,
  RetryDecision,
  RetryPolicy,
  ServerType,
  Session,
  TopologyType,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { expectEqual, expectTrue } from './case.js';
import type { ContractCase } from './case.js';
import { createChance } from './chance.js';
import type { Chance } from './chance.js';
import { requestOf } from './request.js';

const kinds: readonly ErrorKind[] = [
  ...(['network', 'timeout', 'server', 'protocol', 'pool'] as const),
  ...(['selection', 'auth', 'usage', 'aborted'] as const),
];
const phases: readonly Phase[] = ['select', 'checkOut', 'resolve', 'connect', 'hello', 'auth', 'command'];
const topologies: readonly TopologyType[] = [
  ...(['Single', 'ReplicaSetNoPrimary', 'ReplicaSetWithPrimary'] as const),
  ...(['Sharded', 'LoadBalanced', 'Unknown'] as const),
];
const serverTypes: readonly ServerType[] = [
  'Standalone',
  'Mongos',
  'RSPrimary',
  'RSSecondary',
  'LoadBalancer',
  'Unknown',
];
const labels = ['RetryableWriteError', 'TransientTransactionError', 'NoWritesPerformed'];
const overload = ['SystemOverloadedError', 'RetryableError'];
/** Error codes: some retryable for some operations, some from the specification's list, and others. */
const codes = [undefined, 0, 6, 7, 20, 50, 89, 91, 134, 189, 262, 391, 9001, 10107, 11000, 11600, 11602, 13435, 13436];

const pick = <T>(chance: Chance, items: readonly T[]): T => {
  const item = items[chance.below(items.length)];
  if (item === undefined && items.length === 0) throw new Error('The list of items is empty.');
  return item as T;
};

const anyOrigin = (chance: Chance): Origin | undefined => {
  if (chance.happens(0.1)) return undefined;
  const phase = pick(chance, phases);
  return {
    phase,
    sent: phase === 'command' && chance.happens(0.8),
    address: pick(chance, ['db1:27017', 'db2:27017', undefined]),
    generation: 0,
    serverType: chance.happens(0.5) ? undefined : pick(chance, serverTypes),
    ...(chance.happens(0.5) ? {} : { maxWireVersion: pick(chance, [8, 9, 25]), hasSessions: chance.happens(0.5) }),
  };
};

const anyError = (chance: Chance, kind = pick(chance, kinds)): MongoError => {
  const code = pick(chance, codes);
  return new MongoError(kind, pick(chance, ['it failed', 'Transaction numbers are only allowed on a replica set']), {
    cause: chance.happens(0.5) ? new MongoError('network', 'the cause') : undefined,
    labels: [...labels.filter(() => chance.happens(0.2)), ...overload.filter(() => chance.happens(0.2))],
    code,
    reply: code === undefined ? undefined : { ok: pick(chance, [0, 1]), code, writeConcernError: { code } },
    origin: anyOrigin(chance),
  });
};

const anyOperation = (chance: Chance): Partial<Operation<unknown>> => ({
  kind: pick(chance, ['read', 'write', 'either'] as const),
  retryable: pick(chance, [true, true, false, 'always'] as const),
  answer: pick(chance, ['one', 'one', 'none', 'many'] as const),
});

const isOverload = (error: MongoError): boolean => overload.every(label => error.labels.includes(label));

/**
 * Returns the cases of {@link RetryPolicy}: it decides after any failure, and stops eventually. The suite does not
 * prescribe which errors are retried, only which must never be.
 * @param createPolicy called for each case, because a policy may have state
 */
export const retryPolicySuite = (createPolicy: () => RetryPolicy): readonly ContractCase[] => {
  const rounds = 500;
  const one = (name: string, run: () => void): ContractCase => ({
    name,
    run: () =>
      new Promise(resolve => {
        run();
        resolve();
      }),
  });

  /** Explains which failures made the policy throw. */
  const decide = (policy: RetryPolicy, failed: FailedAttempt): RetryDecision => {
    try {
      return policy.decide(failed);
    } catch (cause) {
      const { failures } = failed;
      const last = failures.at(-1);
      throw new Error(
        `The policy threw in decide after ${failures.length} failures, the last: ${last?.kind} in ${last?.origin?.phase}`,
        {
          cause,
        },
      );
    }
  };

  /** Calls the policy with any topology and any random numbers. */
  const failedBy = (chance: Chance, request: Request<unknown>, failures: readonly MongoError[]): FailedAttempt => ({
    request,
    failures,
    attempt: failures.length,
    topology: pick(chance, topologies),
    chance: chance.unit(),
  });

  const isKnown = (raised: MongoError, failures: readonly MongoError[]): boolean =>
    failures.some(failure => raised === failure || raised.cause === failure);

  const never = (what: string, request: Request<unknown>, error: MongoError): void => {
    for (const topology of topologies) {
      const decision = decide(createPolicy(), { request, failures: [error], attempt: 1, topology, chance: 0.5 });
      expectTrue(!decision.retry, `no retry of ${what} (${topology})`);
      expectTrue(isKnown(decision.raise, [error]), `the error that is raised is the failure, or explains it: ${what}`);
    }
  };

  return [
    one('RetryPolicy.decide: never throws; the error to raise is one of the given failures or explains it', () => {
      const chance = createChance(1);
      for (let round = 0; round < rounds; round += 1) {
        const failures = Array.from({ length: 1 + chance.below(4) }, () => anyError(chance));
        const deadline = pick(chance, [Infinity, 1000]);
        const request = requestOf(anyOperation(chance), { deadline, failures: failures.slice(0, -1) });
        const decision = decide(createPolicy(), failedBy(chance, request, failures));
        expectTrue(/^\S.*\S$/.test(decision.because), `a reason in words: '${decision.because}'`);
        if (decision.retry) {
          expectTrue(decision.after >= 0 && decision.after < Infinity, `a wait that ends: ${decision.after}`);
          expectTrue(
            ['db1:27017', 'db2:27017', undefined].includes(decision.avoid),
            'a server to avoid that was tried',
          );
        } else {
          expectTrue(
            MongoError.is(decision.raise) && isKnown(decision.raise, failures),
            'the error is one that was given',
          );
        }
      }
    }),
    one('RetryPolicy.decide: changes neither the request nor the failures', () => {
      const chance = createChance(2);
      for (let round = 0; round < rounds; round += 1) {
        const failures = Object.freeze(Array.from({ length: 1 + chance.below(3) }, () => anyError(chance)));
        const before = failures.map(error => [error.message, [...error.labels], error.origin, error.attempts]);
        const request = Object.freeze(requestOf(anyOperation(chance)));
        decide(createPolicy(), Object.freeze(failedBy(chance, request, failures)));
        const after = failures.map(error => [error.message, [...error.labels], error.origin, error.attempts]);
        expectEqual(after, before, 'the failures');
      }
    }),
    one('RetryPolicy.decide: is pure: the same input gives the same decision', () => {
      const chance = createChance(3);
      for (let round = 0; round < rounds; round += 1) {
        const policy = createPolicy();
        const failures = Array.from({ length: 1 + chance.below(3) }, () => anyError(chance));
        const failed = failedBy(chance, requestOf(anyOperation(chance)), failures);
        const [first, second] = [0, 1].map(() => decide(policy, failed));
        const same = first?.retry === true ? second : { ...second, raise: undefined };
        const wanted = first?.retry === true ? first : { ...first, raise: undefined };
        expectEqual(same, wanted, 'the second answer');
      }
    }),
    one(
      'RetryPolicy.decide: stops eventually: without a deadline no operation is attempted more than a hundred times',
      () => {
        const chance = createChance(4);
        for (let round = 0; round < 300; round += 1) {
          const policy = createPolicy();
          const request = requestOf(anyOperation(chance));
          const [topology, repeated] = [pick(chance, topologies), anyError(chance)];
          const failures: MongoError[] = [];
          let goesOn = true;
          while (goesOn) {
            failures.push(chance.happens(0.5) ? repeated : anyError(chance, repeated.kind));
            const attempt = failures.length;
            goesOn = decide(policy, { request, failures, attempt, topology, chance: chance.unit() }).retry;
            policy.observe?.({ request, failures, outcome: goesOn ? 'retry' : 'failure' });
            expectTrue(failures.length <= 100, `an end after a hundred failures of kind ${repeated.kind}`);
          }
        }
      },
    ),
    one('RetryPolicy.decide: errors that the caller caused are never retried: usage, aborted', () => {
      const chance = createChance(5);
      for (const kind of ['usage', 'aborted'] as const) {
        for (let round = 0; round < 100; round += 1) {
          const error = new MongoError(kind, 'the caller', { origin: anyOrigin(chance) });
          never(`an error of kind ${kind}`, requestOf(anyOperation(chance)), error);
        }
      }
    }),
    one(
      'RetryPolicy.decide: a command that may have been sent is retried only if its operation is retryable or the server requests it',
      () => {
        const chance = createChance(6);
        for (let round = 0; round < rounds; round += 1) {
          const error = anyError(chance);
          if (isOverload(error) || error.origin?.phase !== 'command') continue;
          never('an operation that is not retryable', requestOf({ ...anyOperation(chance), retryable: false }), error);
        }
      },
    ),
    one(
      'Transactions: a command in a transaction that may have been sent is retried only if it ends the transaction or the server requests it',
      () => {
        const chance = createChance(8);
        const session = { inTransaction: true } as Session;
        for (let round = 0; round < rounds; round += 1) {
          const error = anyError(chance, pick(chance, ['network', 'timeout', 'server'] as const));
          error.origin = { ...anyOrigin(chance), phase: 'command', sent: true };
          if (isOverload(error)) continue;
          const operation: Partial<Operation<unknown>> = { ...anyOperation(chance), retryable: true, answer: 'one' };
          never('a part of a transaction', requestOf(operation, { session }), error);
        }
      },
    ),
    one('Client Backpressure: a retry after an overload error is delayed', () => {
      const chance = createChance(9);
      for (let round = 0; round < rounds; round += 1) {
        const reply = {
          ok: 0,
          code: 462,
          baseBackoffMS: pick(chance, [undefined, -1, 0, 1, 1e300, Number.NaN, '1', null]),
        };
        const error = new MongoError('server', 'overloaded', {
          labels: overload,
          code: 462,
          reply,
          origin: anyOrigin(chance),
        });
        const earlier = Array.from({ length: chance.below(3) }, () => anyError(chance));
        const decision = decide(createPolicy(), {
          request: requestOf(anyOperation(chance)),
          failures: [...earlier, error],
          attempt: earlier.length + 1,
          topology: pick(chance, topologies),
          chance: 0.5,
        });
        const waits = !decision.retry || (decision.after > 0 && decision.after < Infinity);
        expectTrue(waits, `a wait that ends, of the base ${String(reply.baseBackoffMS)}`);
      }
    }),
    one(
      'Retryable Writes, "Unacknowledged writes": an unacknowledged write is not retried once it may have been sent',
      () => {
        const origin: Origin = { phase: 'command', sent: true, address: 'db1:27017', generation: 0 };
        const error = new MongoError('network', 'reset', { origin, labels: ['RetryableWriteError'] });
        never('an unacknowledged write', requestOf({ kind: 'write', answer: 'none' }), error);
      },
    ),
    one('RetryPolicy.observe: does not throw, and the policy can still decide', () => {
      const chance = createChance(7);
      const policy = createPolicy();
      for (let round = 0; round < rounds; round += 1) {
        const request = requestOf(anyOperation(chance));
        const failures = Array.from({ length: chance.below(4) }, () => anyError(chance));
        if (failures.length > 0) policy.observe?.({ request, failures, outcome: 'retry' });
        const outcome = failures.length === 0 ? 'success' : pick(chance, ['success', 'failure'] as const);
        policy.observe?.({ request, failures, outcome });
        const decision = decide(policy, failedBy(chance, request, [anyError(chance)]));
        expectTrue(typeof decision.retry === 'boolean', 'a decision');
      }
    }),
  ];
};
