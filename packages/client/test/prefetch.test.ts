/** Cursors that request the next batch while the application reads the last one, with the embedded server in virtual time. */
import type { Collection, FindCursor, FindOptions, MongoClient } from '@tessera/client';
import { MongoOperationTimeoutError } from '@tessera/client';
import { describe, expect, test } from 'vitest';
import { failed, rejection } from './rejection.js';
import { withServers } from './with-servers.js';
import type { Layout, Setup } from './with-servers.js';

interface Film {
  _id: number;
}

interface Given extends Setup {
  readonly client: MongoClient;
  readonly films: Collection<Film>;
  /** Makes each getMore wait for this time. */
  delay(ms: number): Promise<void>;
  /** Returns a cursor with batches of ten documents, in order. */
  find(options?: FindOptions): FindCursor<Film>;
  /** Returns the names of the cursor's commands so far. */
  sent(): readonly string[];
}

const films = (from: number, to: number): Film[] => Array.from({ length: to - from }, (_, i) => ({ _id: from + i }));

/** Runs a test with 45 documents: five batches. */
const withFilms = (
  program: (given: Given) => Promise<void>,
  layout: Layout = [{}],
  uri = 'mongodb://db1/shop',
): Promise<void> =>
  withServers(layout, async setup => {
    const client = setup.open(uri);
    const collection = client.db().collection<Film>('films');
    await collection.insertMany(films(0, 45));
    await program({
      ...setup,
      client,
      films: collection,
      delay: ms =>
        setup.failPoint('db1', 'alwaysOn', { failCommands: ['getMore'], blockConnection: true, blockTimeMS: ms }),
      find: options => collection.find({}, { batchSize: 10, sort: { _id: 1 }, prefetch: true, ...options }),
      sent: () =>
        setup.events
          .flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []))
          .filter(name => ['find', 'aggregate', 'getMore', 'killCursors'].includes(name)),
    });
  });

const read = async (cursor: FindCursor<Film>, count: number): Promise<readonly (Film | null)[]> => {
  const found: (Film | null)[] = [];
  while (found.length < count) found.push(await cursor.next());
  return found;
};

