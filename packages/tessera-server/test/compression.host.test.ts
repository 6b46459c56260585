import { MongoClient as Tessera } from '@tessera/mongodb';
import { createSnappy } from '@tessera/snappy';
import { createZstd } from '@tessera/zstd';
import { MongoClient as Official } from 'mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: RunningServer;

beforeAll(async () => {
  server = await startServer({ compressors: [createSnappy(), createZstd()] });
});

afterAll(() => server.close());

// The largest document is compressed in another thread.
const documents = [10, 1000, 300_000].map((length, _id) => ({ _id, text: 'tessera '.repeat(length / 8) }));

interface Row {
  readonly _id: number;
  readonly text: string;
}

describe('OP_COMPRESSED over real sockets', () => {
  test.each(['zlib', 'snappy', 'zstd'] as const)('this driver uses %s', async name => {
    const client = new Tessera(server.uri, {
      compressors: [name],
      parts: { compressors: [createSnappy(), createZstd()] },
    });
    try {
      const collection = client.db(`ours-${name}`).collection<Row>('c');
      await collection.insertMany(documents);
      expect(await collection.find().toArray()).toEqual(documents);
      const { compression } = (await client.db().command({ hello: 1, compression: [name, 'lz77'] })) as Row & {
        readonly compression: unknown;
      };
      expect(compression).toEqual([name]);
    } finally {
      await client.close();
    }
  });

  test('the official driver uses zlib', async () => {
    const client = new Official(server.uri, { compressors: ['zlib'], zlibCompressionLevel: 1 });
    try {
      const collection = client.db('theirs').collection<Row>('c');
      await collection.insertMany(documents.map(document => ({ ...document })));
      expect(await collection.find().toArray()).toEqual(documents);
    } finally {
      await client.close();
    }
  });
});
