import { Cancellation, MongoError as TesseraError } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { MongoOperationTimeoutError } from '../src/errors.js';
import { backoffBefore, runTransaction } from '../src/with-transaction.js';

const transient = 'TransientTransactionError';
const unknownResult = 'UnknownTransactionCommitResult';
const failing = (code: number | undefined, ...labels: string[]): TesseraError =>
  new TesseraError('server', 'failed', { code, labels });

/** A session whose commits fail with the given errors in order, and a clock that only sleep advances. */
const createScene = ({ commits = [], unit = 0.5 }: { commits?: readonly unknown[]; unit?: number } = {}) => {
  const log: string[] = [];
  const left = [...commits];
  let isActive = false;
  let now = 1000;
  const pauses: number[] = [];
  const session = {
    inTransaction: () => isActive,
    startTransaction: () => {
      log.push('start');
      isActive = true;
    },
    commitTransaction: async () => {
      log.push('commit');
      isActive = false;
      const error = left.shift();
      if (error !== undefined) throw error;
    },
    abortTransaction: async () => {
      log.push('abort');
      isActive = false;
    },
  };
  const clock = {
    now: () => now,
    sleep: async (duration: number) => {
      pauses.push(duration);
      now += duration;
    },
  };
  const pass = (duration: number): void => {
    now += duration;
  };
  const run = <T>(callback: () => Promise<T>, timeoutMS?: number): Promise<T> =>
    runTransaction(
      { clock, random: { unit: () => unit }, deployment: { closing: new Cancellation() } },
      session,
      callback,
      timeoutMS,
    );
  return { log, pauses, session, pass, run, now: () => now - 1000 };
};

/** Returns a callback that throws the given errors in order, then returns the value. */
const callback = (failures: readonly unknown[], answer: unknown = 'done') => {
  const left = [...failures];
  return async () => {
    if (left.length > 0) throw left.shift();
    return answer;
  };
};
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('Convenient Transactions', () => {
  test('a transaction whose commit timed out before it began is aborted', async () => {
    const late = new MongoOperationTimeoutError('late', { kind: 'timeout' });
    const { log, run, session } = createScene();
    session.commitTransaction = async () => {
      log.push('commit');
      throw late;
    };
    expect(await failureOf(run(callback([])))).toBe(late);
    expect([log, session.inTransaction()]).toEqual([['start', 'commit', 'abort'], false]);
  });

  test('Convenient Transactions, prose test 1: an error of the callback without a label is thrown unchanged and not retried', async () => {
    const own = new Error('own');
    const { log, run } = createScene();
    expect(await failureOf(run(callback([own])))).toBe(own);
    expect(log).toEqual(['start', 'abort']);
  });

  test('Convenient Transactions, prose test 2: withTransaction returns the value of its callback', async () => {
    const { log, run } = createScene();
    const answer = { any: 'thing' };
    expect(await run(callback([], answer))).toBe(answer);
    expect(log).toEqual(['start', 'commit']);
  });

  test('a transient error restarts the transaction, and an unknown commit result repeats the commit', async () => {
    const { log, run } = createScene({
      commits: [failing(91, unknownResult), failing(251, transient), failing(91, unknownResult)],
    });
    expect(await run(callback([failing(112, transient)]))).toBe('done');
    expect(log).toEqual([...['start', 'abort'], ...['start', 'commit', 'commit'], ...['start', 'commit', 'commit']]);
  });

  test('an unknown commit result after maxTimeMS is not retried, but a transient error restarts the transaction', async () => {
    const expired = failing(50, unknownResult);
    const one = createScene({ commits: [expired] });
    expect(await failureOf(one.run(callback([])))).toBe(expired);
    expect(one.log).toEqual(['start', 'commit']);
    const two = createScene({ commits: [failing(50, unknownResult, transient)] });
    expect(await two.run(callback([]))).toBe('done');
    expect(two.log).toEqual(['start', 'commit', 'start', 'commit']);
  });

  test('any other error of a commit is thrown unchanged', async () => {
    const error = failing(100);
    const { log, run } = createScene({ commits: [error] });
    expect(await failureOf(run(callback([])))).toBe(error);
    expect(log).toEqual(['start', 'commit']);
  });

  test('an unknown commit result that the callback throws is not retried', async () => {
    const error = failing(91, unknownResult);
    const { log, run } = createScene();
    expect(await failureOf(run(callback([error])))).toBe(error);
    expect(log).toEqual(['start', 'abort']);
  });

  test('a callback that ends the transaction itself is accepted, also if it then throws', async () => {
    const { log, run, session } = createScene();
    expect(await run(async () => session.abortTransaction().then(() => 7))).toBe(7);
    const own = new Error('own');
    await failureOf(
      run(async () => {
        await session.commitTransaction();
        throw own;
      }),
    );
    expect(log).toEqual(['start', 'abort', 'start', 'commit']);
  });

  test('an error of startTransaction is thrown unchanged', async () => {
    const { run, session } = createScene();
    session.startTransaction = () => {
      throw new Error('in progress');
    };
    await expect(run(callback([]))).rejects.toThrow('in progress');
  });
});

