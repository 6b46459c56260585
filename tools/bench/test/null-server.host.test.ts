import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { variedDocuments } from '../src/documents/varied.js';
import { bulkDocuments, manyDocuments } from '../src/null-server/replies.js';
import { startNullServer } from '../src/null-server/server.js';
import type { NullServer } from '../src/null-server/server.js';
import { connect, nullUri, sideNames, programs } from '../src/side.js';
import type { Client, Database } from '../src/side.js';

const idsOfMany = variedDocuments(manyDocuments).map(({ _id }) => String(_id));
let server: NullServer;
beforeAll(async () => {
  server = await startNullServer(1_000_000);
});
afterAll(() => server.close());

describe.each(sideNames)('the null server replies to both drivers: %s', name => {
  let client: Client;
  let database: Database;
  beforeAll(async () => {
    client = await connect(name, server.port);
    database = client.db('bench');
  });
  afterAll(() => client.close());

  test('ping', async () => {
    expect(await database.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('find one document', async () => {
    const found = await database.collection('one').findOne({ _id: 1 }, {});
    expect(JSON.stringify(found)).toBe(JSON.stringify(variedDocuments(1)[0]));
  });

  test('find and getMore of many documents', async () => {
    const cursor = database.collection('many').find({}, { batchSize: 1000 });
    const ids = (await cursor.toArray()).map(({ _id }) => String(_id));
    expect(ids).toEqual(idsOfMany);
  });

  test('killCursors when a cursor is abandoned', async () => {
    let first: unknown;
    for await (const { _id } of database.collection('many').find({}, { batchSize: 1000 })) {
      first = _id;
      break;
    }
    expect(String(first)).toBe(String(variedDocuments(1)[0]!['_id']));
  });

  test('insert one document and many, with the number of inserted documents', async () => {
    expect(await database.collection('orders').insertOne({ _id: 5 })).toEqual({ acknowledged: true, insertedId: 5 });
    const documents = Array.from({ length: bulkDocuments }, (_, _id) => ({ _id }));
    expect(await database.collection('bulk').insertMany(documents)).toMatchObject({ insertedCount: bulkDocuments });
  });

  test('`recorded` returns the inserts since `record`', async () => {
    await database.collection('orders').insertOne({ _id: 1 });
    await database.command({ record: 1 });
    await database.collection('orders').insertOne({ _id: 2 });
    const { recorded } = await database.command({ recorded: 1 });
    expect(JSON.parse(recorded as string)).toEqual([
      { insert: 'orders', documents: [{ _id: { $numberInt: '2' } }], $db: 'bench' },
    ]);
    expect(await database.command({ recorded: 1 })).toMatchObject({ recorded: '[]' });
  });

  test('an unknown command fails with code 59', async () => {
    await expect(database.command({ compact: 'orders' })).rejects.toMatchObject({ code: 59 });
  });

  test.for(['tls', 'zlib'] as const)('with %s the replies are the same', async way => {
    const newClient = await programs[name].clients();
    const [port, options] =
      way === 'tls'
        ? [server.tlsPort, { tls: true, ca: server.authority }]
        : [server.zlibPort, { compressors: 'zlib' }];
    const other = newClient(nullUri(port), options);
    try {
      const found = await other.db('bench').collection('many').find({}, { batchSize: 1000 }).toArray();
      expect(found.map(({ _id }) => String(_id))).toEqual(idsOfMany);
    } finally {
      await other.close();
    }
  });

  test('the port with zlib rejects uncompressed commands', async () => {
    const newClient = await programs[name].clients();
    const other = newClient(nullUri(server.zlibPort));
    try {
      await expect(other.db('bench').command({ ping: 1 })).rejects.toThrow(
        "no such command: 'ping without compression'",
      );
    } finally {
      await other.close();
    }
  });
});
