/** The prose test of Transactions about options; the one with a server that has transactions stands in `packages/mongodb/test/integration`. */
import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };

test('Transactions, prose test 1.0: the write concern of a collection is not that of its transaction', async () => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 10 });
  let asked: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => (isHello(command) ? set : { n: 1 }));
    const client = new MongoClient('mongodb://db1/?replicaSet=rs', {}, { runtime: world.runtime });
    const session = client.startSession();
    session.startTransaction();
    const films = client.db('shop').collection<{ n: number }>('films', { writeConcern: { w: 0 } });
    expect(await films.insertOne({ n: 1 }, { session })).toMatchObject({ acknowledged: true });
    await session.commitTransaction();
    await session.endSession();
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2000);
    asked = server.asked.filter(command => 'insert' in command || 'commitTransaction' in command);
  });
  expect(world.leftovers()).toEqual([]);
  const said = asked.map(command => [Object.keys(command)[0], command['writeConcern'] as unknown]);
  expect(said).toEqual([
    ['insert', undefined],
    ['commitTransaction', undefined],
  ]);
});
