import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const point = (...coordinates: readonly number[]): Document => ({ type: 'Point', coordinates });
const square = (from: number, to: number): Document => ({
  type: 'Polygon',
  coordinates: [
    [
      [from, from],
      [to, from],
      [to, to],
      [from, to],
      [from, from],
    ],
  ],
});
const line = { type: 'LineString', coordinates: [[0, 0], [4, 4]] }; // prettier-ignore

const places = async (kind?: string): Promise<Client> => {
  const { client } = world();
  const isOnSphere = kind === '2dsphere';
  if (kind === '2d') {
    const documents = [
      { _id: 1, at: [1, 1] },
      { _id: 2, at: [2, 2] },
      { _id: 3, at: { x: 1.5, y: 1 } },
      { _id: 4, at: [[9, 9], [1, 2]] }, // prettier-ignore
      { _id: 5, at: 'nowhere' },
      { _id: 6 },
    ];
    await client.plain({ insert: 'c', documents });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { at: kind }, name: 'at' }] });
    return client;
  }
  const documents = [
    { _id: 1, at: point(1, 1) },
    { _id: 2, at: [2, 2] },
    { _id: 3, at: { x: 5, y: 5 } },
    { _id: 4, at: square(1, 3) },
    { _id: 5, at: line },
    { _id: 6, at: isOnSphere ? { type: 'MultiPoint', coordinates: [[9, 9], [1, 2]] } : [point(9, 9), point(1, 2)] }, // prettier-ignore
    ...(isOnSphere ? [] : [{ _id: 7, at: 'nowhere' }]),
    { _id: 8 },
  ];
  await client.plain({ insert: 'c', documents });
  if (kind !== undefined) await client.plain({ createIndexes: 'c', indexes: [{ key: { at: kind }, name: 'at' }] });
  return client;
};

const found = async (client: Client, at: Document): Promise<unknown> =>
  (await client.plain({ find: 'c', filter: { at } })).cursor.firstBatch.map(({ _id }) => _id);

describe('$geoWithin and $geoIntersects', () => {
  test.each([
    [{ $geoWithin: { $geometry: square(0, 3) } }, [1, 2, 4, 6]],
    [{ $geoWithin: { $geometry: { type: 'MultiPolygon', coordinates: [square(0, 1), square(4, 6)].map(one => one['coordinates'] as unknown) } } }, [1, 3]],
    [{ $within: { $box: [[0, 0], [2, 2]] } }, [1, 2, 6]],
    [{ $geoWithin: { $polygon: [[0, 0], [3, 0], [0, 3]] } }, [1, 6]],
    [{ $geoWithin: { $center: [[2, 2], 1] } }, [2, 6]],
    [{ $geoWithin: { $centerSphere: [[2, 2], 0.02] } }, [2, 6]],
    [{ $geoIntersects: { $geometry: square(3, 6) } }, [3, 5]],
    [{ $geoIntersects: { $geometry: square(2, 6) } }, [2, 3, 4, 5]],
    [{ $geoIntersects: { $geometry: point(2, 2) } }, [2, 4]],
    [{ $geoIntersects: { $geometry: [2, 2] } }, [2, 4]],
    [{ $geoIntersects: { $geometry: { type: 'LineString', coordinates: [[0, 2], [2, 0]] } } }, [4, 5]],
    [{ $not: { $geoWithin: { $geometry: square(0, 3) } } }, [3, 5, 7, 8]],
  ])('find the documents for %j', async (at, ids) => {
    expect(await found(await places(), at)).toEqual(ids);
  }); // prettier-ignore

  test('exclude the hole of a polygon', async () => {
    const [outline] = square(0, 6)['coordinates'] as readonly unknown[];
    const [hole] = square(1.5, 4)['coordinates'] as readonly unknown[];
    const $geometry = { type: 'Polygon', coordinates: [outline, hole] };
    expect(await found(await places(), { $geoWithin: { $geometry } })).toEqual([1, 3, 6]);
  });

  test.each([
    [{ $geoWithin: 1 }, '2 geometry must be an object'],
    [{ $geoWithin: {} }, "2 geo query doesn't have any geometry"],
    [{ $geoWithin: { $sphere: 1 } }, '2 unknown geo specifier: $sphere: 1'],
    [
      { $geoWithin: { $geometry: point(1, 1) } },
      '2 $within not supported with provided geometry: { $geometry: { type: "Point", coordinates: [ 1, 1 ] } }',
    ],
    [{ $geoIntersects: { $geometry: point(200, 1) } }, '2 longitude/latitude is out of bounds, lng: 200 lat: 1'],
    [{ $geoWithin: { $center: [[0, 0], -1] } }, '2 radius must be a non-negative number'],
  ])('reject %j', async (at, refusal) => {
    expect(await (await places()).refusal({ find: 'c', filter: { at } })).toBe(refusal);
  });
});

