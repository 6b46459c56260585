import { Cancellation, limitWait, MongoError, noLimit, waitFor } from '@tessera/contracts';
import type { Signal } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A wait of at most 100 ms in virtual time: when and how it ended, after `during` has run for 50 ms. */
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

describe('the limits of a wait', () => {
  test('the deadline', async () => {
    expect(await waited(() => undefined)).toEqual(['expired at 100']);
  });

  test('a deadline in the past ends it in the next turn', async () => {
    expect(await waited(() => undefined, -5)).toEqual(['expired at 0']);
  });

  test.each([noLimit, Infinity])('no timer runs with the deadline %d', async deadline => {
    expect(await waited(() => undefined, deadline)).toEqual(['aborted at 250']);
  });

  test('the signal', async () => {
    expect(
      await waited((_, { signal }) => {
        signal.abort('enough');
      }),
    ).toEqual(['aborted at 50']);
  });

  test('the client that closes', async () => {
    expect(
      await waited((_, { closing }) => {
        closing.abort(undefined);
      }),
    ).toEqual(['closed at 50']);
  });

  test('none of them after the wait has ended otherwise', async () => {
    expect(
      await waited(leave => {
        leave();
      }),
    ).toEqual([]);
  });

  test('a signal that has aborted ends it at once, and the caller before the client', () => {
    const { clock } = createWorld({ turn }).runtime;
    const aborted = new Cancellation();
    aborted.abort('before');
    const ends: string[] = [];
    for (const limits of [{ signal: aborted, closing: aborted }, { closing: aborted }])
      limitWait({ clock, deadline: 100, ...limits }, why => ends.push(why));
    expect(ends).toEqual(['aborted', 'closed']);
  });
});

describe('waiting for work', () => {
  /** How the wait for work of 50 ms ended, and when. */
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

  test.each([100, Infinity])('settles as the work does if that is first, with the deadline %d', async deadline => {
    expect(await outcome(deadline, () => Promise.resolve('done'))).toBe('done at 50');
    expect(await outcome(deadline, broken)).toBe('Error: broken at 50');
  });

  test('fails at the deadline, whatever becomes of the work', async () => {
    expect(await outcome(20, () => Promise.resolve('done'))).toBe('MongoError: expired at 20');
    expect(await outcome(20, broken)).toBe('MongoError: expired at 20');
  });

  test('a wait without limits starts no timer', () => {
    const clock = { now: () => 0, startTimer: () => expect.unreachable() };
    expect(() => {
      limitWait({ clock, deadline: Infinity }, () => expect.unreachable())();
    }).not.toThrow();
  });
});

describe('a signal that throws', () => {
  const signalWith = (more: Partial<Signal>): Signal => ({
    ...{ aborted: false, reason: undefined, addEventListener: () => undefined, removeEventListener: () => undefined },
    ...more,
  });
  const fail = (): never => {
    throw new Error('no proper signal');
  };

  test('when it takes the listener, nothing is watched', async () => {
    const { runtime, run, leftovers } = createWorld({ turn });
    await run(async () => {
      expect(() =>
        limitWait({ clock: runtime.clock, deadline: 100, signal: signalWith({ addEventListener: fail }) }, fail),
      ).toThrow('no proper signal');
      await runtime.clock.sleep(200);
    });
    expect(leftovers()).toEqual([]);
  });

  test('when it takes the listener, waitFor rejects with what it throws, and handles a later rejection of the work', async () => {
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

  test('when it forgets the listener, the wait ends all the same', async () => {
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
