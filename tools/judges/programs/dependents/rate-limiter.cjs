// Limits of rate-limiter-flexible that are counted in MongoDB.
'use strict';
const { MongoClient } = require('mongodb');
const { RateLimiterMongo } = require('rate-limiter-flexible');
const { uri, step, done } = require('./report.cjs');

const plain = result =>
  result === null
    ? null
    : {
        remaining: result.remainingPoints,
        consumed: result.consumedPoints,
        first: result.isFirstInDuration,
        waits: result.msBeforeNext > 0,
      };
const outcomeOf = promise =>
  promise.then(plain, rejected =>
    rejected instanceof Error ? { error: rejected.name } : { rejected: plain(rejected) },
  );

(async () => {
  const client = new MongoClient(uri);
  await client.connect();
  await client.db('limits').dropDatabase();
  const limiter = new RateLimiterMongo({
    storeClient: client,
    dbName: 'limits',
    points: 3,
    duration: 5,
    indexKeyPrefix: { tenant: 1 },
  });
  await step('consume', async () => [
    await outcomeOf(limiter.consume('a', 2)),
    await outcomeOf(limiter.consume('a', 1)),
    await outcomeOf(limiter.consume('a')),
  ]);
  await step(
    'in parallel',
    async () =>
      (await Promise.all(Array.from({ length: 5 }, () => outcomeOf(limiter.consume('p'))))).filter(
        each => 'rejected' in each,
      ).length,
  );
  await step('get, penalty, reward, block, delete', async () => [
    await outcomeOf(limiter.get('a')),
    await outcomeOf(limiter.penalty('b', 2)),
    await outcomeOf(limiter.reward('b', 1)),
    await outcomeOf(limiter.block('c', 10)),
    await outcomeOf(limiter.consume('c')),
    await limiter.delete('c'),
    await limiter.delete('none'),
    await limiter.get('none'),
    await outcomeOf(limiter.consume('a', 1, { attrs: { tenant: 'x' } })),
  ]);
  await step('indexes', async () =>
    (await client.db('limits').collection('rlflx').indexes()).map(({ key, unique, expireAfterSeconds }) => ({
      key,
      unique,
      expireAfterSeconds,
    })),
  );
  await client.close();
  await step('after close', () => outcomeOf(limiter.consume('d')));
  done();
})();
