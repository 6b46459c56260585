import { Cancellation, limitWait, MongoError, noLimit, waitFor } from '@tessera/contracts';
import type { Signal } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Returns how and when a wait of at most 100 ms ended, in virtual time. `during` is called after 50 ms. */
const waited = async (
  during: (leave: () => void, signals: { signal: Cancellation; closing: Cancellation }) => void,
  deadline = 100,
) => {
  const { runtime, run, leftovers } = createWorld({ turn });
  const { clock } = runtime;
  const ends: string[] = [];
  const signals = { signal: new Cancellation(), closing: new Cancellation() };
  await run(async () => {
    const leave = limitWait({ clock, deadline, ...signals }, why => ends.push(`${why} at ${clock.now()}`));
    await clock.sleep(50);
    during(leave, signals);
    await clock.sleep(200);
    signals.signal.abort('late');
    signals.closing.abort('late');
    leave();
  });
  expect(leftovers()).toEqual([]);
  return ends;
};

describe('limitWait', () => {
  test('ends the wait at the deadline', async () => {
    expect(await waited(() => undefined)).toEqual(['expired at 100']);
  });

  test('ends the wait in the next turn if the deadline has passed', async () => {
    expect(await waited(() => undefined, -5)).toEqual(['expired at 0']);
  });

  test.each([noLimit, Infinity])('starts no timer for the deadline %d', async deadline => {
    expect(await waited(() => undefined, deadline)).toEqual(['aborted at 250']);
  });

  test('ends the wait when the signal aborts', async () => {
    expect(
      await waited((_, { signal }) => {
        signal.abort('enough');
      }),
    ).toEqual(['aborted at 50']);
  });

  test('ends the wait when the client closes', async () => {
    expect(
      await waited((_, { closing }) => {
        closing.abort(undefined);
      }),
    ).toEqual(['closed at 50']);
  });

  test('does not call back if the end of another wait on the same signal stops the watch', () => {
    const { clock } = createWorld({ turn }).runtime;
    const signal = new Cancellation();
    const ends: string[] = [];
    let stop = (): void => {};
    limitWait({ clock, deadline: noLimit, signal }, why => {
      ends.push(`first ${why}`);
      stop();
    });
    stop = limitWait({ clock, deadline: noLimit, signal }, why => ends.push(`second ${why}`));
    signal.abort('enough');
    expect(ends).toEqual(['first aborted']);
  });

  test('does not call back after the watch was stopped', async () => {
    expect(
      await waited(leave => {
        leave();
      }),
    ).toEqual([]);
  });

  test("calls back immediately if a signal has aborted, and reports the caller's signal first", () => {
    const { clock } = createWorld({ turn }).runtime;
    const aborted = new Cancellation();
    aborted.abort('before');
    const ends: string[] = [];
    for (const limits of [{ signal: aborted, closing: aborted }, { closing: aborted }])
      limitWait({ clock, deadline: 100, ...limits }, why => ends.push(why));
    expect(ends).toEqual(['aborted', 'closed']);
  });
});

describe('waitFor', () => {
  /** Returns how and when a wait for work of 50 ms ended. */
  const outcome = async (deadline: number, work: () => Promise<string>): Promise<string> => {
    const { runtime, run, leftovers } = createWorld({ turn });
    const { clock } = runtime;
    let ended = '';
    await run(async () => {
      const signal = new Cancellation();
      const waiting = waitFor(clock.sleep(50).then(work), { clock, deadline, signal }, why => {
        return new MongoError('timeout', why);
      });
      const result = await waiting.catch((error: unknown) => String(error));
      ended = `${result} at ${clock.now()}`;
      signal.abort('late');
      await clock.sleep(200);
    });
    expect(leftovers()).toEqual([]);
    return ended;
  };
  const broken = (): Promise<string> => Promise.reject(new Error('broken'));

  test.each([100, Infinity])('settles with the work that ends before the deadline %d', async deadline => {
    expect(await outcome(deadline, () => Promise.resolve('done'))).toBe('done at 50');
    expect(await outcome(deadline, broken)).toBe('Error: broken at 50');
  });

  test('rejects at the deadline and ignores the later outcome of the work', async () => {
    expect(await outcome(20, () => Promise.resolve('done'))).toBe('MongoError: expired at 20');
    expect(await outcome(20, broken)).toBe('MongoError: expired at 20');
  });

  test('limitWait, which it uses, starts no timer without limits', () => {
    const clock = { now: () => 0, startTimer: () => expect.unreachable() };
    expect(() => {
      limitWait({ clock, deadline: Infinity }, () => expect.unreachable())();
    }).not.toThrow();
  });
});

describe('if the signal throws', () => {
  const signalWith = (more: Partial<Signal>): Signal => ({
    ...{ aborted: false, reason: undefined, addEventListener: () => undefined, removeEventListener: () => undefined },
    ...more,
  });
  const fail = (): never => {
    throw new Error('no proper signal');
  };

  test('in addEventListener, limitWait throws the error and watches no limit', async () => {
    const { runtime, run, leftovers } = createWorld({ turn });
    await run(async () => {
      expect(() =>
        limitWait({ clock: runtime.clock, deadline: 100, signal: signalWith({ addEventListener: fail }) }, fail),
      ).toThrow('no proper signal');
      await runtime.clock.sleep(200);
    });
    expect(leftovers()).toEqual([]);
  });

  test('in addEventListener, waitFor rejects with the error and handles a later rejection of the work', async () => {
    const { clock } = createWorld({ turn }).runtime;
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      let breakWork = (): void => undefined;
      const work = new Promise<never>((_, reject) => {
        breakWork = () => {
          reject(new Error('broken'));
        };
      });
      const waiting = waitFor(work, { clock, deadline: 100, signal: signalWith({ addEventListener: fail }) }, fail);
      await expect(waiting).rejects.toThrow('no proper signal');
      breakWork();
      await turn();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });

  test('in removeEventListener, the wait still ends at the deadline', async () => {
    const { runtime, run, leftovers } = createWorld({ turn });
    const ends: string[] = [];
    await run(async () => {
      const signal = signalWith({ removeEventListener: fail });
      limitWait({ clock: runtime.clock, deadline: 100, signal }, why => ends.push(why));
      await runtime.clock.sleep(200);
    });
    expect([ends, leftovers()]).toEqual([['expired'], []]);
  });
});
