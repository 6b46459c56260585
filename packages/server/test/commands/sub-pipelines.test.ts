import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

/** Two collections with indexes of their own. The second has them only if requested. */
const filled = async (indexed = true): Promise<Client> => {
  const { client } = world();
  const index = async (collection: string, ...keys: readonly Document[]): Promise<void> => {
    const indexes = keys.map(key => ({ key, name: Object.keys(key).join() }));
    expect(await client.plain({ createIndexes: collection, indexes })).toMatchObject({ ok: 1 });
  };
  await client.plain({ insert: 'outer', documents: [{ _id: 1, text: 'coffee', at: [1, 1] }] });
  await index('outer', { text: 'text' }, { at: '2dsphere' });
  const documents = [
    { _id: 1, words: 'tea', place: [2, 2] },
    { _id: 2, words: 'milk', place: [0, 1] },
  ];
  await client.plain({ insert: 'inner', documents });
  if (indexed) await index('inner', { words: 'text' }, { place: '2d' });
  return client;
};

const joins: readonly (readonly [string, (stages: readonly Document[]) => readonly Document[]])[] = [
  ['$lookup', pipeline => [{ $lookup: { from: 'inner', pipeline, as: 'all' } }, { $unwind: '$all' }, { $replaceWith: '$all' }]],
  ['$unionWith', pipeline => [{ $limit: 1 }, { $match: { _id: 0 } }, { $unionWith: { coll: 'inner', pipeline } }]],
]; // prettier-ignore

describe.each(joins)('a pipeline within %s', (_name, within) => {
  const geoNear = { $geoNear: { near: [0, 0], distanceField: 'd' } };
  const search = { $match: { $text: { $search: 'tea' } } };
  const run = async (client: Client, ...stages: readonly Document[]): Promise<readonly Document[]> =>
    (await client.plain({ aggregate: 'outer', pipeline: within(stages), cursor: {} })).cursor.firstBatch;
  const refusal = (client: Client, ...stages: readonly Document[]): Promise<string> =>
    client.refusal({ aggregate: 'outer', pipeline: within(stages), cursor: {} });

  test('uses the indexes of its own collection', async () => {
    const client = await filled();
    expect(await run(client, search, { $project: { score: { $meta: 'textScore' } } })).toEqual([
      { _id: 1, score: 1.1 },
    ]);
    expect(await run(client, geoNear, { $project: { d: { $round: ['$d', 2] } } })).toEqual([
      { _id: 2, d: 1 },
      { _id: 1, d: 2.83 },
    ]);
  });

  test('does not use the indexes of the outer collection', async () => {
    const client = await filled(false);
    expect(await refusal(client, search)).toMatch(/^27 text index required/);
    expect(await refusal(client, geoNear)).toMatch(/^27 \$geoNear requires a 2d or 2dsphere index/);
  });

  test('reports on its own collection', async () => {
    const client = await filled();
    expect(await run(client, { $indexStats: {} }, { $project: { name: 1 } })).toEqual([
      { name: '_id_' },
      { name: 'words' },
      { name: 'place' },
    ]);
    expect(await run(client, { $collStats: { count: {} } }, { $project: { ns: 1, count: 1 } })).toEqual([
      { ns: 'db.inner', count: 2 },
    ]);
  });
});
