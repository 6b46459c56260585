import { Long } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../src/index.js';
import type { Received, World } from './client.js';
import { Client, msgOf, typed, world } from './client.js';

const set = (options: ServerOptions = {}): World => world({ replicaSet: 'rs0', testCommands: true, ...options });

const lsid = { id: new (await import('bson')).UUID('00112233-4455-6677-8899-aabbccddeeff') };

const retryable = (number: number): Document => ({ lsid, txnNumber: Long.fromInt(number) });

const secondaryOk = { $readPreference: { mode: 'primaryPreferred' } };

/** Removes the fields whose values differ from reply to reply. */
const plainly = ({ $clusterTime: _, operationTime: __, electionId: ___, opTime: ____, ...reply }: Document): Document =>
  reply;

const stepDown = (client: Client, seconds: number): Promise<unknown> =>
  client.plain({ replSetStepDown: seconds, force: true }, 'admin');

describe('hello of a replica set of one member', () => {
  test('describes the set, the host, the election and the last write, in the order of mongod', async () => {
    const { client } = set();
    const reply = await client.run({ hello: 1 }, 'admin');
    const { topologyVersion, localTime: _, ...rest } = JSON.parse(typed(reply)) as Document;
    expect(topologyVersion.counter).toEqual({ $numberLong: '1' });
    expect(Object.keys(rest).slice(0, 9)).toEqual([
      'hosts',
      'setName',
      'setVersion',
      'isWritablePrimary',
      'secondary',
      'primary',
      'me',
      'electionId',
      'lastWrite',
    ]);
    const place = { ts: { $timestamp: { t: 1700000001, i: 1 } }, t: { $numberLong: '1' } };
    const date = { $date: { $numberLong: '1700000001000' } };
    expect(rest).toMatchObject({
      hosts: ['127.0.0.1:27017'],
      setName: 'rs0',
      setVersion: { $numberInt: '1' },
      isWritablePrimary: true,
      secondary: false,
      primary: '127.0.0.1:27017',
      me: '127.0.0.1:27017',
      electionId: { $oid: '7fffffff0000000000000001' },
      lastWrite: { opTime: place, lastWriteDate: date, majorityOpTime: place, majorityWriteDate: date },
      logicalSessionTimeoutMinutes: { $numberInt: '30' },
    });
  });

  test('with maxAwaitTimeMS returns at once when the member steps down, and when it is elected again', async () => {
    const { client, server, clock } = set();
    const { topologyVersion } = await client.run({ hello: 1 }, 'admin');
    client.send(msgOf(9, { hello: 1, topologyVersion, maxAwaitTimeMS: 10_000, $db: 'admin' }, 0x10000));
    await clock.advance(9_999);
    expect(client.received).toEqual([]);
    const states: unknown[] = [];
    const next = async (): Promise<void> => {
      const { flags, doc }: Received = await client.next();
      const { isWritablePrimary, secondary, primary, electionId } = JSON.parse(typed(doc)) as Document;
      const counter = (doc['topologyVersion'] as { counter: Long }).counter.toNumber();
      states.push({ flags, isWritablePrimary, secondary, primary, electionId: electionId?.$oid, counter });
    };
    await stepDown(new Client(server), 30);
    await next();
    await clock.advance(10_000);
    await next();
    await clock.advance(20_000);
    await next();
    await next();
    const as = { flags: 2, isWritablePrimary: false, secondary: true, primary: undefined, electionId: undefined };
    const again = { isWritablePrimary: true, secondary: false, primary: '127.0.0.1:27017' };
    expect(states).toEqual([
      { ...as, counter: 2 },
      { ...as, counter: 2 },
      { ...as, counter: 2 },
      { ...as, ...again, electionId: '7fffffff0000000000000002', counter: 3 },
    ]);
    await server.close();
    expect(clock.pending).toBe(0);
  });
});

