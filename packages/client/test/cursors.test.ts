import { describe, expect, test } from 'vitest';
import {
  MongoAPIError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoOperationTimeoutError,
} from '@tessera/client';
import { Long } from 'bson';
import { batch, change, last, withScript } from './change-stream-server.js';
import type { Setup } from './with-server.js';
import { withServer } from './with-server.js';

const fill = ({ films }: Setup, count: number): Promise<unknown> =>
  films.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, year: 1900 + _id })));

const commands = ({ events }: Setup): readonly string[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []));

describe('a cursor', () => {
  test('is iterated in batches of batchSize', () =>
    withServer(async setup => {
      await fill(setup, 250);
      const seen: number[] = [];
      for await (const { _id } of setup.films.find({}, { batchSize: 100 })) seen.push(_id);
      expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index));
      expect(commands(setup)).toEqual(['insert', 'find', 'getMore', 'getMore']);
    }));

  test('is killed on the server if it is left early', () =>
    withServer(async setup => {
      await fill(setup, 10);
      for await (const { _id } of setup.films.find({}, { batchSize: 2 })) if (_id === 3) break;
      expect(commands(setup)).toEqual(['insert', 'find', 'getMore', 'killCursors']);
    }));

  test('continues if a close listener throws, and the exception becomes uncaught', () =>
    withScript(
      { answers: [batch([change('a'), change('b')]), last([change('c')])] },
      async ({ client, sleep, uncaught }) => {
        const cursor = client.db('shop').collection('films').aggregate([], { batchSize: 2 });
        const mistake = new RangeError('mine');
        cursor.on('close', () => {
          throw mistake;
        });
        expect((await cursor.toArray()).length).toBe(3);
        await sleep(1);
        expect(uncaught.splice(0)).toEqual([mistake]);
      },
    ));

  test('exposes its settings, or those of its collection', () =>
    withServer(async ({ client }) => {
      const films = client.db('shop').collection('films', { readConcern: 'majority' });
      const { signal } = new AbortController();
      const cursor = films.find({}, { readPreference: 'nearest', signal });
      expect([cursor.readPreference.mode, cursor.readConcern?.level, cursor.signal]).toEqual([
        ...['nearest', 'majority'],
        signal,
      ]);
      const plain = films.aggregate([]).withReadConcern('local');
      expect([plain.readPreference.mode, plain.readConcern?.level, plain.signal]).toEqual([
        ...['primary', 'local'],
        undefined,
      ]);
      await plain.close();
    }));

  test('continues with next, hasNext, tryNext, toArray and forEach from its position', () =>
    withServer(async setup => {
      await fill(setup, 7);
      const cursor = setup.films.find({}, { batchSize: 2 }).map(({ _id }) => _id);
      expect(await cursor.next()).toBe(0);
      expect(await cursor.hasNext()).toBe(true);
      expect(cursor.bufferedCount()).toBe(1);
      expect(await cursor.tryNext()).toBe(1);
      expect(await cursor.hasNext()).toBe(true);
      expect(cursor.readBufferedDocuments()).toEqual([2, 3]);
      expect(await cursor.toArray()).toEqual([4, 5, 6]);
      expect([await cursor.next(), await cursor.hasNext(), await cursor.toArray(), cursor.closed]).toEqual([
        null,
        false,
        [],
        true,
      ]);
      const visited: number[] = [];
      await setup.films.find().forEach(({ _id }) => {
        visited.push(_id);
        return _id < 2;
      });
      expect(visited).toEqual([0, 1, 2]);
    }));

  test('has setters for filter, sort, projection, skip and limit before the first read', () =>
    withServer(async setup => {
      await fill(setup, 6);
      const cursor = setup.films
        .find()
        .filter({ _id: { $gt: 0 } })
        .sort({ _id: -1 })
        .project({ year: 0 })
        .skip(1)
        .limit(2);
      expect(await cursor.toArray()).toEqual([{ _id: 4 }, { _id: 3 }]);
      expect(() => cursor.limit(3)).toThrow(MongoCursorInUseError);
      expect(await cursor.clone().limit(1).toArray()).toEqual([{ _id: 4 }]);
      cursor.rewind();
      expect(await cursor.limit(1).toArray()).toEqual([{ _id: 4 }]);
    }));

  test('has methods that append stages if it is that of an aggregation', () =>
    withServer(async setup => {
      await fill(setup, 5);
      const cursor = setup.films
        .aggregate([{ $match: { _id: { $gt: 1 } } }])
        .sort({ _id: -1 })
        .limit(2)
        .project({ _id: 1 });
      expect(await cursor.toArray()).toEqual([{ _id: 4 }, { _id: 3 }]);
    }));

  test('closes with an error, and throws it only once', () =>
    withServer(async ({ films }) => {
      const cursor = films.find({ $nonsense: 1 });
      await expect(cursor.next()).rejects.toMatchObject({ code: 2 });
      expect([await cursor.next(), cursor.closed]).toEqual([null, true]);
    }));

  test('has a readable stream, and supports await using', () =>
    withServer(async setup => {
      await fill(setup, 5);
      const seen: unknown[] = [];
      for await (const document of setup.films.find({}, { batchSize: 2 }).stream() as AsyncIterable<unknown>)
        seen.push(document);
      expect(seen).toHaveLength(5);
      const cursor = setup.films.find({}, { batchSize: 2 });
      await cursor.next();
      await cursor[Symbol.asyncDispose]();
      expect([cursor.closed, commands(setup).at(-1)]).toEqual([true, 'killCursors']);
    }));
});

