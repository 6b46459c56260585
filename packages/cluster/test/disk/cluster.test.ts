import { createNode } from '@tessera/node';
import type { Disk } from '@tessera/sim';
import { createDisk, createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import type { Cluster, ClusterOptions } from '../../src/index.js';
import { createCluster } from '../../src/index.js';
import { Client } from '../../../server/test/client.js';
import { idsIn } from '../../../server/test/disk/machine.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Town {
  readonly disk: Disk;
  start(options?: ClusterOptions): Promise<Cluster>;
}

const inTown = <T>(main: (town: Town) => Promise<T>): Promise<T> => {
  const world = createWorld({ turn, crypto: createNode().crypto });
  const runtime = world.at('db');
  const disk = createDisk({ clock: runtime.clock, chance: world.chance });
  const start = (options: ClusterOptions = {}): Promise<Cluster> => {
    const addresses = ['db:1', 'db:2', 'db:3'];
    return createCluster(runtime, { data: { files: disk, folder: '/data' }, addresses, ...options });
  };
  return world.run(() => main({ disk, start }));
};

const insert = (client: Client, _id: number, writeConcern: object): Promise<unknown> =>
  client.plain({ insert: 'c', documents: [{ _id }], writeConcern });

const everywhere = async ({ members }: Cluster): Promise<unknown> =>
  Promise.all(members.map(member => idsIn(new Client(member), { $readPreference: { mode: 'nearest' } })));

test('a restarted set has everything that a majority had when all its members were killed', () =>
  inTown(async ({ disk, start }) => {
    const first = await start();
    const client = new Client(first.primary!);
    expect(await insert(client, 1, { w: 'majority' })).toMatchObject({ ok: 1, n: 1 });
    await first.stepDown();
    expect(await insert(new Client(first.primary!), 2, { w: 1, j: true })).toMatchObject({ ok: 1, n: 1 });
    disk.crash();
    first.members.forEach((_, place) => {
      first.crash(place);
    });
    const second = await start();
    expect(await everywhere(second)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(await insert(new Client(second.primary!), 3, { w: 3, j: true })).toMatchObject({ ok: 1, n: 1 });
    await second.close();
    const third = await start();
    expect(await everywhere(third)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await third.close();
  }));

test('a set that cannot open one of its folders releases the others', () =>
  inTown(async ({ disk, start }) => {
    const held = await disk.openFolder('/data/rs0-1');
    await expect(start()).rejects.toThrow('The folder /data/rs0-1 is in use by another.');
    await held.close();
    await (await start()).close();
  }));
