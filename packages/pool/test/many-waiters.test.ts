import type { Clock } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { WaitQueue, Waiter } from '../src/wait-queue.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Work {
  readonly served: readonly number[];
  /** The numbers of clock reads, timers and events. */
  readonly steps: number;
}

/** Lets this number of operations wait for a pool of 10, with or without a deadline. Each returns its connection immediately. */
const serve = async (waiters: number, deadline: number): Promise<Work> => {
  const world = createWorld({ turn }, { seed: 1 });
  const { clock } = world.runtime;
  let steps = 0;
  const counted: Clock = {
    now: () => ((steps += 1), clock.now()),
    wallTime: () => clock.wallTime(),
    startTimer: (after, fire, options) => ((steps += 1), clock.startTimer(after, fire, options)),
    sleep: (duration, signal) => clock.sleep(duration, signal),
  };
  const events = createRecorder();
  const { connect } = scriptConnect({ clock });
  const served: number[] = [];
  await world.run(async () => {
    const pool = createPools({ clock: counted, events, connect }, { maxPoolSize: 10 })('db1:27017', () => undefined);
    pool.ready();
    const held = await Promise.all(Array.from({ length: 10 }, async () => pool.checkOut({ deadline: Infinity })));
    steps = -events.events.length;
    const waiting = Array.from({ length: waiters }, async (_, index) => {
      const lease = await pool.checkOut({ deadline });
      served.push(index);
      lease.release();
    });
    for (const lease of held) lease.release();
    await Promise.all(waiting);
    steps += events.events.length;
    pool.close();
  });
  expect(world.leftovers()).toEqual([]);
  return { served, steps };
};

describe('CMAP "WaitQueue"', () => {
  test.each([
    ['without a deadline', Infinity],
    ['with one', 60_000],
  ])(
    '1,000 waiters %s on a pool of 10 are served in order, by as much work for each as for 100',
    async (_, deadline) => {
      const [few, many] = [await serve(100, deadline), await serve(1000, deadline)];
      expect(many.served).toEqual(Array.from({ length: 1000 }, (__, index) => index));
      // The cost of the ten connections in use is the same in both.
      const ofOne = (many.steps - few.steps) / 900;
      expect(ofOne).toBe(Math.round(ofOne));
      expect(ofOne).toBeLessThanOrEqual(8);
    },
  );

  test('reads no waiter in the queue more than three times, even if waiters leave from its middle', () => {
    let looks = 0;
    class Watched extends Waiter {
      override get settled(): boolean {
        looks += 1;
        return super.settled;
      }
    }
    const queue = new WaitQueue();
    const waiters = Array.from(
      { length: 1000 },
      () =>
        new Watched(
          0,
          Infinity,
          () => undefined,
          () => undefined,
        ),
    );
    for (const waiter of waiters) queue.push(waiter);
    for (const waiter of waiters.filter((_, index) => index % 3 === 0)) {
      waiter.fail(undefined as never);
      queue.left();
    }
    const served = Array.from({ length: queue.length }, () => queue.shift());
    expect(served).toEqual(waiters.filter((_, index) => index % 3 !== 0));
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
    expect(looks).toBeLessThanOrEqual(3 * waiters.length);
  });
});
