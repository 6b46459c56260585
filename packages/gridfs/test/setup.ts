/** A bucket on the whole driver and the embedded server, in one simulated world. */
import { GridFSBucket, MongoClient } from '@tessera/client';
import type { Db, GridFSBucketOptions, MongoClientOptions } from '@tessera/client';
import type { Document, Runtime } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { expect } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export interface Setup {
  readonly world: World;
  readonly client: MongoClient;
  readonly db: Db;
  readonly bucket: GridFSBucket;
  /** All commands sent by `client`, oldest first. */
  readonly commands: Document[];
  /** Sets a fail point through another client. */
  failPoint(mode: unknown, data?: Document): Promise<void>;
  /** Creates another client of the same server, which is closed at the end of the test. */
  another(options?: MongoClientOptions): MongoClient;
}

/** Runs the test in its own world with the streams of Node.js, and checks that nothing is left open. */
export const withBucket = async (
  test: (setup: Setup) => Promise<void>,
  options: GridFSBucketOptions = {},
  clientOptions: MongoClientOptions = {},
): Promise<void> => {
  const world = createWorld({ turn }, { seed: 3 });
  const runtime: Runtime = { ...world.runtime, streams: createNode().streams };
  await world.run(async () => {
    const server = createServer(world.at('db1'), { testCommands: true });
    await server.listen('db1:27017');
    const clients: MongoClient[] = [];
    const another = (given: MongoClientOptions = {}): MongoClient => {
      const client = new MongoClient('mongodb://db1/', given, { runtime });
      clients.push(client);
      return client;
    };
    const client = another(clientOptions);
    const commands: Document[] = [];
    client.on('commandStarted', ({ command }) => commands.push(command));
    const failPoint: Setup['failPoint'] = async (mode, data) => {
      await another()
        .db('admin')
        .command({ configureFailPoint: 'failCommand', mode, ...(data === undefined ? {} : { data }) });
    };
    const db = client.db('files');
    try {
      await test({ world, client, db, bucket: new GridFSBucket(db, options), commands, failPoint, another });
    } finally {
      for (const one of clients) await one.close();
      await server.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

/** Returns all bytes of an iterable in one piece. */
export const collect = async (from: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const part of from) parts.push(new Uint8Array(part));
  return Uint8Array.from(Buffer.concat(parts));
};

/** Returns this many bytes, with a pattern in which neighboring chunks differ. */
export const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 7 + (at >> 16)) & 0xff);

/** The names and collections of commands. */
export const named = (commands: readonly Document[]): readonly string[] =>
  commands.map(command => {
    const [name, collection] = Object.entries(command)[0] ?? [];
    return `${String(name)} ${String(collection)}`;
  });
