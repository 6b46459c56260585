import { expect, test } from 'vitest';
import { Session, set } from '../txn/session.js';

test('The TTL monitor deletes expired documents, except in collections that an open transaction writes to', async () => {
  const { client, clock } = set();
  const past = new Date(0);
  for (const name of ['a', 'b']) {
    const index = { key: { at: 1 }, name: 'at', expireAfterSeconds: 1 };
    await client.plain({ createIndexes: name, indexes: [index] });
    await client.plain({ insert: name, documents: [{ _id: 1, at: past }] });
  }
  await clock.advance(10_000);
  const session = new Session(client).start();
  await session.run({ update: 'a', updates: [{ q: { _id: 1 }, u: { $set: { x: 1 } } }] });
  const counts = async (): Promise<readonly number[]> => [
    (await client.plain({ count: 'a' })).n,
    (await client.plain({ count: 'b' })).n,
  ];
  await clock.advance(50_000);
  expect(await counts()).toEqual([1, 0]);
  await session.abort();
  await clock.advance(60_000);
  expect(await counts()).toEqual([0, 0]);
});