describe('a cursor with prefetch', () => {
  test('is open until its last document was read, although the last batch has arrived', () =>
    withFilms(async ({ find, sleep }) => {
      const cursor = find({ batchSize: 40 });
      await read(cursor, 40);
      await sleep(1000);
      expect([cursor.closed, await read(cursor, 5), cursor.closed]).toEqual([false, films(40, 45), true]);
    }));

  test('requests a batch while the application works on the one before', () =>
    withFilms(async ({ find, delay, now, sleep }) => {
      await delay(100);
      const taken = async (prefetch: boolean): Promise<number> => {
        const begin = now();
        const found: Film[] = [];
        for await (const film of find({ prefetch })) {
          await sleep(20);
          found.push(film);
        }
        expect(found).toEqual(films(0, 45));
        // The work of all documents takes 900 ms, and the four getMores 400 ms.
        return Math.floor((now() - begin) / 100) * 100;
      };
      expect([await taken(false), await taken(true)]).toEqual([1300, 900]);
    }));

  test('works the same with aggregate, stream and map', () =>
    withFilms(async ({ films: collection, find, sent, sleep }) => {
      const aggregated = collection.aggregate<Film>([{ $sort: { _id: 1 } }], { batchSize: 10, prefetch: true });
      expect(await aggregated.next()).toEqual({ _id: 0 });
      await sleep(100);
      expect(sent()).toEqual(['aggregate', 'getMore']);
      expect(await aggregated.toArray()).toEqual(films(1, 45));
      const numbers: number[] = [];
      for await (const id of find()
        .map(film => film._id)
        .stream())
        numbers.push(id);
      expect(numbers).toEqual(films(0, 45).map(film => film._id));
    }));

  test('requests at most one batch ahead', () =>
    withFilms(async ({ find, sent, sleep }) => {
      const cursor = find();
      await cursor.next();
      await sleep(1000);
      expect([sent(), cursor.bufferedCount()]).toEqual([['find', 'getMore'], 9]);
      expect(await read(cursor, 10)).toEqual(films(1, 11));
      await sleep(1000);
      expect(sent()).toEqual(['find', 'getMore', 'getMore']);
      await cursor.close();
    }));

  test('requests only documents within its limit', () =>
    withFilms(async ({ find, events }) => {
      expect(await read(find({ limit: 25 }), 26)).toEqual([...films(0, 25), null]);
      const sizes = events.flatMap(event =>
        event.name === 'commandStarted' && event.commandName === 'getMore' ? [event.command['batchSize']] : [],
      );
      expect(sizes).toEqual([10, 5]);
    }));

  test('throws the error of a batch when reading reaches the batch, and kills the cursor', () =>
    withFilms(async ({ find, failPoint, sent, sleep }) => {
      await failPoint('db1', { times: 1 }, { failCommands: ['getMore'], errorCode: 8 });
      const cursor = find();
      expect(await read(cursor, 1)).toEqual(films(0, 1));
      await sleep(1000);
      expect(await read(cursor, 9)).toEqual(films(1, 10));
      expect(sent()).toEqual(['find', 'getMore']);
      expect(await failed(() => cursor.next())).toMatchObject({ code: 8 });
      expect([sent(), cursor.closed]).toEqual([['find', 'getMore', 'killCursors'], true]);
    }));

  test('toArray throws the error of a batch that was requested before', () =>
    withFilms(async ({ find, failPoint }) => {
      await failPoint('db1', { times: 1 }, { failCommands: ['getMore'], errorCode: 8 });
      const cursor = find();
      await cursor.next();
      expect(await failed(() => cursor.toArray())).toMatchObject({ code: 8 });
    }));

  test('close ignores the error of a batch that was not reached', () =>
    withFilms(async ({ find, failPoint, sent, sleep }) => {
      await failPoint('db1', { times: 1 }, { failCommands: ['getMore'], errorCode: 8 });
      const cursor = find();
      await cursor.next();
      await sleep(1000);
      await cursor.close();
      expect([sent(), cursor.killed]).toEqual([['find', 'getMore', 'killCursors'], true]);
    }));

  test('close kills the cursor while a getMore runs, and does not wait for its reply', () =>
    withFilms(async ({ find, delay, sent, now }) => {
      await delay(1000);
      const cursor = find();
      await cursor.next();
      const begin = now();
      await cursor.close();
      expect([sent(), now() - begin < 100]).toEqual([['find', 'getMore', 'killCursors'], true]);
      expect([await cursor.next().catch((error: unknown) => (error as Error).name), cursor.killed]).toEqual([
        'MongoCursorExhaustedError',
        true,
      ]);
    }));

  test('a loop that ends early closes the cursor', () =>
    withFilms(async ({ find, sent, sleep }) => {
      for await (const film of find()) if (film._id === 3) break;
      await sleep(100);
      expect(sent()).toEqual(['find', 'getMore', 'killCursors']);
    }));

  test('requests nothing ahead with a session, in a transaction or outside of one', () =>
    withFilms(
      async ({ client, find, sent, sleep }) => {
        const session = client.startSession();
        const cursor = find({ session });
        await cursor.next();
        await sleep(1000);
        expect(sent()).toEqual(['find']);
        await cursor.close();
        await session.withTransaction(async () => {
          for await (const film of find({ session })) {
            if (film._id === 0) await sleep(100);
            if (film._id === 9) break;
          }
        });
        expect(sent()).toEqual(['find', 'killCursors', 'find', 'killCursors']);
        await session.endSession();
      },
      [{ replicaSet: 'rs' }],
    ));

  test('keeps its connection behind a load balancer until it is closed', () =>
    withFilms(
      async ({ find, sent, sleep }) => {
        expect(await read(find(), 46)).toEqual([...films(0, 45), null]);
        const before = sent().length;
        const cursor = find();
        await cursor.next();
        await cursor.close();
        await sleep(1000);
        expect([sent().slice(before), cursor.killed]).toEqual([['find', 'getMore', 'killCursors'], true]);
      },
      { topology: 'load-balanced', mongoses: 1 },
      'mongodb://db1/shop?loadBalanced=true',
    ));

  test('a clone and a rewound cursor request ahead, too', () =>
    withFilms(async ({ find, sent, sleep }) => {
      const cursor = find();
      const again = cursor.clone();
      expect(await read(again, 45)).toEqual(films(0, 45));
      const before = sent().length;
      await cursor.next();
      cursor.rewind();
      await sleep(100);
      expect(await cursor.next()).toEqual({ _id: 0 });
      await sleep(100);
      expect(sent().slice(before).toSorted()).toEqual(['find', 'find', 'getMore', 'getMore', 'killCursors']);
      expect(await cursor.toArray()).toEqual(films(1, 45));
    }));

  test.each(['iteration', 'cursorLifetime'] as const)(
    'limits a getMore by timeoutMS with the timeoutMode %s, and throws when reading reaches its batch',
    timeoutMode =>
      withFilms(async ({ find, delay, sleep }) => {
        await delay(1000);
        const cursor = find({ timeoutMS: 300, timeoutMode });
        await cursor.next();
        await sleep(400);
        expect(await read(cursor, 9)).toEqual(films(1, 10));
        expect(await failed(() => cursor.next())).toBeInstanceOf(MongoOperationTimeoutError);
      }),
  );

  test('an aborted signal ends a getMore that runs', () =>
    withFilms(async ({ find, delay, sleep }) => {
      await delay(1000);
      const controller = new AbortController();
      const cursor = find({ signal: controller.signal });
      await cursor.next();
      await sleep(10);
      const reason = new Error('aborted by the test');
      controller.abort(reason);
      expect(await failed(() => cursor.next())).toBe(reason);
      expect(cursor.closed).toBe(true);
    }));

  test('is rejected for tailable cursors and change streams', () =>
    withFilms(async ({ films: collection, find }) => {
      const expected =
        'The option "prefetch" cannot be combined with a tailable cursor or a change stream, which wait for their next batch.';
      expect(rejection(() => find({ tailable: true }))).toBe(expected);
      expect(await failed(() => find().addCursorFlag('tailable', true).next())).toBe(expected);
      const changes = collection.aggregate([{ $changeStream: {} }], { prefetch: true });
      expect(await failed(() => changes.next())).toBe(expected);
      expect(rejection(() => collection.watch([], { prefetch: true } as object))).toBe(expected);
      expect(rejection(() => find({ prefetch: 'yes' as never }))).toBe(
        'The option "prefetch" must be true or false, but is "yes".',
      );
    }));
});
