import { MongoServerError } from '@tessera/mongodb';
import type { Collection } from '@tessera/mongodb';
import { beforeAll, expect, test } from 'vitest';
import { errorOf, needs, numbered, useRoom } from './deployment.js';

interface Sale {
  _id: number;
  shop: string;
  price: number;
  tags: string[];
}

const room = useRoom();
let sales: Collection<Sale>;
beforeAll(async () => {
  sales = room.collection<Sale>();
  const shop = (index: number): string => ['north', 'south', 'west'][index % 3]!;
  const sale = (index: number): object => ({
    shop: shop(index),
    price: index,
    tags: index % 2 ? ['odd'] : ['even', 'x'],
  });
  await sales.insertMany(numbered(12, sale) as Sale[]);
});

test('match, group, sort and limit', async context => {
  needs(context, 'sums of constants');
  const found = await sales
    .aggregate([
      { $match: { price: { $gt: 0 } } },
      { $group: { _id: '$shop', total: { $sum: '$price' }, count: { $sum: 1 } } },
      { $sort: { total: -1 } },
      { $limit: 2 },
    ])
    .toArray();
  expect(found).toEqual([
    { _id: 'west', total: 26, count: 4 },
    { _id: 'south', total: 22, count: 4 },
  ]);
});

test('unwind and project', async () => {
  const found = await sales
    .aggregate([
      { $match: { _id: { $lt: 2 } } },
      { $unwind: '$tags' },
      { $sort: { _id: 1, tags: 1 } },
      { $project: { _id: 0, tags: 1 } },
    ])
    .toArray();
  expect(found).toEqual([{ tags: 'even' }, { tags: 'x' }, { tags: 'odd' }]);
});

test('lookup joins, facet does several things at once', async context => {
  needs(context, 'richer aggregation');
  const shops = room.collection<{ _id: string; town: string }>();
  await shops.insertMany([
    { _id: 'north', town: 'Kiel' },
    { _id: 'south', town: 'Ulm' },
  ]);
  const found = await sales
    .aggregate([
      { $match: { _id: { $lt: 3 } } },
      { $lookup: { from: shops.collectionName, localField: 'shop', foreignField: '_id', as: 'at' } },
      {
        $facet: {
          towns: [{ $unwind: '$at' }, { $sort: { _id: 1 } }, { $project: { _id: 0, town: '$at.town' } }],
          count: [{ $count: 'n' }],
        },
      },
    ])
    .toArray();
  expect(found).toEqual([{ towns: [{ town: 'Kiel' }, { town: 'Ulm' }], count: [{ n: 3 }] }]);
});

test('out and merge write what was computed', async context => {
  needs(context, 'richer aggregation');
  const target = room.collection();
  const stages = [{ $match: { _id: { $lt: 2 } } }, { $project: { price: 1 } }];
  expect(await sales.aggregate([...stages, { $out: target.collectionName }]).toArray()).toEqual([]);
  await sales
    .aggregate([{ $match: { _id: 2 } }, { $project: { price: 1 } }, { $merge: target.collectionName }])
    .toArray();
  expect(await target.find().sort({ _id: 1 }).toArray()).toEqual(numbered(3, price => ({ price })));
});

test('the variables of let are known to the pipeline', async context => {
  needs(context, 'let variables', 'richer aggregation');
  const found = await sales
    .aggregate([{ $match: { $expr: { $eq: ['$price', '$$wanted'] } } }], { let: { wanted: 7 } })
    .toArray();
  expect(found.map(({ _id }) => _id as number)).toEqual([7]);
});

test('an aggregation on the database itself', async context => {
  needs(context, 'aggregation without a collection');
  const found = await room.db.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray();
  expect(found).toEqual([{ a: 2 }]);
});

test('counts: all, those that match, with skip and limit', async () => {
  expect(await sales.estimatedDocumentCount()).toBe(12);
  expect(await sales.countDocuments({ shop: 'north' })).toBe(4);
  expect(await sales.countDocuments({}, { skip: 5, limit: 4 })).toBe(4);
  expect(await sales.countDocuments({ shop: 'nowhere' })).toBe(0);
  expect(await room.collection().estimatedDocumentCount()).toBe(0);
});

test('distinct values, of arrays their elements', async () => {
  expect((await sales.distinct('shop')).sort()).toEqual(['north', 'south', 'west']);
  expect((await sales.distinct('tags', { _id: { $lt: 2 } })).sort()).toEqual(['even', 'odd', 'x']);
});

test('a stage that does not exist is an error of the server', async context => {
  needs(context, 'error codes');
  const error = await errorOf<MongoServerError>(sales.aggregate([{ $noSuchStage: {} }]).toArray());
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error.code).toBe(40324);
});

test('explain tells the plan of a find', async context => {
  needs(context, 'explain');
  const reply = await room.db.command({ explain: { find: sales.collectionName, filter: { _id: 1 } } });
  expect(reply).toMatchObject({ ok: 1 });
  expect(reply).toHaveProperty('queryPlanner');
});
