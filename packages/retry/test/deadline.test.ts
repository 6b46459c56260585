import { MongoError, noLimit } from '@tessera/contracts';
import type { Dispatch, Millis } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createRetry, createRetryPolicy } from '../src/index.js';
import {
  deploymentOf,
  failureOf,
  networkError,
  noServer,
  origin,
  overloaded,
  read,
  request,
  serverError,
  world,
  write,
} from './scripted.js';

interface Step {
  readonly lasts: Millis;
  readonly error: MongoError;
}

/** Returns the thrown error and its time for attempts with these durations and errors. The jitter is 0.5. */
const outcome = async (
  of: typeof read,
  deadline: Millis,
  steps: readonly Step[],
): Promise<{ readonly at: Millis; readonly raised: MongoError; readonly attempts: number }> => {
  const inner = world();
  const { clock } = inner.runtime;
  let attempts = 0;
  const next: Dispatch = async () => {
    const step = steps[Math.min(attempts, steps.length - 1)]!;
    attempts += 1;
    await clock.sleep(step.lasts);
    throw step.error;
  };
  const layer = createRetry({
    ...inner.runtime,
    random: { ...inner.runtime.random, unit: () => 0.5 },
    policy: createRetryPolicy(),
    deployment: deploymentOf('ReplicaSetWithPrimary'),
  });
  const raised = await inner.run(() => failureOf(layer(next)(request(of, { deadline }))));
  expect(inner.leftovers()).toEqual([]);
  return { at: clock.now(), raised: raised as MongoError, attempts };
};

const timeout = (sent: boolean): MongoError => new MongoError('timeout', 'late', { origin: origin({}, { sent }) });
const labelled = (): MongoError => serverError(91, {}, { labels: ['RetryableWriteError'] });

describe('Client Side Operations Timeout, "Retryability"', () => {
  test('retries until the deadline, then throws a timeout with the last failure as its cause', async () => {
    const lost = networkError();
    for (const of of [read, write]) {
      const { at, raised, attempts } = await outcome(of, 100, [{ lasts: 30, error: lost }]);
      expect([at, attempts]).toEqual([120, 4]);
      expect([raised.kind, raised.cause, raised.origin]).toEqual(['timeout', lost, lost.origin]);
      expect(raised.message).toBe(`${of.name ?? 'find'} timed out after 4 attempts. Cause: reset`);
      expect(raised.labels).toEqual(['RetryableWriteError']);
      expect(raised.attempts.map(({ because }) => because).at(-1)).toBe(
        'The connection failed, which may be temporary. Retry 4 follows immediately. But the retry would start after the deadline.',
      );
    }
  });

  test('counts a single attempt in the message of the timeout', async () => {
    const { raised } = await outcome(read, 100, [{ lasts: 100, error: networkError() }]);
    expect(raised.message).toBe('find timed out after one attempt. Cause: reset');
  });

  test('throws the timeout of an attempt that the deadline ended', async () => {
    const late = timeout(true);
    const steps = [
      { lasts: 30, error: labelled() },
      { lasts: 70, error: late },
    ];
    for (const of of [read, write]) expect((await outcome(of, 100, steps)).raised).toBe(late);
  });

  test('throws the timeout of an attempt that was not sent for lack of time', async () => {
    const late = timeout(false);
    const steps = [
      { lasts: 90, error: labelled() },
      { lasts: 0, error: late },
    ];
    for (const of of [read, write]) {
      const { at, raised, attempts } = await outcome(of, 100, steps);
      expect([at, attempts, raised]).toEqual([90, 2, late]);
    }
  });

  test('throws a timeout with the earlier failure as its cause if the deadline ends a selection or checkout', async () => {
    const lost = networkError();
    const waiting = new MongoError('timeout', 'no connection came free', {
      origin: { phase: 'checkOut', sent: false },
    });
    for (const none of [
      noServer(),
      new MongoError('pool', 'none free', { origin: { phase: 'checkOut', sent: false } }),
    ]) {
      const { raised } = await outcome(read, 100, [
        { lasts: 30, error: lost },
        { lasts: 70, error: none },
      ]);
      expect([raised.kind, raised.cause]).toEqual(['timeout', lost]);
    }
    const { raised } = await outcome(read, 100, [
      { lasts: 30, error: lost },
      { lasts: 70, error: waiting },
    ]);
    expect(raised).toBe(waiting);
  });

  test('throws the error of a selection that the deadline ended in the first attempt', async () => {
    const none = noServer();
    expect((await outcome(read, 100, [{ lasts: 100, error: none }])).raised).toBe(none);
  });

  test('throws a server error that is not retryable even after the deadline', async () => {
    const refused = serverError(11000);
    const { raised, attempts } = await outcome(write, 100, [{ lasts: 120, error: refused }]);
    expect([raised, attempts]).toEqual([refused, 1]);
  });

  test('starts the next attempt immediately if the previous one took at least a millisecond', async () => {
    const { at, attempts } = await outcome(read, 20, [{ lasts: 1, error: networkError() }]);
    expect([at, attempts]).toEqual([20, 20]);
  });

  test('throws the original error if a later checkout timed out before the deadline', async () => {
    const lost = networkError();
    const waiting = new MongoError('timeout', 'no connection came free', {
      origin: { phase: 'checkOut', sent: false },
    });
    const steps = [
      { lasts: 30, error: lost },
      { lasts: 30, error: waiting },
    ];
    expect((await outcome(read, 100, steps)).raised).toBe(lost);
  });

  test('throws the original error if a later selection failed before the deadline', async () => {
    const lost = networkError();
    const steps = [
      { lasts: 30, error: lost },
      { lasts: 30, error: noServer() },
    ];
    expect((await outcome(read, 100, steps)).raised).toBe(lost);
  });
});

