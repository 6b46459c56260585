import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Row } from '../client.js';
import { Client, msgOf, settled, typed, world } from '../client.js';

describe('hello', () => {
  test('returns these fields on a standalone, in this order, with these types', async () => {
    const { client } = world();
    const hello = await client.run({ hello: 1 });
    expect(Object.keys(hello)).toEqual([
      'isWritablePrimary',
      'topologyVersion',
      'maxBsonObjectSize',
      'maxMessageSizeBytes',
      'maxWriteBatchSize',
      'localTime',
      'logicalSessionTimeoutMinutes',
      'connectionId',
      'minWireVersion',
      'maxWireVersion',
      'readOnly',
      'ok',
    ]);
    const text = typed(hello);
    expect(text).toContain('"isWritablePrimary":true');
    expect(text).toContain('"counter":{"$numberLong":"0"}');
    expect(text).toContain(
      '"maxBsonObjectSize":{"$numberInt":"16777216"},"maxMessageSizeBytes":{"$numberInt":"48000000"}',
    );
    expect(text).toContain(
      '"connectionId":{"$numberInt":"1"},"minWireVersion":{"$numberInt":"0"},"maxWireVersion":{"$numberInt":"27"}',
    );
    expect(text).toContain('"ok":{"$numberDouble":"1.0"}');
  });

  test('the legacy names return ismaster instead of isWritablePrimary', async () => {
    const { client } = world();
    for (const name of ['isMaster', 'ismaster']) {
      const hello = await client.plain({ [name]: 1, helloOk: true });
      expect([hello['helloOk'], hello['ismaster'], hello['isWritablePrimary']]).toEqual([true, true, undefined]);
    }
  });

  test('a second client document on one connection is rejected with code 186', async () => {
    const { server, client } = world();
    const metadata = { driver: { name: 'x', version: '1' } };
    expect((await client.plain({ hello: 1, client: metadata })).ok).toBe(1);
    expect(await client.refusal({ hello: 1, client: metadata })).toMatch(/^186 /);
    expect((await new Client(server).plain({ hello: 1, client: metadata })).ok).toBe(1);
  });

  test('rejects topologyVersion without maxAwaitTimeMS, and maxAwaitTimeMS without topologyVersion', async () => {
    const { client } = world();
    const { topologyVersion } = await client.run({ hello: 1 });
    expect(await client.refusal({ hello: 1, topologyVersion })).toMatch(/^51758 /);
    expect(await client.refusal({ hello: 1, maxAwaitTimeMS: 10 })).toMatch(/^51759 /);
  });

  test('waits for maxAwaitTimeMS if the topologyVersion is current, and returns at once for another processId', async () => {
    const { client, clock } = world();
    const { topologyVersion } = await client.run({ hello: 1 });
    client.send(msgOf(9, { hello: 1, topologyVersion, maxAwaitTimeMS: 500, $db: 'admin' }));
    await clock.advance(499);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect((await client.next()).responseTo).toBe(9);
    const other = { ...(topologyVersion as Row), processId: new ObjectId() };
    expect((await client.plain({ hello: 1, topologyVersion: other, maxAwaitTimeMS: 500 })).ok).toBe(1);
  });

  test('streams with exhaustAllowed: each reply responds to the one before it, until the connection closes', async () => {
    const { client, clock } = world();
    const { topologyVersion } = await client.run({ hello: 1 });
    client.send(msgOf(9, { hello: 1, topologyVersion, maxAwaitTimeMS: 100, $db: 'admin' }, 0x10000));
    await clock.advance(100);
    const first = await client.next();
    await clock.advance(100);
    const second = await client.next();
    expect([first.responseTo, first.flags, second.responseTo, second.flags]).toEqual([9, 2, first.requestId, 2]);
    client.hangUp();
    await settled();
    expect(clock.pending).toBe(0);
  });

  test('the server version decides on the wire version', async () => {
    for (const [version, wire] of [
      ['4.2.0', 8],
      ['4.4.29', 9],
      ['5.0.0', 13],
      ['6.0.1', 17],
      ['7.0.12', 21],
      ['8.0.4', 25],
    ] as const) {
      const { client } = world({ version });
      const { maxWireVersion, minWireVersion } = await client.plain({ hello: 1 });
      expect([minWireVersion, maxWireVersion]).toEqual([0, wire]);
      expect((await client.plain({ buildInfo: 1 }))['version']).toBe(version);
    }
    expect(() => world({ version: '9.0.0' })).toThrow(
      'The version "9.0.0" is not supported. Give a version from 4.2.0 to 8.2.x.',
    );
  });
});