describe('the documents of a cursor', () => {
  const all = [0, 1, 2];

  test('are each returned once, also if map returns undefined', () =>
    withServer(async setup => {
      await fill(setup, 3);
      const find = () => setup.films.find({}, { batchSize: 2 }).map(({ _id }) => (_id === 1 ? undefined : _id));
      const expected = [0, undefined, 2];
      const seen: unknown[] = [];
      for await (const value of find()) seen.push(value);
      expect([seen, await find().toArray()]).toEqual([expected, expected]);
      const one = find();
      expect([await one.next(), await one.tryNext(), await one.next(), await one.next()]).toEqual([...expected, null]);
    }));

  test('must not be mapped to null, which means the end, and errors of map are thrown: both close the cursor', () =>
    withServer(async setup => {
      await fill(setup, 3);
      const mine = new Error('mine');
      const broken = (): never => {
        throw mine;
      };
      for (const [map, expected] of [
        [() => null, MongoAPIError],
        [broken, mine],
      ] as const) {
        const find = () => setup.films.find({}, { batchSize: 1 }).map(map);
        const cursor = find();
        await expect(cursor.next()).rejects.toThrow(expected);
        expect([cursor.closed, cursor.killed]).toEqual([true, true]);
        await expect(find()[Symbol.asyncIterator]().next()).rejects.toThrow(expected);
        await expect(find().toArray()).rejects.toThrow(expected);
      }
    }));

  test('are distributed among concurrent calls', () =>
    withServer(async setup => {
      await fill(setup, 3);
      const cursor = setup.films.find({}, { batchSize: 2 }).map(({ _id }) => _id);
      const there = Promise.all([cursor.hasNext(), cursor.hasNext()]);
      const received = Promise.all([cursor.next(), cursor.next(), cursor.next()]);
      expect([await there, await received, await cursor.next()]).toEqual([[true, true], all, null]);
      expect(commands(setup)).toEqual(['insert', 'find', 'getMore']);
    }));

  test("are no longer returned after the caller's signal has aborted, and calls fail with its reason", () =>
    withServer(async setup => {
      await fill(setup, 3);
      const abort = new AbortController();
      const cursor = setup.films.find({}, { batchSize: 2, signal: abort.signal });
      await cursor.next();
      abort.abort('enough');
      await expect(cursor.next()).rejects.toBe('enough');
      expect([cursor.closed, cursor.killed, cursor.bufferedCount()]).toEqual([true, true, 0]);
    }));
});

