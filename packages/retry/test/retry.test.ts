import { getEventListeners } from 'node:events';
import { MongoError, orElse } from '@tessera/contracts';
import type { Clock, Request, RetryPolicy, Signal, TopologyDescription } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createRetry, createRetryPolicy } from '../src/index.js';
import {
  commit,
  deploymentOf,
  failing,
  failureOf,
  networkError,
  noServer,
  origin,
  poolCleared,
  read,
  request,
  serverError,
  transaction,
  world,
  write,
} from './scripted.js';

const { runtime } = world();

const layerOf = (
  policy: RetryPolicy = createRetryPolicy(),
  options = {},
  type: TopologyDescription['type'] = 'Sharded',
) => createRetry({ ...runtime, policy, deployment: deploymentOf(type) }, options);

/** A signal that never aborts. */
const passive: Signal = {
  aborted: false,
  reason: undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
const throwing = (error: Error) => (): never => {
  throw error;
};

/** A policy with this number of retries, each after this wait. */
const stubborn = (times: number, after: number, more: Partial<RetryPolicy> = {}): RetryPolicy => ({
  decide: ({ failures }) =>
    failures.length > times
      ? { retry: false, raise: failures[0]!, because: 'enough' }
      : { retry: true, after, because: 'stubborn' },
  ...more,
});

describe('the retry layer', () => {
  test('passes on the request and its result unchanged', async () => {
    const { next, seen } = failing();
    const given = request();
    expect(await layerOf()(next)(given)).toBe('done');
    expect(seen).toEqual([given]);
    expect(seen[0]).toBe(given);
  });

  test('with orElse, passes to the recovery only the error of the last attempt', async () => {
    const run = (times: number): Promise<unknown> => {
      const { next } = failing(...Array.from({ length: times }, () => networkError()));
      return orElse<unknown>(layerOf(stubborn(1, 0))(next), request(), failure =>
        Promise.resolve((failure as MongoError).attempts?.length),
      );
    };
    expect([await run(1), await run(2)]).toEqual(['done', 2]);
  });

  test('retries with the failures so far and the servers to avoid, and keeps the other fields', async () => {
    const error = networkError({ address: 'm1:27017', type: 'Mongos' });
    const { next, seen } = failing(error);
    const given = request(read, { avoid: ['m0:27017'], exchanges: [] });
    expect(await layerOf()(next)(given)).toBe('done');
    expect(seen[1]).toEqual({ ...given, failures: [error], avoid: ['m0:27017', 'm1:27017'] });
    expect(seen[1]?.exchanges).toBe(given.exchanges);
    expect([given.failures, given.avoid]).toEqual([[], ['m0:27017']]);
  });

  test('throws the error of a single attempt, with this attempt recorded', async () => {
    const error = serverError(11000);
    const { next, seen } = failing(error);
    expect(await failureOf(layerOf()(next)(request()))).toBe(error);
    expect(seen).toHaveLength(1);
    const because = 'Not retried: code 11000 is not a retryable error.';
    expect(error.attempts).toEqual([
      {
        number: 1,
        address: 'a:27017',
        server: 'RSPrimary',
        phase: 'command',
        after: expect.any(Number),
        error,
        because,
      },
    ]);
  });

  test('throws the original error if the selection fails on the retry, with both attempts recorded', async () => {
    const { clock, run } = (({ runtime: inner, run: go }) => ({ clock: inner.clock, run: go }))(world());
    const [lost, none] = [networkError(), noServer()];
    const errors = [lost, none];
    const layer = createRetry({
      ...runtime,
      clock,
      policy: createRetryPolicy(),
      deployment: deploymentOf('ReplicaSetNoPrimary'),
    });
    const dispatch = layer(async () => {
      await clock.sleep(50);
      throw errors.shift()!;
    });
    const raised = await run(() => failureOf(dispatch(request())));
    expect(raised).toBe(lost);
    expect(lost.attempts).toEqual([
      {
        ...{ number: 1, address: 'a:27017', server: 'RSPrimary', phase: 'command', after: 50, error: lost },
        because: 'The connection failed, which may be temporary. Retry 1 follows immediately.',
      },
      {
        ...{ number: 2, address: undefined, server: undefined, phase: 'select', after: 100, error: none },
        because: 'Not retried: server selection had reached its time limit.',
      },
    ]);
    expect(() => JSON.stringify(lost)).not.toThrow();
  });

  test('avoids only the servers of the request and policy, and does not sleep before an immediate retry', async () => {
    const { next, seen } = failing(networkError());
    const sleep = () => Promise.reject(new Error('it slept'));
    const layer = createRetry({
      ...runtime,
      clock: { ...runtime.clock, now: () => 0, sleep },
      policy: createRetryPolicy(),
      deployment: deploymentOf('Single'),
    });
    expect(await layer(next)(request(read, { avoid: ['m0:27017'] }))).toBe('done');
    expect(seen[1]?.avoid).toEqual(['m0:27017']);
  });

  test('records an error without an origin with undefined fields', async () => {
    const error = new MongoError('protocol', 'somewhere');
    await failureOf(layerOf()(failing(error).next)(request()));
    expect(error.attempts).toEqual([
      {
        ...{ number: 1, address: undefined, server: undefined, phase: undefined, after: expect.any(Number), error },
        because: 'Not retried: a retry would fail in the same way.',
      },
    ]);
  });

  test('does not retry after an error that is not a MongoError', async () => {
    const error = new RangeError('not a MongoError');
    const { next, seen } = failing(error);
    expect(await failureOf(layerOf()(next)(request()))).toBe(error);
    expect(seen).toHaveLength(1);
  });

  test('Client Side Operations Timeout: pauses between attempts that fail immediately, so they do not block the process', async () => {
    const inner = world();
    const { clock } = inner.runtime;
    const layer = createRetry({
      ...inner.runtime,
      policy: createRetryPolicy(),
      deployment: deploymentOf('Single'),
    });
    let attempts = 0;
    const fail = () => {
      attempts += 1;
      return Promise.reject(networkError());
    };
    const raised = await inner.run(() => failureOf(layer(fail)(request(read, { deadline: clock.now() + 50 }))));
    expect(raised).toMatchObject({ kind: 'timeout' });
    expect([attempts, clock.now(), inner.leftovers()]).toEqual([51, 49, []]);
  });

  test('pauses between attempts also if the policy returns a zero, negative or invalid wait', async () => {
    for (const after of [0, -5, Number.NaN]) {
      const inner = world();
      const { clock } = inner.runtime;
      const layer = createRetry({
        ...inner.runtime,
        policy: stubborn(20, after),
        deployment: deploymentOf('Single'),
      });
      await inner.run(() => failureOf(layer(() => Promise.reject(networkError()))(request())));
      expect(clock.now()).toBe(19);
    }
  });

  test('throws instead of waiting forever if the policy returns an infinite wait', async () => {
    const error = networkError();
    expect(await failureOf(layerOf(stubborn(3, Infinity))(failing(error).next)(request()))).toBe(error);
  });

  test('calls decide with the original request, the failures, their number, the type of the topology and a random number', async () => {
    const calls: unknown[] = [];
    const policy: RetryPolicy = {
      decide: failed => {
        calls.push(failed);
        return { retry: false, raise: failed.failures[0]!, because: 'no' };
      },
    };
    const error = networkError();
    const given = request();
    await failureOf(layerOf(policy)(failing(error).next)(given));
    expect(calls).toEqual([
      { request: given, failures: [error], attempt: 1, topology: 'Sharded', chance: expect.any(Number) as number },
    ]);
  });
});

describe('the wait between attempts', () => {
  const inWorld = async (
    policy: RetryPolicy,
    more: Parameters<typeof request>[1],
    errors: readonly MongoError[],
    meanwhile: (clock: Clock) => void = () => undefined,
    closing?: AbortSignal,
  ): Promise<{ readonly at: number; readonly outcome: unknown; readonly left: readonly string[] }> => {
    const inner = world();
    const { clock } = inner.runtime;
    const layer = createRetry({
      ...inner.runtime,
      policy,
      deployment: deploymentOf('Single', closing),
    });
    const outcome = await inner.run(() => {
      meanwhile(clock);
      return layer(failing(...errors).next)(request(read, more)).catch((error: unknown) => error);
    });
    return { at: clock.now(), outcome, left: inner.leftovers() };
  };

  test('lasts as long as the policy decides', async () => {
    const { at, outcome } = await inWorld(stubborn(3, 100), {}, [networkError(), networkError()]);
    expect([at, outcome]).toEqual([200, 'done']);
  });

  test('a backoff leaves no listener on the signals of the caller and of the client', async () => {
    const [caller, client] = [new AbortController().signal, new AbortController().signal];
    const errors = [networkError(), networkError()];
    const { outcome } = await inWorld(stubborn(3, 100), { signal: caller }, errors, () => undefined, client);
    expect(outcome).toBe('done');
    expect([caller, client].map(signal => getEventListeners(signal, 'abort'))).toEqual([[], []]);
  });

  test('a signal whose addEventListener throws fails the operation and leaves no timer', async () => {
    const thrown = new TypeError('no listeners');
    const signal = { ...passive, addEventListener: throwing(thrown) };
    expect(await inWorld(stubborn(3, 100), { signal }, [networkError()])).toEqual({ at: 0, outcome: thrown, left: [] });
  });

  test('a signal whose removeEventListener throws does not prevent the next attempt', async () => {
    const signal = { ...passive, removeEventListener: throwing(new TypeError('no listeners')) };
    const end = await inWorld(stubborn(3, 100), { signal }, [networkError()]);
    expect(end).toEqual({ at: 100, outcome: 'done', left: [] });
  });

  test('does not start if it would pass the deadline; the error is thrown immediately', async () => {
    const errors = [networkError(), networkError()];
    const { at, outcome } = await inWorld(stubborn(3, 100), { deadline: 200 }, errors);
    expect(at).toBe(100);
    expect(outcome).toBe(errors[1]);
  });

  test('ends when the signal aborts, and leaves no timer', async () => {
    const controller = new AbortController();
    const obedient: RetryPolicy = {
      decide: ({ failures }) => {
        const newest = failures.at(-1)!;
        return newest.kind === 'aborted'
          ? { retry: false, raise: newest, because: 'aborted' }
          : { retry: true, after: 100, because: 'obedient' };
      },
    };
    const { at, outcome, left } = await inWorld(obedient, { signal: controller.signal }, [networkError()], clock => {
      clock.startTimer(30, () => {
        controller.abort('enough');
      });
    });
    expect(at).toBe(30);
    expect(outcome).toMatchObject({
      ...{ kind: 'aborted', cause: 'enough', origin: { phase: 'backoff', sent: false } },
      message: 'find was aborted by its signal between two attempts.',
    });
    expect(left).toEqual([]);
  });

  test('ends when the client closes, and the operation throws an error of kind closed', async () => {
    const refused = new MongoError('server', 'overloaded', {
      labels: ['SystemOverloadedError', 'RetryableError'],
      origin: origin(),
    });
    const life = new AbortController();
    const policy = createRetryPolicy();
    const patient: RetryPolicy = { decide: failed => policy.decide({ ...failed, chance: 0.9 }) };
    const meanwhile = (clock: Clock): void => {
      clock.startTimer(30, () => {
        life.abort();
      });
    };
    const { at, outcome, left } = await inWorld(patient, {}, [refused], meanwhile, life.signal);
    expect(at).toBe(30);
    expect(outcome).toMatchObject({
      ...{ kind: 'closed', origin: { phase: 'backoff', sent: false } },
      message: 'find was interrupted by the closing of the client between two attempts.',
    });
    expect((outcome as MongoError).attempts.map(({ error }) => error)).toEqual([refused, outcome]);
    expect(left).toEqual([]);
    const late = await inWorld(patient, {}, [refused], () => undefined, life.signal);
    expect(late).toMatchObject({ at: 0, outcome: { kind: 'closed' }, left: [] });
  });
});

describe('Retryable Writes, "RetryableWriteError Labels"', () => {
  const labelsOf = async (error: MongoError, retryWrites: boolean, of = write): Promise<readonly string[]> => {
    const policy = createRetryPolicy({ retryWrites, retryReads: false });
    await failureOf(layerOf(policy, { retryWrites })(failing(error, error).next)(request(of)));
    return error.labels;
  };

  test('adds the label to network errors if retryWrites is true', async () => {
    expect(await labelsOf(networkError(), true)).toEqual(['RetryableWriteError']);
    expect(await labelsOf(networkError(), false)).toEqual([]);
  });

  test('adds the label by default', async () => {
    const error = networkError();
    await failureOf(layerOf()(failing(error, error).next)(request(write)));
    expect(error.labels).toEqual(['RetryableWriteError']);
  });

  test('adds no label for a server that does not support retryable writes', async () => {
    expect(await labelsOf(networkError({ type: 'Standalone' }), true)).toEqual([]);
    expect(await labelsOf(networkError({ sessions: false }), true)).toEqual([]);
  });

  test('adds no label if the command was not sent or was rejected, but adds it after a cleared pool', async () => {
    const late = new MongoError('timeout', 'late', { origin: origin({}, { sent: false }) });
    expect(await labelsOf(late, true)).toEqual([]);
    expect(await labelsOf(noServer(), true)).toEqual([]);
    expect(await labelsOf(new MongoError('usage', 'no', { origin: origin() }), true)).toEqual([]);
    expect(await labelsOf(poolCleared(), true)).toEqual(['RetryableWriteError']);
  });

  test('"Retryable Writes Within Transactions": labels only errors of commit and abort, regardless of retryWrites', async () => {
    const inTransaction = async (of: typeof write, retryWrites: boolean): Promise<readonly string[]> => {
      const error = networkError();
      const policy = createRetryPolicy({ retryWrites });
      await failureOf(
        layerOf(policy, { retryWrites })(failing(error, error).next)(request(of, { session: transaction })),
      );
      return error.labels;
    };
    expect(await inTransaction(write, true)).toEqual([]);
    expect(await inTransaction(read, true)).toEqual([]);
    expect(await inTransaction(commit, true)).toEqual(['RetryableWriteError']);
    expect(await inTransaction(commit, false)).toEqual(['RetryableWriteError']);
  });

  test('labels a reply by its code only if the server is older than 4.4', async () => {
    expect(await labelsOf(serverError(91, { maxWireVersion: 9 }), true)).toEqual([]);
    expect(await labelsOf(serverError(91, { maxWireVersion: 8 }), true)).toEqual(['RetryableWriteError']);
  });
});

describe('a policy with observe', () => {
  test('receives the outcome of each attempt, with the failures so far', async () => {
    const observed: unknown[] = [];
    const policy = stubborn(1, 0, {
      observe: ({ failures, outcome }) => observed.push([failures.length, outcome]),
    });
    const outcomesOf = async (...errors: readonly unknown[]): Promise<readonly unknown[]> => {
      await layerOf(policy)(failing(...errors).next)(request()).catch(() => undefined);
      return observed.splice(0);
    };
    expect(await outcomesOf()).toEqual([[0, 'success']]);
    expect(await outcomesOf(networkError())).toEqual([
      [1, 'retry'],
      [1, 'success'],
    ]);
    expect(await outcomesOf(networkError(), networkError())).toEqual([
      [1, 'retry'],
      [2, 'failure'],
    ]);
    expect(await outcomesOf(new RangeError('not a MongoError'))).toEqual([[0, 'failure']]);
    expect(await outcomesOf(networkError(), new RangeError('not a MongoError'))).toEqual([
      [1, 'retry'],
      [1, 'failure'],
    ]);
  });

  test('receives the request of the attempt, as decide does', async () => {
    const inner = world();
    const given: unknown[] = [];
    const policy = stubborn(2, 0);
    const watching: RetryPolicy = {
      decide: failed => {
        given.push(failed.request);
        return policy.decide(failed);
      },
      observe: ({ request: attempted, outcome }) => given.push([attempted, outcome]),
    };
    const givenFor = async (...errors: readonly unknown[]): Promise<readonly unknown[]> => {
      const { next, seen } = failing(...errors);
      const layer = createRetry({ ...inner.runtime, policy: watching, deployment: deploymentOf('Sharded') });
      await inner.run(() => layer(next)(request()).catch(() => undefined));
      return given
        .splice(0)
        .flat()
        .map(each => seen.indexOf(each as Request<unknown>) + 1 || each);
    };
    expect(await givenFor(networkError(), networkError())).toEqual([1, 1, 'retry', 2, 2, 'retry', 3, 'success']);
    expect(await givenFor(networkError(), networkError(), networkError())).toEqual([
      ...[1, 1, 'retry', 2, 2, 'retry'],
      ...[3, 3, 'failure'],
    ]);
    expect(await givenFor(networkError(), new RangeError('not a MongoError'))).toEqual([1, 1, 'retry', 2, 'failure']);
  });

  test('receives each retry before it starts, and none that the deadline prevents', async () => {
    const inner = world();
    const observed: unknown[] = [];
    const policy = stubborn(3, 100, {
      observe: ({ failures, outcome }) => observed.push([inner.runtime.clock.now(), failures.length, outcome]),
    });
    const layer = createRetry({
      ...inner.runtime,
      policy,
      deployment: deploymentOf('Single'),
    });
    const errors = [networkError(), networkError(), networkError()];
    await inner.run(() => failureOf(layer(failing(...errors).next)(request(read, { deadline: 250 }))));
    expect(observed).toEqual([
      [0, 1, 'retry'],
      [100, 2, 'retry'],
      [200, 3, 'failure'],
    ]);
  });
});