describe('replSetStepDown', () => {
  test('with force: true, writes fail with code 10107 and primary reads with code 13435, each with the topologyVersion', async () => {
    const { client, clock, server } = set();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    expect(await stepDown(client, 5)).toMatchObject({ ok: 1 });
    const write = await client.plain({ insert: 'c', documents: [{ _id: 2 }] });
    expect(plainly(write)).toMatchObject({
      ok: 0,
      errmsg: 'not primary',
      code: 10107,
      topologyVersion: { counter: 2 },
    });
    const out = { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {}, ...secondaryOk };
    expect(await client.refusal(out)).toBe('10107 not primary');
    for (const read of [{ find: 'c' }, { aggregate: 'c', pipeline: [], cursor: {} }, { listCollections: 1 }])
      expect(await client.refusal(read)).toBe('13435 not primary and secondaryOk=false');
    expect((await client.plain({ find: 'c', ...secondaryOk })).cursor.firstBatch).toEqual([{ _id: 1 }]);
    expect(await client.plain({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(await client.refusal({ replSetStepDown: 5, force: true }, 'admin')).toBe(
      "10107 not primary so can't step down",
    );
    await clock.advance(5_000);
    expect(await client.plain({ insert: 'c', documents: [{ _id: 2 }] })).toMatchObject({ n: 1 });
    await server.close();
  });

  test('without force waits for a secondary to catch up, fails with code 262, and stays primary', async () => {
    const { client, clock } = set();
    const refused = client.refusal({ replSetStepDown: 60 }, 'admin');
    await clock.advance(9_999);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect(await refused).toBe(
      '262 No electable secondaries caught up as of 2023-11-14T22:13:31.000Z. Please use the replSetStepDown command with the argument {force: true} to force node to step down.',
    );
    expect(await client.plain({ hello: 1 }, 'admin')).toMatchObject({ isWritablePrimary: true });
  });

  test.each([
    [{ replSetStepDown: -1 }, '2 stepdown period must be a positive integer'],
    [{ replSetStepDown: 9 }, '2 stepdown period must be longer than secondaryCatchUpPeriodSecs'],
    [
      { replSetStepDown: 5, force: true, secondaryCatchUpPeriodSecs: 6 },
      '2 stepdown period must be longer than secondaryCatchUpPeriodSecs',
    ],
  ])('%j is rejected: %s', async (command, refusal) => {
    expect(await set().client.refusal(command, 'admin')).toBe(refusal);
  });

  test('keeps open cursors', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    const { cursor } = await client.run({ find: 'c', batchSize: 1 });
    await stepDown(client, 60);
    const more = await client.plain({ getMore: cursor.id, collection: 'c' });
    expect(more.cursor.nextBatch).toEqual([{ _id: 2 }]);
  });

  test('is ended at once by replSetFreeze: 0', async () => {
    const { client, clock } = set();
    expect(await client.refusal({ replSetFreeze: 0 }, 'admin')).toBe(
      '95 cannot freeze node when primary or running for election. state: Primary',
    );
    await stepDown(client, 60);
    expect(await client.plain({ replSetFreeze: 0 }, 'admin')).toMatchObject({ info: 'unfreezing', ok: 1 });
    await clock.advance(0);
    expect(await client.plain({ hello: 1 }, 'admin')).toMatchObject({ isWritablePrimary: true });
  });
});

describe('a replica set member', () => {
  test('appends the cluster time and the operation time to each reply, also to errors', async () => {
    const { client } = set();
    const time = (i: number): string => `{"$timestamp":{"t":1700000001,"i":${i}}}`;
    const end = (i: number): string =>
      `"$clusterTime":{"clusterTime":${time(i)},"signature":{"hash":{"$binary":{"base64":"AAAAAAAAAAAAAAAAAAAAAAAAAAA=","subType":"00"}},"keyId":{"$numberLong":"0"}}},"operationTime":${time(i)}}`;
    expect(typed(await client.run({ ping: 1 }))).toBe(`{"ok":{"$numberDouble":"1.0"},${end(1)}`);
    expect(typed(await client.run({ insert: 'c', documents: [{}] }))).toBe(
      `{"n":{"$numberInt":"1"},"electionId":{"$oid":"7fffffff0000000000000001"},"opTime":{"ts":${time(3)},"t":{"$numberLong":"1"}},"ok":{"$numberDouble":"1.0"},${end(3)}`,
    );
    expect(typed(await client.run({ nope: 1 })).endsWith(end(3))).toBe(true);
  });

  test.each(['admin', 'config', 'local'])('rejects dropDatabase of the internal database %s', async db => {
    expect(await set().client.refusal({ dropDatabase: 1 }, db)).toBe(
      `20 Cannot drop '${db}' database while replication is active`,
    );
  });

  test('rejects a cluster time that is more than a year ahead, and ignores the cluster time of unauthenticated clients', async () => {
    const { Timestamp } = await import('bson');
    const pingAt = (t: number) => ({
      ping: 1,
      $clusterTime: { clusterTime: new Timestamp({ t, i: 1 }) },
    });
    const { client } = set();
    expect(await client.refusal(pingAt(0xffff_ffff))).toBe(
      "205 New cluster time, 4294967295, is too far from this node's wall clock time, 1700000001.",
    );
    const guarded = set({ users: [{ user: 'ada', pwd: 'pencil' }] });
    const { $clusterTime } = await guarded.client.plain(pingAt(1_710_000_000));
    expect(($clusterTime as { clusterTime: { t: number } }).clusterTime.t).toBe(1_700_000_001);
  });

  test('advances its cluster time to the one of a client, and the next write is later', async () => {
    const { client } = set();
    const { Timestamp } = await import('bson');
    const clusterTime = new Timestamp({ t: 1_710_000_000, i: 5 });
    const reply = await client.plain({ ping: 1, $clusterTime: { clusterTime } });
    expect(reply['$clusterTime']).toMatchObject({ clusterTime });
    const { operationTime } = await client.plain({ insert: 'c', documents: [{}] });
    expect(operationTime).toEqual(new Timestamp({ t: 1_710_000_000, i: 7 }));
  });
});

describe('write and read concern', () => {
  const insert = { insert: 'c', documents: [{ _id: 1 }] };

  test.each([{ w: 1 }, { w: 'majority', wtimeout: 100 }, { w: 1, j: true }])(
    'write concern %j is satisfied',
    async writeConcern => {
      expect(plainly(await set().client.plain({ ...insert, writeConcern }))).toEqual({ n: 1, ok: 1 });
    },
  );

  test('a write concern with an unknown tag fails after the write', async () => {
    const { client } = set();
    expect(await client.plain({ ...insert, writeConcern: { w: { dc: 1 }, wtimeout: 10 } })).toMatchObject({
      n: 1,
      writeConcernError: { code: 100, errInfo: { writeConcern: { w: { dc: 1 }, wtimeout: 10 } } },
    });
  });

  test.each([
    [{ w: 2 }, 100, 'UnsatisfiableWriteConcern', 'Not enough data-bearing nodes'],
    [
      { w: 'far' },
      79,
      'UnknownReplWriteConcern',
      "No write concern mode named 'far' found in replica set configuration",
    ],
  ])('write concern %j fails after the write with code %d', async (writeConcern, code, codeName, errmsg) => {
    const { client } = set();
    const given = { ...writeConcern, wtimeout: 0, provenance: 'clientSupplied' };
    expect(plainly(await client.plain({ ...insert, writeConcern }))).toEqual({
      n: 1,
      writeConcernError: { code, codeName, errmsg, errInfo: { writeConcern: given } },
      ok: 1,
    });
    expect((await client.plain({ count: 'c' })).n).toBe(1);
  });

  test('reads with afterClusterTime, majority and linearizable return the data of the only member', async () => {
    const { client } = set();
    const { operationTime } = await client.plain(insert);
    for (const readConcern of [{ level: 'majority', afterClusterTime: operationTime }, { level: 'linearizable' }])
      expect((await client.plain({ find: 'c', readConcern })).cursor.firstBatch).toEqual([{ _id: 1 }]);
  });
});

describe('a retryable write', () => {
  test('is executed once, and a repeated one gets the same reply', async () => {
    const { client } = set();
    const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }], ...retryable(1) };
    const first = plainly(await client.plain(update));
    expect(plainly(await client.plain(update))).toEqual({ ...first, ok: 1, retriedStmtIds: [0] });
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 1, n: 1 }]);
    const modify = { findAndModify: 'c', query: {}, update: { $inc: { n: 1 } }, ...retryable(2) };
    const value = (await client.plain(modify)).value;
    expect((await client.plain(modify)).value).toEqual(value);
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 1, n: 2 }]);
  });

  test.each([
    [{ insert: 'c', documents: [{}], ...retryable(0) }, /^225 Retryable write with txnNumber 0 is prohibited/],
    [{ find: 'c', ...retryable(3) }, /^50768 .* find is not a retryable write command\.$/],
  ])('%j is rejected', async (command, refusal) => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [{}], ...retryable(1) });
    expect(await client.refusal(command)).toMatch(refusal);
  });

  test('with multi: true or limit: 0 fails as a write error', async () => {
    const { client } = set();
    const many = { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }], ...retryable(1) };
    expect((await client.plain(many)).writeErrors).toMatchObject([{ code: 72 }]);
    const all = { delete: 'c', deletes: [{ q: {}, limit: 0 }], ...retryable(2) };
    expect((await client.plain(all)).writeErrors).toMatchObject([{ code: 72 }]);
  });

  test('gets RetryableWriteError for retryable codes, unless the fail point sets errorLabels', async () => {
    const { client } = set();
    const insert = { insert: 'c', documents: [{}], ...retryable(1) };
    const arm = (data: Document): Promise<unknown> =>
      client.plain(
        { configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['insert'], ...data } },
        'admin',
      );
    const labels: unknown[] = [];
    for (const data of [
      { errorCode: 11600 },
      { errorCode: 11600, errorLabels: [] },
      { errorCode: 2 },
      { writeConcernError: { code: 91 } },
      { writeConcernError: { code: 91 }, errorLabels: [] },
      { writeConcernError: { code: 64 } },
    ]) {
      await arm(data);
      labels.push((await client.plain(insert))['errorLabels']);
    }
    const label = ['RetryableWriteError'];
    expect(labels).toEqual([label, undefined, undefined, label, undefined, undefined]);
  });
});

describe('replication commands', () => {
  test('return the configuration and the state of the only member', async () => {
    const { client } = set();
    expect(await client.plain({ replSetGetConfig: 1 }, 'admin')).toMatchObject({
      config: { _id: 'rs0', version: 1, members: [{ _id: 0, host: '127.0.0.1:27017', votes: 1 }] },
    });
    expect(await client.plain({ replSetGetStatus: 1 }, 'admin')).toMatchObject({
      set: 'rs0',
      myState: 1,
      members: [{ name: '127.0.0.1:27017', stateStr: 'PRIMARY', health: 1, self: true }],
    });
    await stepDown(client, 60);
    const { members } = await client.plain({ replSetGetStatus: 1 }, 'admin');
    expect(members).toMatchObject([{ state: 2, stateStr: 'SECONDARY' }]);
    expect(await client.refusal({ replSetInitiate: {} }, 'admin')).toBe('23 already initialized');
  });

  test.each(['replSetGetConfig', 'replSetGetStatus', 'replSetInitiate', 'replSetStepDown', 'replSetFreeze'])(
    '%s is rejected by a standalone',
    async name => {
      expect(await world().client.refusal({ [name]: 1 }, 'admin')).toBe('76 not running with --replSet');
    },
  );
});