describe('command arguments', () => {
  test('an unknown field is rejected with code 40415', async () => {
    const { client } = world();
    expect(await client.refusal({ find: 'c', foo: 1 })).toBe("40415 BSON field 'find.foo' is an unknown field.");
    expect(await client.refusal({ update: 'c', updates: [{ q: {}, u: {}, foo: 1 }] })).toBe(
      "40415 BSON field 'update.updates.foo' is an unknown field.",
    );
    const { codeName } = await client.plain({ find: 'c', foo: 1 });
    expect(codeName).toBe('Location40415');
  });

  test('a missing field is rejected with code 40414', async () => {
    const { client } = world();
    expect(await client.refusal({ insert: 'c' })).toBe(
      "40414 BSON field 'insert.documents' is missing but a required field",
    );
    expect(await client.refusal({ delete: 'c', deletes: [{ q: {} }] })).toBe(
      "40414 BSON field 'delete.deletes.limit' is missing but a required field",
    );
  });

  test('a wrong type is rejected with code 14, and the error names the expected type', async () => {
    const { client } = world();
    expect(await client.refusal({ find: 'c', filter: 1 })).toBe(
      "14 BSON field 'find.filter' is the wrong type 'int', expected type 'object'",
    );
    expect(await client.refusal({ find: 'c', limit: 'x' })).toBe(
      "14 BSON field 'find.limit' is the wrong type 'string', expected types '[long, int, decimal, double']",
    );
    expect(await client.refusal({ getMore: 1, collection: 'c' })).toBe(
      "14 BSON field 'getMore.getMore' is the wrong type 'int', expected type 'long'",
    );
    expect(await client.refusal({ insert: 'c', documents: [1] })).toBe(
      "14 BSON field 'insert.documents.0' is the wrong type 'int', expected type 'object'",
    );
  });

  test('null counts as not given, numbers may have any type, and negative numbers are rejected with code 2', async () => {
    const { client } = world();
    expect((await client.plain({ find: 'c', filter: null, limit: 1.5, skip: null })).ok).toBe(1);
    expect(await client.refusal({ find: 'c', batchSize: -1 })).toBe(
      "2 BSON field 'batchSize' value must be >= 0, actual value '-1'",
    );
  });

  test('every command accepts the generic arguments', async () => {
    const { client } = world();
    const generic = { $readPreference: { mode: 'primary' }, comment: 'x', maxTimeMS: 100, apiVersion: '1' };
    expect((await client.plain({ count: 'c', ...generic })).ok).toBe(1);
    expect((await client.plain({ ping: 1, ...generic })).ok).toBe(1);
    expect(await client.refusal({ ping: 1, apiVersion: '2' })).toMatch(/^322 /);
    expect(await client.refusal({ distinct: 'c', key: 'a', apiVersion: '1', apiStrict: true })).toBe(
      '323 Provided apiStrict:true, but the command distinct is not in API Version 1',
    );
    expect(await client.refusal({ nope: 1, apiVersion: '1', apiStrict: true })).toMatch(/^59 /);
    expect(await client.refusal({ find: 'c', maxTimeMS: -1 })).toMatch(/^2 /);
  });

  test('command names match exactly, except for aliases; names of collections and databases are validated', async () => {
    const { client } = world();
    expect(await client.refusal({ Ping: 1 })).toBe("59 no such command: 'Ping'");
    expect((await client.plain({ buildinfo: 1 })).ok).toBe(1);
    expect(await client.refusal({ find: '' })).toMatch(/^73 Invalid namespace specified 'db\.'/);
    expect(await client.refusal({ find: 5 })).toBe('73 collection name has invalid type int');
    expect(await client.refusal({ find: 'c' }, 'a b')).toBe("73 Invalid database name: 'a b'");
    expect(await client.refusal({ insert: 'a$b', documents: [{}] })).toMatch(/^73 /);
    expect(await client.refusal({ getParameter: 1, nope: 1 }, 'admin')).toBe('72 no option found to get');
    expect(await client.refusal({ listDatabases: 1 })).toMatch(/^13 /);
  });

  test('a write concern that a standalone cannot satisfy is rejected with code 2, and on reads with code 72', async () => {
    const { client } = world();
    const insert = (w: unknown) => ({ insert: 'c', documents: [{}], writeConcern: { w } });
    expect((await client.plain(insert('majority'))).ok).toBe(1);
    expect((await client.plain(insert(1))).ok).toBe(1);
    expect(await client.refusal(insert(2))).toBe("2 cannot use 'w' > 1 when a host is not replicated");
    expect(await client.refusal(insert('tag'))).toMatch(/^2 /);
    expect(await client.refusal({ find: 'c', writeConcern: { w: 1 } })).toMatch(/^72 /);
  });

  test('read concerns that need a replica set are rejected with code 123', async () => {
    const { client } = world();
    for (const level of ['local', 'available', 'majority']) {
      expect((await client.plain({ find: 'c', readConcern: { level } })).ok).toBe(1);
    }
    for (const level of ['linearizable', 'snapshot']) {
      expect(await client.refusal({ find: 'c', readConcern: { level } })).toMatch(/^123 /);
    }
    expect(await client.refusal({ insert: 'c', documents: [{}], readConcern: { level: 'majority' } })).toMatch(/^72 /);
  });
});

