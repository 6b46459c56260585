import { MongoServerError } from '@tessera/mongodb';
import type { Collection } from '@tessera/mongodb';
import { beforeAll, expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

interface Sale {
  _id: number;
  shop: string;
  price: number;
  tags: string[];
}

const deployment = useDeployment();
let sales: Collection<Sale>;
beforeAll(async () => {
  sales = deployment.collection<Sale>();
  const shop = (index: number): string => ['north', 'south', 'west'][index % 3]!;
  const sale = (index: number): object => ({
    shop: shop(index),
    price: index,
    tags: index % 2 ? ['odd'] : ['even', 'x'],
  });
  await sales.insertMany(numbered(12, sale) as Sale[]);
});

test('aggregate runs $match, $group, $sort and $limit', async context => {
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

test('aggregate runs $unwind and $project', async () => {
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

test('$lookup joins collections, and $facet runs several pipelines', async context => {
  needs(context, 'richer aggregation');
  const shops = deployment.collection<{ _id: string; town: string }>();
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

test('$out and $merge write the result to a collection', async context => {
  needs(context, 'richer aggregation');
  const target = deployment.collection();
  const stages = [{ $match: { _id: { $lt: 2 } } }, { $project: { price: 1 } }];
  expect(await sales.aggregate([...stages, { $out: target.collectionName }]).toArray()).toEqual([]);
  await sales
    .aggregate([{ $match: { _id: 2 } }, { $project: { price: 1 } }, { $merge: target.collectionName }])
    .toArray();
  expect(await target.find().sort({ _id: 1 }).toArray()).toEqual(numbered(3, price => ({ price })));
});

test('a pipeline can read the variables of let', async context => {
  needs(context, 'let variables', 'richer aggregation');
  const found = await sales
    .aggregate([{ $match: { $expr: { $eq: ['$price', '$$wanted'] } } }], { let: { wanted: 7 } })
    .toArray();
  expect(found.map(({ _id }) => _id as number)).toEqual([7]);
});

test('a database runs an aggregation without a collection', async context => {
  needs(context, 'aggregation without a collection');
  const found = await deployment.db.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray();
  expect(found).toEqual([{ a: 2 }]);
});

test('countDocuments counts all or matching documents, and honors skip and limit', async () => {
  expect(await sales.estimatedDocumentCount()).toBe(12);
  expect(await sales.countDocuments({ shop: 'north' })).toBe(4);
  expect(await sales.countDocuments({}, { skip: 5, limit: 4 })).toBe(4);
  expect(await sales.countDocuments({ shop: 'nowhere' })).toBe(0);
  expect(await deployment.collection().estimatedDocumentCount()).toBe(0);
});

test('distinct returns distinct values, and the elements of arrays', async () => {
  expect((await sales.distinct('shop')).sort()).toEqual(['north', 'south', 'west']);
  expect((await sales.distinct('tags', { _id: { $lt: 2 } })).sort()).toEqual(['even', 'odd', 'x']);
});

test('an unknown stage fails with a MongoServerError', async context => {
  needs(context, 'error codes');
  const error = await errorOf<MongoServerError>(sales.aggregate([{ $noSuchStage: {} }]).toArray());
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error.code).toBe(40324);
});

test('explain returns the query plan of a find', async context => {
  needs(context, 'explain');
  const reply = await deployment.db.command({ explain: { find: sales.collectionName, filter: { _id: 1 } } });
  expect(reply).toMatchObject({ ok: 1 });
  expect(reply).toHaveProperty('queryPlanner');
});