describe('Convenient Transactions, prose test 3: after the time limit withTransaction throws', () => {
  const until = (left: number) => 120_000 - left;

  test('a transient error of the callback', async () => {
    const { run, pass, log } = createScene();
    const last = failing(112, transient);
    const error = await failureOf(
      run(async () => {
        pass(until(0));
        throw last;
      }),
    );
    expect(error).toBeInstanceOf(MongoOperationTimeoutError);
    expect(error).toMatchObject({ kind: 'timeout', cause: last, labels: [transient] });
    expect(log).toEqual(['start', 'abort']);
  });

  test.each([unknownResult, transient])('the %s of a commit', async label => {
    const last = failing(91, label);
    const { run, pass, log } = createScene({ commits: [last] });
    const error = await failureOf(run(async () => pass(until(0))));
    expect(error).toBeInstanceOf(MongoOperationTimeoutError);
    expect(error).toMatchObject({ kind: 'timeout', cause: last, labels: [label] });
    expect(log).toEqual(['start', 'commit']);
  });

  test('before a backoff that would exceed the limit', async () => {
    const last = failing(112, transient);
    for (const [left, sleeps] of [
      [3.75, 0],
      [3.8, 1],
    ] as const) {
      const { run, pass, pauses } = createScene();
      let calls = 0;
      const error = await failureOf(
        run(async () => {
          if (calls++ === 0) pass(until(left));
          throw last;
        }),
      );
      expect(pauses.length).toBe(sleeps);
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect(error).toMatchObject({ phase: 'backoff', cause: last, labels: [transient] });
    }
  });

  test('with timeoutMS as the limit, and no limit with 0', async () => {
    const tries = async (timeoutMS: number): Promise<number> => {
      const { run, pass } = createScene();
      let calls = 0;
      await failureOf(
        run(async () => {
          pass(100_000);
          if (++calls < 5) throw failing(112, transient);
        }, timeoutMS),
      );
      return calls;
    };
    expect(await Promise.all([tries(250_000), tries(99_999), tries(0)])).toEqual([3, 1, 5]);
  });

  test('an error of a commit for which too little of timeoutMS remains, without another attempt', async () => {
    const timeout = new MongoOperationTimeoutError('too little is left', { kind: 'timeout' });
    timeout.addLabel(unknownResult);
    const { log, run } = createScene({ commits: [timeout] });
    expect(await failureOf(run(callback([]), 100))).toBe(timeout);
    expect(log).toEqual(['start', 'commit']);
  });

  test('an earlier timeout error unchanged', async () => {
    const struck = new MongoOperationTimeoutError('struck', { kind: 'timeout' });
    struck.addLabel(transient);
    const { run, pass } = createScene();
    const failure = run(async () => {
      pass(50);
      throw struck;
    }, 50);
    expect(await failureOf(failure)).toBe(struck);
  });

  test('an error without labels in a wrapper without labels', async () => {
    const { run, pass } = createScene({ commits: [] });
    const own = Object.assign(new Error('own'), { labels: [transient] });
    expect(
      await failureOf(
        run(async () => {
          pass(until(0));
          throw own;
        }),
      ),
    ).toBe(own);
  });
});

describe('Convenient Transactions, prose test 4: retries wait with backoff', () => {
  test('the backoff grows by half up to 500 ms, reduced by random jitter', () => {
    expect([1, 2, 3].map(retry => backoffBefore(retry, 1))).toEqual([7.5, 11.25, 16.875]);
    expect(backoffBefore(11, 1)).toBeCloseTo(432.5, 1);
    expect([12, 40].map(retry => backoffBefore(retry, 1))).toEqual([500, 500]);
    expect([backoffBefore(1, 0), backoffBefore(1, 0.5)]).toEqual([0, 3.75]);
    expect([0, 0.5, 0.9].map(unit => backoffBefore(40, unit))).toEqual([0, 250, 450]);
  });

  test.each([
    [0, 0],
    [1, 2282],
  ])('thirteen retries with jitter %i take %i ms', async (unit, whole) => {
    const { run, now } = createScene({ commits: Array.from({ length: 13 }, () => failing(251, transient)), unit });
    await run(callback([]));
    expect(Math.floor(now())).toBe(whole);
  });

  test('a repeated commit does not wait', async () => {
    const { run, pauses } = createScene({ commits: Array.from({ length: 9 }, () => failing(91, unknownResult)) });
    await run(callback([]));
    expect(pauses).toEqual([]);
  });
});
