import { createNode } from '@tessera/node';
import { createDisk, createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import type { Cluster, ClusterOptions } from '../../src/index.js';
import { createCluster } from '../../src/index.js';
import { Client } from '../../../server/test/client.js';
import { idsIn } from '../../../server/test/disk/machine.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs a program that starts and closes sharded clusters on one machine. */
const inTown = <T>(main: (start: (options?: ClusterOptions) => Promise<Cluster>) => Promise<T>): Promise<T> => {
  const world = createWorld({ turn, crypto: createNode().crypto });
  const runtime = world.at('db');
  const disk = createDisk({ clock: runtime.clock, chance: world.chance });
  const addresses = ['db:1', 'db:2', 'db:3', 'db:4', 'db:5'] as const;
  const data = { files: disk, folder: '/data' };
  return world.run(() =>
    main(options => createCluster(runtime, { topology: 'sharded', shards: 2, data, addresses, ...options })),
  );
};

const routerOf = ({ mongoses: [mongos] }: Cluster): Client => new Client(mongos!);

test('a restarted sharded cluster has its databases, and its collections are sharded as before', () =>
  inTown(async start => {
    const first = await start();
    const client = routerOf(first);
    for (const db of ['a', 'b']) await client.plain({ insert: 'c', documents: [{ _id: db }] }, db);
    await client.plain({ shardCollection: 'db.c', key: { _id: 'hashed' } }, 'admin');
    await client.plain({ shardCollection: 'db.gone', key: { _id: 1 } }, 'admin');
    const documents = Array.from({ length: 20 }, (_, _id) => ({ _id }));
    await client.plain({ insert: 'c', documents });
    await client.plain({ drop: 'gone' });
    const config = async (cluster: Cluster, name: string): Promise<unknown> =>
      (await routerOf(cluster).plain({ find: name, projection: { lastmod: 0 } }, 'config')).cursor.firstBatch;
    const before = [await config(first, 'collections'), await config(first, 'chunks')];
    await first.close();

    const second = await start();
    expect([await config(second, 'collections'), await config(second, 'chunks')]).toEqual(before);
    const again = routerOf(second);
    expect(await idsIn(again)).toEqual(documents.map(({ _id }) => _id));
    for (const db of ['a', 'b'])
      expect((await again.plain({ find: 'c' }, db)).cursor.firstBatch).toEqual([{ _id: db }]);
    expect(await again.plain({ insert: 'c', documents: [{ _id: 3 }] })).toMatchObject({
      writeErrors: [{ code: 11000 }],
    });
    await second.close();

    await expect(start({ shards: 1 })).rejects.toThrow('Start it with the same number of shards as before.');
    const third = await start();
    expect(await idsIn(routerOf(third))).toHaveLength(20);
    await third.close();
  }));

test('a sharded cluster that cannot listen at one of its addresses releases the others', () =>
  inTown(async start => {
    const addresses = ['db:1', 'db:2', 'db:3', 'db:3'] as const;
    await expect(start({ addresses })).rejects.toThrow();
    const cluster = await start();
    await cluster.close();
  }));