describe('sessions', () => {
  test('a standalone accepts an lsid and rejects a txnNumber with code 20', async () => {
    const { client } = world();
    const { id } = await client.run({ startSession: 1 });
    expect((await client.plain({ insert: 'c', documents: [{ _id: 1 }], lsid: id })).ok).toBe(1);
    expect(await client.refusal({ insert: 'c', documents: [{ _id: 1 }], lsid: id, txnNumber: 5n })).toBe(
      '20 Transaction numbers are only allowed on a replica set member or mongos',
    );
    expect(await client.refusal({ find: 'c', lsid: { id: 1 } })).toMatch(/^14 /);
  });

  test('a cursor belongs to its session and is closed with it', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{}, {}, {}] });
    const [a, b] = [(await client.run({ startSession: 1 })).id, (await client.run({ startSession: 1 })).id];
    const { cursor } = await client.run({ find: 'c', batchSize: 1, lsid: a });
    const more = { getMore: cursor.id, collection: 'c' };
    expect(await client.refusal(more)).toMatch(/^50737 /);
    expect(await client.refusal({ ...more, lsid: b })).toMatch(/^50738 /);
    expect((await client.plain({ ...more, batchSize: 1, lsid: a })).ok).toBe(1);
    expect(await client.plain({ endSessions: [a] })).toEqual({ ok: 1 });
    expect(await client.refusal({ ...more, lsid: a })).toMatch(/^43 /);
    const { cursor: other } = await client.run({ find: 'c', batchSize: 1 });
    expect(await client.refusal({ getMore: other.id, collection: 'c', lsid: a })).toMatch(/^50736 /);
  });
});

test('commands that mongosh and drivers send on their own succeed', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{}] });
  for (const command of [
    { buildInfo: 1 },
    { ping: 1 },
    { connectionStatus: 1, showPrivileges: true },
    { whatsmyuri: 1 },
    { getLog: 'startupWarnings' },
    { getLog: '*' },
    { hostInfo: 1 },
    { getCmdLineOpts: 1 },
    { serverStatus: 1 },
    { dbStats: 1 },
    { collStats: 'c' },
    { getParameter: '*' },
    { getParameter: 1, featureCompatibilityVersion: 1 },
    { listCommands: 1 },
    { listDatabases: 1, nameOnly: true },
    { getParameter: 1, logComponentVerbosity: 1 },
    { top: 1 },
    { killOp: 1, op: 5 },
    { aggregate: 1, pipeline: [{ $currentOp: { allUsers: true } }], cursor: {} },
    { killAllSessions: [] },
  ]) {
    expect({ command, reply: await client.plain(command, 'admin') }).toMatchObject({ reply: { ok: 1 } });
  }
  const { client: older } = world({ version: '6.0.0' });
  expect(await older.plain({ getFreeMonitoringStatus: 1 }, 'admin')).toEqual({ state: 'undecided', ok: 1 });
  expect(await client.refusal({ atlasVersion: 1 }, 'admin')).toBe("59 no such command: 'atlasVersion'");
});

test('the warnings of getLog are structured log lines', async () => {
  const { client } = world();
  const { log } = await client.plain({ getLog: 'startupWarnings' }, 'admin');
  expect((log as string[]).map(line => JSON.parse(line) as unknown)).toEqual([
    {
      t: { $date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      s: 'W',
      c: 'CONTROL',
      id: 22120,
      ctx: 'initandlisten',
      msg: 'This is Tessera, an embedded server for tests and development. It keeps its data in memory only.',
    },
  ]);
});

test('top lists the collections, $currentOp lists the running operation, and replication commands fail', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{}] });
  await client.plain({ create: 'v', viewOn: 'c', pipeline: [] });
  const { totals } = await client.plain({ top: 1 }, 'admin');
  expect(Object.keys(totals as object)).toEqual(['note', 'db.c']);
  const asking = { aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: {} };
  const { cursor } = await client.plain(asking, 'admin');
  expect(cursor.firstBatch).toMatchObject([{ type: 'op', active: true, op: 'command', command: asking }]);
  expect(await client.refusal(asking)).toBe(
    "73 $currentOp must be run against the 'admin' database with {aggregate: 1}",
  );
  expect(await client.refusal({ replSetGetStatus: 1 }, 'admin')).toBe('76 not running with --replSet');
  expect(await client.refusal({ killOp: 1 }, 'admin')).toBe('2 Did not provide "op" field');
});

test('$planCacheStats returns nothing, and fails if the collection does not exist', async () => {
  const { client } = world();
  const asking = { aggregate: 'c', pipeline: [{ $planCacheStats: {} }], cursor: {} };
  expect(await client.refusal(asking)).toMatch(/50933 .*nonexistent collection: db\.c$/);
  await client.plain({ create: 'c' });
  expect((await client.plain(asking)).cursor.firstBatch).toEqual([]);
});
