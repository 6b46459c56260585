import { expect, test } from 'vitest';
import { Client, settled } from '../../../server/test/client.js';
import type { House } from './house.js';
import { house } from './house.js';

/** Opens a cursor that waits for more documents at the end of a capped collection. */
const tailing = async ({ client }: House): Promise<unknown> => {
  await client.run({ create: 'log', capped: true, size: 4096 });
  await client.run({ insert: 'log', documents: [{ _id: 1 }] });
  return (await client.run({ find: 'log', tailable: true, awaitData: true })).cursor.id;
};

test('a cursor with a waiting getMore rejects another getMore with 12051, and stays usable', async () => {
  const here = house();
  const { client, mongos } = here;
  const id = await tailing(here);
  const more = { getMore: id, collection: 'log', maxTimeMS: 10_000 };
  const waiting = client.plain(more);
  await settled();
  const second = new Client(mongos[0]);
  expect(await second.refusal(more)).toBe(`12051 cursor id ${String(id)} is already in use`);
  await second.run({ insert: 'log', documents: [{ _id: 2 }] });
  expect((await waiting).cursor.nextBatch).toEqual([{ _id: 2 }]);
  await second.run({ insert: 'log', documents: [{ _id: 3 }] });
  expect((await second.plain(more)).cursor.nextBatch).toEqual([{ _id: 3 }]);
});

test('a cursor survives an invalid getMore, and is closed when the getMore fails on its shard', async () => {
  const { client, shards } = house();
  await client.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
  const { id } = (await client.run({ find: 'c', batchSize: 1 })).cursor;
  const more = { getMore: id, collection: 'c', batchSize: 1 };
  expect(await client.refusal({ ...more, maxTimeMS: 5 })).toMatch(/^2 cannot set maxTimeMS on getMore/);
  const fail = (on: string, data: object) =>
    client.plain({ configureFailPoint: on, mode: { times: 1 }, data: { failCommands: ['getMore'], ...data } }, 'admin');
  await fail('failCommand', { errorCode: 91 });
  expect(await client.refusal(more)).toMatch(/^91 /);
  expect((await client.plain(more)).cursor.nextBatch).toEqual([{ _id: 2 }]);
  const [member] = shards[0]!;
  const direct = new Client(member!);
  const data = { failCommands: ['getMore'], errorCode: 8, failInternalCommands: true };
  await direct.run({ configureFailPoint: 'failCommand', mode: { times: 1 }, data }, 'admin');
  expect(await client.refusal(more)).toMatch(/^8 /);
  expect(await client.refusal(more)).toBe(`43 cursor id ${String(id)} not found`);
  expect(member!.state.engine.cursors.size).toBe(0);
});
