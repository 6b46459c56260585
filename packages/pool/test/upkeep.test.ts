import type { Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { createUpkeep } from '../src/upkeep.js';
import type { Upkeep } from '../src/upkeep.js';

interface Scene {
  readonly upkeep: Upkeep;
  /** The actions and their times. */
  readonly done: string[];
  /** The results of `closeIdle`, in order; then undefined. */
  readonly oldest: (Millis | undefined)[];
  sleep(duration: Millis): Promise<void>;
}

/** Runs the steps in a new world and checks that no timer is left. */
const scene = (maxIdleTimeMS: Millis, program: (scene: Scene) => Promise<void>) => async () => {
  const { runtime, run, leftovers } = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const { clock } = runtime;
  const done: string[] = [];
  const oldest: (Millis | undefined)[] = [];
  const upkeep = createUpkeep(
    {
      clock,
      closeIdle: () => {
        done.push(`${clock.now()} close`);
        return oldest.shift();
      },
      populate: () => done.push(`${clock.now()} populate`),
    },
    { maxIdleTimeMS },
  );
  await run(() => program({ upkeep, done, oldest, sleep: duration => clock.sleep(duration) }));
  expect(leftovers()).toEqual([]);
};

test(
  'CMAP "Background Thread": closes a connection after it was idle for maxIdleTimeMS',
  scene(50, async ({ upkeep, done, sleep }) => {
    await sleep(10);
    upkeep.idle(4);
    await sleep(1000);
    expect(done).toEqual(['54 close']);
  }),
);

test(
  'sets one timer for the connection that is idle longest, then for the next',
  scene(50, async ({ upkeep, done, oldest, sleep }) => {
    oldest.push(30, 60);
    upkeep.idle(0);
    upkeep.idle(20);
    await sleep(1000);
    expect(done).toEqual(['50 close', '80 close', '110 close']);
  }),
);

test(
  'starts the timer again for the next idle connection after it has ended',
  scene(50, async ({ upkeep, done, sleep }) => {
    upkeep.idle(0);
    await sleep(100);
    upkeep.idle(100);
    await sleep(100);
    expect(done).toEqual(['50 close', '150 close']);
  }),
);

test(
  'sets no timer without maxIdleTimeMS',
  scene(0, async ({ upkeep, done, sleep }) => {
    upkeep.idle(0);
    await sleep(1000);
    expect(done).toEqual([]);
  }),
);

test(
  'doubles the wait for minPoolSize with each failure, up to ten seconds, and resets it after a success',
  scene(0, async ({ upkeep, done, sleep }) => {
    expect(upkeep.pausing).toBe(false);
    for (let failure = 0; failure < 9; failure += 1) {
      upkeep.populateFailed();
      expect(upkeep.pausing).toBe(true);
      await sleep(10_000);
      expect(upkeep.pausing).toBe(false);
    }
    upkeep.populateSucceeded();
    upkeep.populateFailed();
    await sleep(1000);
    expect(done.map((what, index) => Number.parseInt(what) - index * 10_000)).toEqual([
      ...[100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 100],
    ]);
  }),
);

test(
  'counts failures during a wait once',
  scene(0, async ({ upkeep, done, sleep }) => {
    upkeep.populateFailed();
    upkeep.populateFailed();
    await sleep(150);
    upkeep.populateFailed();
    await sleep(1000);
    expect(done).toEqual(['100 populate', '350 populate']);
  }),
);

test(
  'cancels its timers and resets the wait when it is stopped',
  scene(50, async ({ upkeep, done, sleep }) => {
    upkeep.stop();
    upkeep.idle(0);
    upkeep.populateFailed();
    upkeep.stop();
    expect(upkeep.pausing).toBe(false);
    await sleep(1000);
    expect(done).toEqual([]);
    upkeep.idle(1000);
    upkeep.populateFailed();
    await sleep(1000);
    expect(done).toEqual(['1050 close', '1100 populate']);
  }),
);
