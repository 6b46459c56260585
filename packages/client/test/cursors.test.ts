import { describe, expect, test } from 'vitest';
import { MongoCursorInUseError } from '@tessera/client';
import type { House } from './house.js';
import { inHouse } from './house.js';

const fill = ({ films }: House, count: number): Promise<unknown> =>
  films.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, year: 1900 + _id })));

const commands = ({ events }: House): readonly string[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []));

describe('a cursor', () => {
  test('is iterated in batches of the size that is asked for', () =>
    inHouse(async house => {
      await fill(house, 250);
      const seen: number[] = [];
      for await (const { _id } of house.films.find({}, { batchSize: 100 })) seen.push(_id);
      expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index));
      expect(commands(house)).toEqual(['insert', 'find', 'getMore', 'getMore']);
    }));

  test('left early is ended on the server', () =>
    inHouse(async house => {
      await fill(house, 10);
      for await (const { _id } of house.films.find({}, { batchSize: 2 })) if (_id === 3) break;
      expect(commands(house)).toEqual(['insert', 'find', 'getMore', 'killCursors']);
    }));

  test('next, hasNext, tryNext, toArray and forEach go on from where it stands', () =>
    inHouse(async house => {
      await fill(house, 7);
      const cursor = house.films.find({}, { batchSize: 2 }).map(({ _id }) => _id);
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
      await house.films.find().forEach(({ _id }) => {
        visited.push(_id);
        return _id < 2;
      });
      expect(visited).toEqual([0, 1, 2]);
    }));

  test('filter, sort, projection, skip and limit may be set until it has begun', () =>
    inHouse(async house => {
      await fill(house, 6);
      const cursor = house.films
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

  test('of an aggregation takes stages one by one', () =>
    inHouse(async house => {
      await fill(house, 5);
      const cursor = house.films
        .aggregate([{ $match: { _id: { $gt: 1 } } }])
        .sort({ _id: -1 })
        .limit(2)
        .project({ _id: 1 });
      expect(await cursor.toArray()).toEqual([{ _id: 4 }, { _id: 3 }]);
    }));

  test('an error ends it and is told once more by nobody', () =>
    inHouse(async ({ films }) => {
      const cursor = films.find({ $nonsense: 1 });
      await expect(cursor.next()).rejects.toMatchObject({ code: 2 });
      expect([await cursor.next(), cursor.closed]).toEqual([null, true]);
    }));

  test('is a stream of the host, and disposes of itself', () =>
    inHouse(async house => {
      await fill(house, 5);
      const seen: unknown[] = [];
      for await (const document of house.films.find({}, { batchSize: 2 }).stream() as AsyncIterable<unknown>)
        seen.push(document);
      expect(seen).toHaveLength(5);
      const cursor = house.films.find({}, { batchSize: 2 });
      await cursor.next();
      await cursor[Symbol.asyncDispose]();
      expect([cursor.closed, commands(house).at(-1)]).toEqual([true, 'killCursors']);
    }));
});
