import { MongoClient } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { any, createBlackPipe } from '../../src/index.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('in a simulated world, a late reply makes the operation time out, and keeps the connection', async () => {
  const world = createWorld({ turn }, { seed: 3 });
  await world.run(async () => {
    const pipe = createBlackPipe(world.at('db1'));
    await pipe.listen('db1:27017');
    const client = new MongoClient('mongodb://db1:27017/?timeoutMS=50', {}, { runtime: world.runtime });
    const films = client.db('shop').collection('films');
    const late = films.findOne({}).catch((error: unknown) => (error as Error).name);
    const first = await pipe.expect('find', { lsid: any.document });
    first.after(60).cursor([{ _id: 'late' }]);
    expect(await late).toBe('MongoOperationTimeoutError');
    await world.runtime.clock.sleep(100);
    const found = films.findOne({});
    const second = await pipe.expect('find');
    second.cursor([{ _id: 'in time' }]);
    expect(await found).toEqual({ _id: 'in time' });
    expect(second.connection.id).toBe(first.connection.id);
    await client.close();
    await pipe[Symbol.asyncDispose]();
    await world.runtime.clock.sleep(1000);
  });
  expect(world.leftovers()).toEqual([]);
});

test('in a simulated world, a reset connection makes the driver retry the read on another connection', async () => {
  const world = createWorld({ turn }, { seed: 4 });
  await world.run(async () => {
    const pipe = createBlackPipe(world.at('db1'));
    await pipe.listen('db1:27017');
    const client = new MongoClient('mongodb://db1:27017', {}, { runtime: world.runtime });
    const found = client.db('shop').collection('films').findOne({});
    const first = await pipe.expect('find');
    first.hangUp('rst');
    const again = await pipe.expect('find');
    again.cursor([]);
    expect([await found, again.connection.id === first.connection.id]).toEqual([null, false]);
    await client.close();
    await pipe[Symbol.asyncDispose]();
    await world.runtime.clock.sleep(1000);
  });
  expect(world.history.filter(({ what }) => what.includes('reset by db1'))).toHaveLength(1);
  expect(world.leftovers()).toEqual([]);
});