describe("the server's cursor", () => {
  test('has an int64 id, which is undefined before the first reply and zero after the last', () =>
    withServer(async setup => {
      await fill(setup, 3);
      const cursor = setup.films.find({}, { batchSize: 2 });
      expect(cursor.id).toBeUndefined();
      await cursor.next();
      expect([cursor.id instanceof Long, cursor.id?.isZero()]).toEqual([true, false]);
      await cursor.toArray();
      expect([cursor.id, cursor.killed]).toEqual([Long.ZERO, false]);
    }));

  test('is killed by an early close: next throws, hasNext returns false and toArray an empty array', () =>
    withServer(async setup => {
      await fill(setup, 3);
      const cursor = setup.films.find({}, { batchSize: 1 });
      await cursor.next();
      await cursor.close();
      await cursor.close();
      expect([cursor.closed, cursor.killed, await cursor.hasNext(), await cursor.toArray()]).toEqual([
        ...[true, true],
        ...[false, []],
      ]);
      await expect(cursor.next()).rejects.toThrow(MongoCursorExhaustedError);
      await expect(cursor.tryNext()).rejects.toThrow(MongoCursorExhaustedError);
      expect(commands(setup)).toEqual(['insert', 'find', 'killCursors']);
    }));

  test('Find, "Behavior of Limit": is closed when the limit is reached, without another read', () =>
    withServer(async setup => {
      await fill(setup, 9);
      const cursor = setup.films.find({}, { batchSize: 3, limit: 4 });
      for (const _id of [0, 1, 2, 3]) expect(await cursor.next()).toMatchObject({ _id });
      await setup.world.runtime.clock.sleep(100);
      const { metrics } = await setup.client.db().admin().serverStatus();
      expect((metrics as { cursor: { open: { total: number } } }).cursor.open.total).toBe(0);
    }));

  test('whose connection is lost during a getMore fails at once, even if its server remains unreachable', () =>
    withServer(
      async setup => {
        await fill(setup, 3);
        const cursor = setup.films.find({}, { batchSize: 1 });
        await cursor.next();
        const { clock } = setup.world.runtime;
        const waiting = expect(cursor.next()).rejects.toThrow(MongoNetworkError);
        await clock.sleep(5);
        const began = clock.now();
        setup.world.network.refuse('db1');
        setup.world.network.reset('db1');
        await waiting;
        expect(clock.now()).toBe(began);
        await cursor.close();
        setup.world.network.heal();
      },
      {},
      { latency: { delay: 10 } },
    ));

  test('is closed as soon as its last document was read', () =>
    withServer(async setup => {
      await fill(setup, 3);
      for (const read of ['next', 'tryNext'] as const)
        for (const batchSize of [1, 2, 3, 4]) {
          const cursor = setup.films.find({}, { batchSize });
          const read3: boolean[] = [];
          for (let count = 0; count < 3; count++) {
            await cursor.hasNext();
            read3.push(cursor.closed);
            await cursor[read]();
          }
          // A full last batch does not say that it is the last.
          const ends = batchSize === 2 || batchSize === 4;
          expect([read3, cursor.closed, cursor.killed]).toEqual([[false, false, false], ends, false]);
          expect([await cursor.next(), cursor.closed]).toEqual([null, true]);
        }
    }));

  test('ends pending calls when rewind is called, and can then be read again', () =>
    withServer(async setup => {
      await fill(setup, 3);
      for (const wait of ['next', 'toArray'] as const) {
        const cursor = setup.films.find({}, { batchSize: 2 });
        const waiting = cursor[wait]();
        cursor.rewind();
        await waiting;
        expect([cursor.closed, await cursor.next()]).toEqual([false, { _id: 0, year: 1900 }]);
        await cursor.close();
      }
    }));

  test('that waits for documents ends the pending call when it is closed', () =>
    withServer(async ({ client, world, events }) => {
      const logs = await client.db().createCollection('logs', { capped: true, size: 4096 });
      await logs.insertOne({ text: 'a' });
      const cursor = logs.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 10_000 });
      await cursor.next();
      const waiting = cursor.next();
      await world.runtime.clock.sleep(100);
      await cursor.close();
      expect(await waiting).toBeNull();
      const more = events.find(event => event.name === 'commandStarted' && event.commandName === 'getMore');
      expect(more).toMatchObject({ command: { maxTimeMS: 10_000 } });
    }));

  test('Client Side Operations Timeout, "Tailable cursors": each next has the whole timeoutMS, and other cursors share it among all calls', () =>
    withServer(async ({ client, world, films }) => {
      const { clock } = world.runtime;
      const logs = await client.db().createCollection('logs', { capped: true, size: 4096 });
      await logs.insertOne({ text: 'a' });
      const tail = logs.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 100, timeoutMS: 500 });
      await tail.next();
      await clock.sleep(1_000);
      void clock.sleep(300).then(() => logs.insertOne({ text: 'b' }));
      expect(await tail.next()).toMatchObject({ text: 'b' });
      await expect(tail.next()).rejects.toThrow(MongoOperationTimeoutError);
      await films.insertMany([{ _id: 1 }, { _id: 2 }]);
      const cursor = films.find({}, { batchSize: 1, timeoutMS: 500 });
      await cursor.next();
      await clock.sleep(1_000);
      await expect(cursor.next()).rejects.toThrow(MongoOperationTimeoutError);
    }));

  test('Find, "maxTimeMS": getMore sends maxTimeMS only for an awaitData cursor', () =>
    withServer(async setup => {
      await fill(setup, 3);
      await setup.films.find({}, { batchSize: 1, maxAwaitTimeMS: 10 }).toArray();
      const sent = setup.events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(sent.some(command => 'maxTimeMS' in command)).toBe(false);
    }));
});

describe('invalid options of a cursor', () => {
  test('reject the call that reads documents', () =>
    withServer(async ({ films }) => {
      const cursor = (): ReturnType<typeof films.find> => films.find({}, { sort: { year: 'sideways' as 'asc' } });
      for (const ask of [cursor().toArray(), cursor().next(), cursor().hasNext(), cursor().forEach(() => undefined)])
        await expect(ask).rejects.toThrow(MongoInvalidArgumentError);
    }));

  test('are described with the name of the method that was called', () =>
    withServer(async ({ films }) => {
      const found = films.find();
      await found.next();
      expect(() => found.filter({})).toThrow(/Set filter before/);
      expect(() => found.map(String)).toThrow(/Set map before/);
      const aggregated = films.aggregate();
      await aggregated.next();
      expect(() => aggregated.match({})).toThrow(/Set addStage before/);
      expect(() => films.find().addCursorFlag('slow' as 'tailable', true)).toThrow(/Unknown cursor flag "slow"/);
    }));
});
