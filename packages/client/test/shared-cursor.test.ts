/** Concurrent calls on one cursor: each document is returned by one of them. */
import type { FindCursor } from '@tessera/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';
import type { Film, Setup } from './with-server.js';

type Reader = (cursor: FindCursor<Film>) => Promise<readonly Film[]>;

const each = async (step: () => Promise<Film | null>): Promise<readonly Film[]> => {
  const found: Film[] = [];
  for (let film = await step(); film !== null; film = await step()) found.push(film);
  return found;
};

const readers: Readonly<Record<string, Reader>> = {
  toArray: cursor => cursor.toArray(),
  next: cursor => each(() => cursor.next()),
  tryNext: cursor => each(() => cursor.tryNext()),
  'one next': async cursor => [await cursor.next()].filter(film => film !== null),
  'hasNext, then next': async cursor => {
    const found: Film[] = [];
    while (await cursor.hasNext()) {
      const film = await cursor.next();
      if (film !== null) found.push(film);
    }
    return found;
  },
  'for await': async cursor => {
    const found: Film[] = [];
    for await (const film of cursor) found.push(film);
    return found;
  },
  forEach: async cursor => {
    const found: Film[] = [];
    await cursor.forEach(film => void found.push(film));
    return found;
  },
};

const films = (count: number): Film[] => Array.from({ length: count }, (_, i) => ({ _id: i }));

/** Returns the highest number of concurrent commands of the cursor. */
const mostAtOnce = ({ events }: Setup): number => {
  let now = 0;
  let most = 0;
  for (const event of events) {
    if (!('commandName' in event) || !['find', 'getMore'].includes(event.commandName)) continue;
    now += event.name === 'commandStarted' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
};

/** Returns the documents that each concurrent reader received, from a collection with `count` documents. */
const read = async (
  names: readonly string[],
  count: number,
  batchSize: number,
  prefetch = false,
): Promise<{ readonly found: readonly (readonly Film[])[]; readonly atOnce: number }> => {
  let result: Awaited<ReturnType<typeof read>> | undefined;
  await withServer(async setup => {
    if (count > 0) await setup.films.insertMany(films(count));
    const cursor = setup.films.find({}, { batchSize, sort: { _id: 1 }, prefetch });
    const found = await Promise.all(names.map(name => readers[name]!(cursor)));
    expect(cursor.closed).toBe(true);
    result = { found, atOnce: mostAtOnce(setup) };
  });
  return result!;
};

describe('concurrent calls on one cursor', () => {
  test.each(Object.keys(readers).map(name => [name]))('toArray and %s', async name => {
    const { found, atOnce } = await read(['toArray', name], 20, 3);
    expect(found.flat().sort((a, b) => a._id - b._id)).toEqual(films(20));
    expect(atOnce).toBe(1);
  });

  test('each document is returned once, in order for each caller, and one command runs at a time', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(readers)), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (names, count, batchSize, prefetch) => {
          const { found, atOnce } = await read(
            [...(prefetch ? [] : ['toArray']), ...names, 'next'],
            count,
            batchSize,
            prefetch,
          );
          expect(found.flat().sort((a, b) => a._id - b._id)).toEqual(films(count));
          for (const one of found) expect(one).toEqual([...one].sort((a, b) => a._id - b._id));
          expect(atOnce).toBe(1);
        },
      ),
      { numRuns: 40 },
    ));

  test('all of them fail when the running command fails, and the cursor is closed', () =>
    withServer(async ({ films: collection }) => {
      await collection.insertMany(films(4));
      const cursor = collection.find({ $where: 'no such thing' }, { batchSize: 2 });
      const failed = await Promise.allSettled([cursor.toArray(), cursor.next(), cursor.toArray()]);
      expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect([cursor.closed, await cursor.toArray()]).toEqual([true, []]);
    }));
});
