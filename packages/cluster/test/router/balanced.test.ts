import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../../../server/test/client.js';
import type { House } from './house.js';
import { balanced, house } from './house.js';

const many = { insert: 'c', documents: Array.from({ length: 10 }, (_, _id) => ({ _id })) };

/** Connects a client through the load balancer. */
const greeted = async (here: House): Promise<Client> => {
  const client = new Client(balanced(here));
  await client.run({ hello: 1, loadBalanced: true });
  return client;
};

/** Starts a transaction with an insert, and returns the fields of its further statements. */
const begin = async (client: Client): Promise<object> => {
  await client.run({ create: 'c' });
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  const part = { lsid, txnNumber: Long.ONE, autocommit: false };
  await client.run({ ...many, ...part, startTransaction: true });
  return part;
};

const failing = (errand: object): object => ({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: errand });

/** Returns the number of open cursors and transactions on the shard. */
const openIn = ({ shards }: House): readonly number[] => {
  const { cursors, transactions } = shards[0]![0]!.state.engine;
  return [cursors.size, transactions.size];
};

describe('Load Balancers, "Downstream Visible Behavioral Changes": when a connection ends', () => {
  test('closes its cursors, but not those of other connections', async () => {
    const here = house();
    const [one, another] = [await greeted(here), await greeted(here)];
    await one.run(many);
    await one.run({ find: 'c', batchSize: 2 });
    await one.run({ aggregate: 'c', pipeline: [], cursor: { batchSize: 2 } });
    const { cursor } = await another.run({ find: 'c', batchSize: 2 });
    one.hangUp();
    await settled();
    expect(openIn(here)).toEqual([1, 0]);
    expect((await another.plain({ getMore: cursor.id, collection: 'c' })).cursor.nextBatch).toHaveLength(8);
  });

  test('aborts its open transaction', async () => {
    const here = house();
    const client = await greeted(here);
    await begin(client);
    expect(openIn(here)).toEqual([0, 1]);
    client.hangUp();
    await settled();
    expect(openIn(here)).toEqual([0, 0]);
    expect((await here.client.plain({ find: 'c' })).cursor.firstBatch).toEqual([]);
  });

  test('keeps a transaction that it committed', async () => {
    const here = house();
    const client = await greeted(here);
    const part = await begin(client);
    await client.run({ commitTransaction: 1, ...part }, 'admin');
    client.hangUp();
    await settled();
    expect((await here.client.plain({ find: 'c' })).cursor.firstBatch).toHaveLength(10);
  });

  test('keeps its transaction if a fail point closed the connection, so that another connection can commit', async () => {
    const here = house();
    const client = await greeted(here);
    const sibling = new Client({ accept: socket => here.mongos[0].accept(socket, { isBalanced: true }) });
    await sibling.run({ hello: 1, loadBalanced: true });
    const part = await begin(client);
    await sibling.run(failing({ failCommands: ['commitTransaction'], closeConnection: true }), 'admin');
    await expect(client.run({ commitTransaction: 1, ...part }, 'admin')).rejects.toThrow('The connection was closed');
    expect(await sibling.plain({ commitTransaction: 1, ...part }, 'admin')).toMatchObject({ ok: 1 });
  });

  test('keeps a transaction whose commit failed, so that another connection can commit', async () => {
    const here = house();
    const client = await greeted(here);
    const part = await begin(client);
    await client.run(failing({ failCommands: ['commitTransaction'], errorCode: 11600 }), 'admin');
    expect((await client.plain({ commitTransaction: 1, ...part }, 'admin')).code).toBe(11600);
    client.hangUp();
    await settled();
    expect(await here.client.plain({ commitTransaction: 1, ...part }, 'admin')).toMatchObject({ ok: 1 });
  });

  test('keeps the cursors of a direct connection to the mongos', async () => {
    const here = house();
    await here.client.run(many);
    await here.client.run({ find: 'c', batchSize: 2 });
    here.client.hangUp();
    await settled();
    expect(openIn(here)).toEqual([1, 0]);
  });
});
