/**
 * Lists longer than the maximum number of arguments of a call on the main thread of Node.js, about 125,000. Worker
 * threads, which run the other tests, have a larger stack and a higher maximum.
 */
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Doc } from '@tessera/mql/engine';
import type { Value } from '@tessera/mql/engine';
import { BatchReply } from '../../cluster/src/router/write-batch.js';
import { d } from '../../mql/test/shorthand.js';
import { diffOf } from '@tessera/store';
import { world } from './client.js';
import { Session, set } from './txn/session.js';

const many = 150_000;
const times = <T>(make: (i: number) => T): T[] => Array.from({ length: many }, (_, i) => make(i));

describe(`the embedded server handles ${many} items`, () => {
  test('in the changes of one statement of a transaction', async () => {
    const { client } = set();
    const documents = times(i => ({ _id: i }));
    await client.plain({ insert: 'c', documents: documents.slice(0, many / 2) });
    await client.plain({ insert: 'c', documents: documents.slice(many / 2) });
    const session = new Session(client).start();
    const updated = await session.run({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
    expect(updated).toMatchObject({ ok: 1, nModified: many });
    await session.abort();
  });

  test('in the replies of shards to a batch of writes', () => {
    const reply = new BatchReply();
    const at = times(index => index);
    const docs = at.map(index => d({ index }));
    reply.add(
      [
        ['n', many],
        ['upserted', docs],
        ['writeErrors', docs],
        ['retriedStmtIds', at],
      ],
      at,
    );
    const lengths = reply.fields.map(([name, value]) => [name, Array.isArray(value) ? value.length : value]);
    expect(Object.fromEntries(lengths)).toEqual({ n: many, upserted: many, writeErrors: many, retriedStmtIds: many });
  });

  test('in $push with $position', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1, list: ['first', 'last'] }] });
    const u = { $push: { list: { $each: times(i => i), $position: 1 } } };
    expect(await client.plain({ update: 'c', updates: [{ q: {}, u }] })).toMatchObject({ ok: 1, nModified: 1 });
    const { list } = (await client.plain({ find: 'c' })).cursor.firstBatch[0] as { list: unknown[] };
    expect([list.length, list[0], list[1], list.at(-2), list.at(-1)]).toEqual([many + 2, 'first', 0, many - 1, 'last']);
  });

  test.each<readonly [string, unknown, string, unknown, number]>([
    ['points of one field', times(i => [i / many, 1]), '2d', [0, 0], 1],
    [
      'points of one line',
      { type: 'LineString', coordinates: times(i => [i / many, 1]) },
      '2dsphere',
      { type: 'Point', coordinates: [0, 0] },
      (6_378_100 * Math.PI) / 180,
    ],
  ])('in the %s that $geoNear measures', async (_what, at, kind, near, distance) => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { at: kind }, name: 'at' }] });
    const stage = { $geoNear: { near, key: 'at', distanceField: 'distance' } };
    const inserted = await client.plain({ insert: 'c', documents: [{ _id: 1, at }] });
    expect(inserted).toEqual({ n: 1, ok: 1 });
    const pipeline = [stage, { $project: { distance: 1 } }];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([
      { _id: 1, distance: expect.closeTo(distance, 3) as number },
    ] satisfies Document[]);
  });

  test('in the fields of a nested document that an update changes', () => {
    const kept: readonly [string, Value] = ['kept', 'x'.repeat(8 * many)];
    const nested = (value: number): Doc => d({ a: Doc.of([kept, ...times(i => [`f${i}`, value] as const)]) });
    expect(diffOf(nested(1), nested(2))).toHaveLength(many);
  });
});
