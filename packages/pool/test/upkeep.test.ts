import type { Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { createUpkeep } from '../src/upkeep.js';
import type { Upkeep } from '../src/upkeep.js';

interface Scene {
  readonly upkeep: Upkeep;
  /** What was done, and when. */
  readonly done: string[];
  /** What `closeIdle` answers, one after the other; then undefined. */
  readonly oldest: (Millis | undefined)[];
  sleep(duration: Millis): Promise<void>;
}

/** In a world of its own, where no timer may be left in the end. */
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
  'CMAP "Background Thread": what lies idle is closed when maxIdleTimeMS has passed since then',
  scene(50, async ({ upkeep, done, sleep }) => {
    await sleep(10);
    upkeep.idle(4);
    await sleep(1000);
    expect(done).toEqual(['54 close']);
  }),
);

test(
  'one timer is enough: it is set for the oldest, and then for the oldest that is left',
  scene(50, async ({ upkeep, done, oldest, sleep }) => {
    oldest.push(30, 60);
    upkeep.idle(0);
    upkeep.idle(20);
    await sleep(1000);
    expect(done).toEqual(['50 close', '80 close', '110 close']);
  }),
);

test(
  'after it has ended, the next that lies idle begins it anew',
  scene(50, async ({ upkeep, done, sleep }) => {
    upkeep.idle(0);
    await sleep(100);
    upkeep.idle(100);
    await sleep(100);
    expect(done).toEqual(['50 close', '150 close']);
  }),
);

test(
  'without maxIdleTimeMS nothing is scheduled',
  scene(0, async ({ upkeep, done, sleep }) => {
    upkeep.idle(0);
    await sleep(1000);
    expect(done).toEqual([]);
  }),
);

test(
  'after a failure minPoolSize waits, twice as long each time, up to ten seconds; once it succeeded, as long as at first',
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
  'failures at the same time are one',
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
  'stopped, it does nothing and waits for nothing; then it begins as at first',
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
