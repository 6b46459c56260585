/** No server cursor outlives the operation that opened it. */
import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import type { House } from './house.js';
import { inHouse } from './house.js';
import { onStage } from './stage.js';

const openCursors = async ({ world }: House): Promise<number> => {
  const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
  const { metrics } = await other.db().admin().serverStatus();
  await other.close();
  return (metrics as { cursor: { open: { total: number } } }).cursor.open.total;
};

const fill = ({ films }: House): Promise<unknown> =>
  films.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id })));

const slow = { latency: { delay: 10 } };

const abortedAfter = async (
  house: House,
  delay: number,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const controller = new AbortController();
  house.world.runtime.clock.startTimer(delay, () => {
    controller.abort();
  });
  await run(controller.signal).catch(() => undefined);
};

const killed = ({ events }: House): number =>
  events
    .flatMap(event => (event.name === 'commandStarted' && event.commandName === 'killCursors' ? [event.command] : []))
    .reduce((sum, command: Document) => sum + (command['cursors'] as readonly unknown[]).length, 0);

describe('the server keeps no cursor', () => {
  test('of 50 finds that were aborted before their first reply', () =>
    inHouse(
      async house => {
        await fill(house);
        for (let i = 0; i < 50; i++) {
          await abortedAfter(house, 15, signal => house.films.find({}, { batchSize: 2, signal }).next());
          await house.world.runtime.clock.sleep(50);
        }
        await house.world.runtime.clock.sleep(1_000);
        expect([await openCursors(house), killed(house)]).toEqual([0, 50]);
        await house.client.close();
        expect(await openCursors(house)).toBe(0);
      },
      {},
      slow,
    ));

  test('of 50 finds whose timeoutMS expired before their first reply', () =>
    inHouse(
      async house => {
        await fill(house);
        for (let i = 0; i < 50; i++) {
          const find = house.films.find({}, { batchSize: 2, timeoutMS: 15 });
          await find.next().catch(() => undefined);
          await house.world.runtime.clock.sleep(50);
        }
        await house.world.runtime.clock.sleep(1_000);
        expect([await openCursors(house), killed(house)]).toEqual([0, 50]);
      },
      {},
      slow,
    ));

  test('of an aggregate, find, listCollections, listIndexes, runCursorCommand or command that was aborted at any moment', () =>
    inHouse(
      async house => {
        await fill(house);
        const { films } = house;
        const db = house.client.db();
        for (let i = 0; i < 5; i++) await db.collection(`other${i}`).createIndex({ a: 1 });
        const runs: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
          signal => films.aggregate([], { batchSize: 2, signal }).toArray(),
          signal => films.find({}, { batchSize: 2, signal }).toArray(),
          signal => db.listCollections({}, { batchSize: 1, signal }).toArray(),
          signal => films.listIndexes({ batchSize: 1, signal }).toArray(),
          signal => db.runCursorCommand({ find: 'films', batchSize: 2 }, { signal }).toArray(),
          signal => db.command({ find: 'films', batchSize: 2 }, { signal }),
        ];
        for (const run of runs) for (let delay = 5; delay < 120; delay += 9) await abortedAfter(house, delay, run);
        await house.world.runtime.clock.sleep(1_000);
        // A command that was not aborted gives its cursor to the caller: it ends with the session, when the client closes.
        await house.client.close();
        expect(await openCursors(house)).toBe(0);
      },
      {},
      slow,
    ));

  test('of a find that was aborted just before the client closes', () =>
    inHouse(
      async house => {
        await fill(house);
        await abortedAfter(house, 15, signal => house.films.find({}, { batchSize: 2, signal }).next());
        await house.client.close();
        expect(await openCursors(house)).toBe(0);
      },
      {},
      slow,
    ));

  test('of 600 cursors that are closed while every connection is busy', () =>
    inHouse(
      async house => {
        await fill(house);
        const cursors = Array.from({ length: 600 }, () => house.films.find({}, { batchSize: 2 }));
        await Promise.all(cursors.map(cursor => cursor.next()));
        const load = Array.from({ length: 600 }, () => house.films.findOne({}));
        await Promise.all(cursors.map(cursor => cursor.close()));
        await Promise.all(load);
        await house.world.runtime.clock.sleep(20_000);
        expect([await openCursors(house), killed(house)]).toEqual([0, 600]);
      },
      { maxPoolSize: 2 },
      slow,
    ));

  test('whose session ended before the cursor was closed', () =>
    inHouse(async house => {
      await fill(house);
      const session = house.client.startSession();
      const cursor = house.films.find({}, { batchSize: 2, session });
      await cursor.next();
      await session.endSession();
      await cursor.close();
      await house.world.runtime.clock.sleep(1_000);
      expect(await openCursors(house)).toBe(0);
    }));

  test('of 600 cursors whose kills wait when the client closes, which takes 500 ms at most', () =>
    inHouse(
      async house => {
        await fill(house);
        const { clock } = house.world.runtime;
        const cursors = Array.from({ length: 600 }, () => house.films.find({}, { batchSize: 2 }));
        await Promise.all(cursors.map(cursor => cursor.next()));
        const load = Array.from({ length: 600 }, () => house.films.findOne({}).catch(() => undefined));
        for (const cursor of cursors) void cursor.close();
        await clock.sleep(700);
        const began = clock.now();
        await house.client.close();
        expect(clock.now() - began).toBeLessThanOrEqual(500);
        await Promise.all(load);
        expect(await openCursors(house)).toBe(0);
      },
      { maxPoolSize: 2 },
      slow,
    ));

  test('of a find behind a load balancer that was aborted before its first reply, which is ended on the same connection', () =>
    onStage({ topology: 'load-balanced', mongoses: 2 }, async ({ open, events, sleep }) => {
      const client = open('mongodb://db1/shop?loadBalanced=true');
      const films = client.db().collection('films');
      await films.insertMany(Array.from({ length: 10 }, (_, i) => ({ i })));
      const controller = new AbortController();
      const failure = films
        .find({}, { batchSize: 2, signal: controller.signal })
        .next()
        .catch((error: unknown) => error);
      await Promise.resolve();
      controller.abort();
      await failure;
      await sleep(1_000);
      const sent = events.flatMap(event =>
        event.name === 'commandStarted' && ['find', 'killCursors'].includes(event.commandName)
          ? [[event.commandName, event.connectionId]]
          : [],
      );
      expect(sent).toEqual([
        ['find', sent[0]?.[1]],
        ['killCursors', sent[0]?.[1]],
      ]);
      expect(await films.countDocuments({})).toBe(10);
      await client.close();
    }));
});