describe('$near and $geoNear', () => {
  test('sort by distance, in meters for a point on a sphere', async () => {
    const client = await places('2dsphere');
    const $geometry = point(1, 1);
    expect(await found(client, { $near: { $geometry } })).toEqual([1, 4, 5, 6, 2, 3]);
    expect(await found(client, { $near: { $geometry, $maxDistance: 120_000 } })).toEqual([1, 4, 5, 6]);
    expect(await found(client, { $nearSphere: { $geometry, $minDistance: 100_000, $maxDistance: 160_000 } })).toEqual([
      6, 2,
    ]);
  });

  test('measure the distance on a plane in its own units', async () => {
    const client = await places('2d');
    expect(await found(client, { $near: [1, 1], $maxDistance: 1.2 })).toEqual([1, 3, 4]);
  });

  test('provide their distance and place as metadata', async () => {
    const client = await places('2d');
    const projection = { _id: 1, far: { $meta: 'geoNearDistance' }, place: { $meta: 'geoNearPoint' } };
    const filter = { at: { $near: [1, 1], $maxDistance: 0.4 } };
    const { cursor } = await client.plain({ find: 'c', filter, projection });
    expect(cursor.firstBatch).toEqual([{ _id: 1, far: 0, place: [1, 1] }]);
    const $geoNear = { near: [1, 1], distanceField: 'd', maxDistance: 0.4 };
    const piped = await client.plain({
      aggregate: 'c',
      pipeline: [{ $geoNear }, { $project: projection }],
      cursor: {},
    });
    expect(piped.cursor.firstBatch).toEqual([{ _id: 1, far: 0, place: [1, 1] }]);
    expect(await client.refusal({ find: 'c', projection })).toMatch(
      /^40218 .*query requires \$geoNear distance metadata/,
    );
  });

  test('explain names their stage and index, and the stages of a pipeline after the lookup', async () => {
    const client = await places('2dsphere');
    const near = { $near: { $geometry: point(1, 1) } };
    const stage = { stage: 'GEO_NEAR_2DSPHERE', keyPattern: { at: '2dsphere' }, indexName: 'at' };
    const { queryPlanner } = await client.plain({ explain: { find: 'c', filter: { at: near } } });
    expect(queryPlanner).toMatchObject({ winningPlan: stage });
    const within = { at: { $geoWithin: { $centerSphere: [[1, 1], 0.001] } } };
    const found: Document = await client.plain({ explain: { find: 'c', filter: within } });
    expect(found['queryPlanner'].winningPlan.inputStage).toMatchObject({ stage: 'IXSCAN', indexName: 'at' });
    const $geoNear = { near: point(1, 1), distanceField: 'd' };
    const $group = { _id: null, n: { $sum: 1 } };
    const explained = async (pipeline: readonly Document[]): Promise<Document> =>
      client.plain({ aggregate: 'c', pipeline, explain: true });
    expect((await explained([{ $geoNear }, { $limit: 1 }]))['stages']).toMatchObject([
      { $geoNearCursor: { queryPlanner: { winningPlan: stage } } },
      { $limit: 1 },
    ]);
    expect((await explained([{ $match: { _id: 1 } }, { $sort: { _id: 1 } }, { $group }]))['stages']).toMatchObject([
      { $cursor: { queryPlanner: { parsedQuery: { _id: 1 } } } },
      { $group },
    ]);
    expect(await explained([{ $match: { _id: 1 } }, { $limit: 1 }])).not.toHaveProperty('stages');
  });

  test('are overridden by the sort of the command', async () => {
    const client = await places('2d');
    const { cursor } = await client.plain({
      find: 'c',
      filter: { at: { $near: [1, 1], $maxDistance: 1.2 } },
      sort: { _id: -1 },
      projection: { _id: 1 },
    });
    expect(cursor.firstBatch).toEqual([{ _id: 4 }, { _id: 3 }, { _id: 1 }]);
  });

  test('$geoNear adds the distance and the location to each document', async () => {
    const client = await places('2dsphere');
    const $geoNear = {
      ...{ near: point(5, 5), distanceField: 'far.away', includeLocs: 'place', maxDistance: 1 },
      query: { _id: { $lt: 5 } },
    };
    const pipeline = [{ $geoNear }];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([{ _id: 3, at: { x: 5, y: 5 }, far: { away: 0 }, place: { x: 5, y: 5 } }]);
  });

  test('$geoNear replaces an array on the path of the distance', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { at: '2dsphere' }, name: 'at' }] });
    await client.plain({ insert: 'c', documents: [{ _id: 1, at: point(0, 0), arr: [{ b: 1 }, { b: 2 }] }] });
    const pipeline = [{ $geoNear: { near: point(0, 0), distanceField: 'arr.b' } }, { $project: { arr: 1 } }];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([{ _id: 1, arr: { b: 0 } }]);
  });

  test('measure the same distance on a sphere as mongod', async () => {
    const client = await places('2dsphere');
    const pipeline = [
      { $geoNear: { near: point(0, 0), distanceField: 'd', query: { _id: 1 } } },
      { $project: { d: { $round: '$d' }, same: { $eq: ['$d', { $meta: 'geoNearDistance' }] } } },
    ];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([{ _id: 1, d: 157_425, same: true }]);
  });

  test('require a geospatial index', async () => {
    const client = await places();
    expect(await client.refusal({ find: 'c', filter: { at: { $near: [0, 0] } } })).toMatch(
      /^291 .*unable to find index/,
    );
    const pipeline = [{ $geoNear: { near: [0, 0], distanceField: 'd' } }];
    expect(await client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toBe(
      '27 $geoNear requires a 2d or 2dsphere index, but none were found',
    );
  });

  test.each([
    [{}, /^5860400 /],
    [{ near: null }, /^5860401 /],
    [{ near: [0, 0], distanceField: 1 }, /^16606 /],
    [{ near: [0, 0], includeLocs: 1 }, /^16607 /],
    [{ near: [0, 0], distanceMultiplier: 'x' }, /^14 /],
    [{ near: [0, 0], distanceMultiplier: -1 }, /^2 /],
    [{ near: [0, 0], minDistance: 'x' }, /^14 /],
    [{ near: [0, 0], maxDistance: -1 }, /^2 /],
    [{ near: [0, 0], query: 1 }, /^14 /],
    [{ near: [0, 0], key: 1 }, /^14 /],
    [{ near: [0, 0], key: '' }, /^2 /],
    [{ near: [0, 0], limit: 1 }, /^50858 /],
    [{ near: [0, 0], num: 1 }, /^50857 /],
    [{ near: [0, 0], start: 1 }, /^50856 /],
    [{ near: [0, 0], other: 1 }, /^2 Unknown argument to \$geoNear: other/],
    [{ near: [0, 0], key: 'elsewhere' }, /^291 /],
    [{ near: point(0, 0) }, /^291 /],
    [{ near: { type: 'LineString', coordinates: [] } }, /^2 invalid point provided/],
    [{ near: [0, 91], spherical: true }, /^2 Legacy point is out of bounds/],
    [{ near: [200, 0] }, /^16433 point not in interval/],
  ])('$geoNear rejects %j', async ($geoNear, refusal) => {
    const client = await places('2d');
    expect(await client.refusal({ aggregate: 'c', pipeline: [{ $geoNear }], cursor: {} })).toMatch(refusal);
  });

  test('are rejected twice in a filter, beside $text, and with $natural or a tailable cursor', async () => {
    const client = await places('2d');
    await client.plain({ createIndexes: 'c', indexes: [{ key: { text: 'text' }, name: 'text' }] });
    const near = { at: { $near: [0, 0] } };
    const run = (find: Document): Promise<string> => client.refusal({ find: 'c', ...find });
    expect(await run({ filter: { $and: [near, near] } })).toBe('2 Too many geoNear expressions');
    expect(await run({ filter: { ...near, $text: { $search: 'x' } } })).toBe(
      '2 text and geoNear not allowed in same query',
    );
    for (const more of [{ sort: { $natural: 1 } }, { hint: { $natural: 1 } }, { tailable: true }])
      expect(await run({ filter: near, ...more })).toMatch(/^2 /);
  });

  test('$near is rejected in a $match, and $geoNear after the first stage', async () => {
    const client = await places('2dsphere');
    const run = (...pipeline: readonly Document[]) => client.refusal({ aggregate: 'c', pipeline, cursor: {} });
    expect(await run({ $match: { at: { $near: [0, 0] } } })).toMatch(/^5626500 /);
    expect(await run({ $match: {} }, { $geoNear: { near: [0, 0], distanceField: 'd' } })).toBe(
      '40603 $geoNear was not the first stage in the pipeline after optimization',
    );
  });
});
