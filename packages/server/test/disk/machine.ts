import type { Clock } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Chance, Disk, DiskOptions } from '@tessera/sim';
import { createDisk, createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import type { DataOptions, Server, ServerOptions } from '../../src/index.js';
import { createServer } from '../../src/index.js';
import { Client } from '../client.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A simulated machine with one disk, on which a test starts and stops servers. */
export interface Machine {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly disk: Disk;
  /** The sentences that servers reported while they opened their data. */
  readonly reports: readonly string[];
  /** Creates a server whose data is in the disk's only folder. */
  start(options?: ServerOptions, data?: Partial<DataOptions>): Server;
}

/** Runs a test on its own machine, in virtual time. */
export const onMachine = <T>(
  main: (machine: Machine) => Promise<T>,
  seed = 1,
  options: DiskOptions = {},
): Promise<T> => {
  const world = createWorld({ turn, crypto: createNode().crypto }, { seed });
  const runtime = world.at('db');
  const disk = createDisk({ clock: runtime.clock, chance: world.chance }, options);
  const reports: string[] = [];
  const start = (more: ServerOptions = {}, data: Partial<DataOptions> = {}): Server =>
    createServer(runtime, {
      data: { files: disk, folder: '/data', report: sentence => void reports.push(sentence), ...data },
      ...more,
    });
  return world.run(() => main({ clock: runtime.clock, chance: world.chance, disk, reports, start }));
};

export const idsIn = async (client: Client, more: Document = {}): Promise<readonly unknown[]> => {
  const { cursor } = await client.plain({ find: 'c', sort: { _id: 1 }, batchSize: 100_000, ...more });
  return cursor.firstBatch.map(({ _id }) => _id);
};

/** Makes a write wait until it is on the disk. */
export const journaled: Document = { writeConcern: { w: 1, j: true } };

export const clientOf = (server: Server): Client => new Client(server);