describe('Client Backpressure, "Overload retry policy", with timeoutMS', () => {
  test('throws immediately if the backoff would end after the deadline', async () => {
    const [first, second] = [overloaded(), overloaded()];
    const { at, raised, attempts } = await outcome(read, 300, [
      { lasts: 10, error: first },
      { lasts: 10, error: second },
    ]);
    expect([at, attempts, raised]).toEqual([120, 2, second]);
    expect(raised.attempts.map(({ because }) => because)).toEqual([
      'The server is overloaded and has not started the command. Retry 1 follows after 100 ms.',
      'The server is overloaded and has not started the command. Retry 2 follows after 200 ms. But the retry would start after the deadline.',
    ]);
  });

  test('retries MAX_RETRIES times on a permanently overloaded server, regardless of the remaining time', async () => {
    const { at, attempts } = await outcome(read, 1e6, [{ lasts: 0, error: overloaded() }]);
    expect([at, attempts]).toEqual([300, 3]);
    const asking = await outcome(read, 1e6, [{ lasts: 0, error: overloaded({ baseBackoffMS: 1e12 }) }]);
    expect([asking.at, asking.attempts]).toEqual([10_000, 3]);
  });
});

test('throws a timeout with the phase backoff and the earlier error as its cause if the deadline passes during a backoff', async () => {
  const inner = world();
  const { clock } = inner.runtime;
  // The timer fires late, as in a busy process.
  const late = {
    ...inner.runtime,
    clock: {
      ...clock,
      now: () => clock.now(),
      startTimer: (_: Millis, fire: () => void) => clock.startTimer(150, fire),
    },
  };
  const error = overloaded();
  const policy = createRetryPolicy();
  const outcomes: string[] = [];
  const layer = createRetry({
    ...late,
    random: { ...late.random, unit: () => 0.5 },
    policy: { decide: failed => policy.decide(failed), observe: ({ outcome }) => outcomes.push(outcome) },
    deployment: deploymentOf('ReplicaSetWithPrimary'),
  });
  let attempts = 0;
  const next: Dispatch = () => {
    attempts += 1;
    return Promise.reject(error);
  };
  const raised = (await inner.run(() => failureOf(layer(next)(request(read, { deadline: 120 }))))) as MongoError;
  expect([clock.now(), attempts, outcomes]).toEqual([150, 1, ['retry', 'failure']]);
  expect([raised.kind, raised.cause, raised.origin]).toEqual(['timeout', error, { ...error.origin, phase: 'backoff' }]);
  expect(raised.message).toBe(
    'find timed out in the backoff before the next attempt, after one attempt. Cause: overloaded',
  );
  expect(raised.labels).toEqual(error.labels);
  expect(raised.attempts.map(({ number, because }) => [number, because])).toEqual([
    [1, 'The server is overloaded and has not started the command. Retry 1 follows after 100 ms.'],
  ]);
});

describe('timeoutMS: 0', () => {
  test('keeps the first and the newest of more than two hundred attempts, and passes their real number to the policy', async () => {
    const inner = world();
    const most = { failures: 0, avoid: 0 };
    const first = networkError();
    let attempts = 0;
    const next: Dispatch = given => {
      most.failures = Math.max(most.failures, given.failures.length);
      most.avoid = Math.max(most.avoid, given.avoid.length);
      attempts += 1;
      return Promise.reject(attempts === 1 ? first : attempts === 1000 ? serverError(13) : networkError());
    };
    const policy = createRetryPolicy();
    const counts: number[] = [];
    const layer = createRetry({
      ...inner.runtime,
      policy: {
        decide: failed => {
          counts.push(failed.attempt);
          return policy.decide(failed);
        },
      },
      deployment: deploymentOf('Sharded'),
    });
    const raised = (await inner.run(() => failureOf(layer(next)(request(read, { deadline: noLimit }))))) as MongoError;
    expect(raised).toMatchObject({ kind: 'server', code: 13 });
    expect([most, counts.length, counts.at(-1)]).toEqual([{ failures: 200, avoid: 1 }, 1000, 1000]);
    expect(raised.attempts.map(({ number }) => number)).toEqual([
      1,
      ...Array.from({ length: 199 }, (_, at) => 802 + at),
    ]);
    expect(raised.attempts[0]?.error).toBe(first);
    expect(raised.attempts.at(-2)?.because).toMatch(
      / Retry 999 follows immediately, not on a:27017 if another server is suitable\.$/,
    );
  });
});
