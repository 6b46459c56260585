import type { Clock } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Chance, Disk, DiskOptions } from '@tessera/sim';
import { createDisk, createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import type { DataOptions, Server, ServerOptions } from '../../src/index.js';
import { createServer } from '../../src/index.js';
import { Client } from '../client.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A simulated machine: a disk, and servers that come and go. */
export interface House {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly disk: Disk;
  /** What servers reported of what they found. */
  readonly reports: readonly string[];
  /** A server on the disk's only folder. */
  start(options?: ServerOptions, data?: Partial<DataOptions>): Server;
}

/** Runs a program on a machine of its own, in virtual time. */
export const inHouse = <T>(main: (house: House) => Promise<T>, seed = 1, options: DiskOptions = {}): Promise<T> => {
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

/** What a write that asks for it is acknowledged by. */
export const journaled: Document = { writeConcern: { w: 1, j: true } };

export const clientOf = (server: Server): Client => new Client(server);
