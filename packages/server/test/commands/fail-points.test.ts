import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, World } from '../client.js';
import { Client as Connection, settled, typed, world } from '../client.js';

const failing = (mode: unknown, data: Document): Document => ({ configureFailPoint: 'failCommand', mode, data });

const testWorld = (): World => world({ testCommands: true });

const arm = async (client: Client, mode: unknown, data: Document): Promise<void> => {
  expect(await client.plain(failing(mode, data), 'admin')).toMatchObject({ ok: 1 });
};

const message = "Failing command via 'failCommand' failpoint";

describe('test commands', () => {
  test('are unknown, and reported as off, unless the server is started with testCommands', async () => {
    const { client } = world();
    expect(await client.refusal(failing('off', {}), 'admin')).toBe("59 no such command: 'configureFailPoint'");
    expect(await client.plain({ getParameter: 1, enableTestCommands: 1 }, 'admin')).toEqual({
      enableTestCommands: false,
      ok: 1,
    });
    expect(await client.plain({ getCmdLineOpts: 1 }, 'admin')).toMatchObject({ parsed: {} });
  });

  test('getParameter and getCmdLineOpts report that they are on', async () => {
    const { client } = testWorld();
    expect(await client.plain({ getParameter: 1, enableTestCommands: 1 }, 'admin')).toEqual({
      enableTestCommands: true,
      ok: 1,
    });
    expect(await client.plain({ getCmdLineOpts: 1 }, 'admin')).toMatchObject({
      parsed: { setParameter: { enableTestCommands: '1' } },
    });
  });
});

test('testVersion2 is not part of the Stable API', async () => {
  const { client } = testWorld();
  expect(await client.plain({ testVersion2: 1 })).toEqual({ ok: 1 });
  expect(await client.refusal({ testVersion2: 1, apiVersion: '1', apiStrict: true })).toBe(
    '323 Provided apiStrict:true, but the command testVersion2 is not in API Version 1',
  );
});

describe('the API version "2", which exists for tests,', () => {
  const second = { apiVersion: '2', apiStrict: true };

  test('is accepted only with testCommands, which getParameter reports', async () => {
    const accepted = { getParameter: 1, acceptApiVersion2: 1 };
    expect(await testWorld().client.plain(accepted, 'admin')).toEqual({ acceptApiVersion2: true, ok: 1 });
    expect(await world().client.plain(accepted, 'admin')).toEqual({ acceptApiVersion2: false, ok: 1 });
    expect(await testWorld().client.plain({ ping: 1, apiVersion: '2' })).toEqual({ ok: 1 });
    expect(await world().client.refusal({ ping: 1, apiVersion: '2' })).toBe('322 API version must be "1"');
    expect(await testWorld().client.refusal({ ping: 1, apiVersion: '3' })).toBe(
      '322 API version must be either "1" or "2"',
    );
  });

  test('does not contain other commands', async () => {
    const { client } = testWorld();
    expect(await client.plain({ testVersion2: 1, ...second })).toEqual({ ok: 1 });
    expect(await client.refusal({ ping: 1, ...second })).toBe(
      '323 Provided apiStrict:true, but the command ping is not in API Version 2',
    );
  });

  test('can deprecate a command', async () => {
    const { client } = testWorld();
    const command = { testDeprecationInVersion2: 1, apiStrict: true, apiDeprecationErrors: true };
    expect(await client.plain({ ...command, apiVersion: '1' })).toEqual({ ok: 1 });
    expect(await client.plain({ testDeprecationInVersion2: 1, ...second })).toEqual({ ok: 1 });
    expect(await client.refusal({ ...command, apiVersion: '2' })).toBe(
      '324 Provided apiDeprecationErrors:true, but the command testDeprecationInVersion2 is deprecated in API Version 2',
    );
  });
});

describe('configureFailPoint', () => {
  test('returns how often the fail point was triggered', async () => {
    const { client } = testWorld();
    await arm(client, { times: 2 }, { failCommands: ['ping'], errorCode: 8 });
    for (let i = 0; i < 3; i++) await client.plain({ ping: 1 });
    expect(typed(await client.run(failing('off', {}), 'admin'))).toBe(
      '{"count":{"$numberLong":"2"},"ok":{"$numberDouble":"1.0"}}',
    );
  });

  test.each([
    [{ configureFailPoint: 'nope', mode: 'off' }, '266 nope not found'],
    [{ configureFailPoint: 'failCommand' }, "20 When setting a failpoint, you must supply a 'mode'"],
    [{ configureFailPoint: 'failCommand', mode: 'on' }, '2 unknown mode: on'],
    [{ configureFailPoint: 'failCommand', mode: 1 }, "14 'mode' must be a string or JSON object"],
    [{ configureFailPoint: 'failCommand', mode: { times: -1 } }, "2 'times' option to 'mode' must be positive"],
    [{ configureFailPoint: 'failCommand', mode: { skip: 2 ** 40 } }, "2 'skip' option to 'mode' is too large"],
    [
      { configureFailPoint: 'failCommand', mode: { activationProbability: 2 } },
      '2 activationProbability must be between 0.0 and 1.0; found 2',
    ],
    [
      { configureFailPoint: 'failCommand', mode: {} },
      "2 'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or '{activationProbability:p}'",
    ],
    [{ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: 1 }, "14 the 'data' option must be a JSON object"],
  ])('rejects %j', async (command, refusal) => {
    expect(await testWorld().client.refusal(command, 'admin')).toBe(refusal);
  });

  test('runs on the admin database only', async () => {
    expect(await testWorld().client.refusal(failing('off', {}))).toMatch(/^13 /);
  });
});

describe('failCommand', () => {
  const outcomes = async (client: Client, count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push((await client.plain({ ping: 1 })).ok);
    return all;
  };

  test.each([
    ['alwaysOn', [0, 0, 0, 0]],
    ['off', [1, 1, 1, 1]],
    [{ times: 2 }, [0, 0, 1, 1]],
    [{ skip: 3 }, [1, 1, 1, 0]],
    [{ activationProbability: 0 }, [1, 1, 1, 1]],
    [{ activationProbability: 1 }, [0, 0, 0, 0]],
  ])('mode %j decides which commands fail', async (mode, oks) => {
    const { client } = testWorld();
    await arm(client, mode, { failCommands: ['ping'], errorCode: 8 });
    expect(await outcomes(client, oks.length)).toEqual(oks);
  });

  test('counts only the commands that it names, by any of their aliases', async () => {
    const { client } = testWorld();
    await arm(client, { times: 1 }, { failCommands: ['findandmodify', 'buildInfo'], errorCode: 8 });
    expect(await outcomes(client, 2)).toEqual([1, 1]);
    expect(await client.refusal({ buildinfo: 1 })).toBe(`8 ${message}`);
  });

  test('errorCode replaces the command by an error with the given labels', async () => {
    const { client } = testWorld();
    const data = { failCommands: ['insert'], errorCode: 11602, errorLabels: ['RetryableWriteError'] };
    await arm(client, { times: 1 }, data);
    const insert = { insert: 'c', documents: [{ _id: 1 }] };
    expect(await client.plain(insert)).toEqual({
      ok: 0,
      errmsg: message,
      code: 11602,
      codeName: 'InterruptedDueToReplStateChange',
      errorLabels: ['RetryableWriteError'],
    });
    expect((await client.plain({ count: 'c' })).n).toBe(0);
    expect((await client.plain(insert)).n).toBe(1);
  });

  test('writeConcernError is added to the reply of a command that succeeds', async () => {
    const { client } = testWorld();
    const writeConcernError = { code: 91, errmsg: 'down' };
    await arm(client, { times: 1 }, { failCommands: ['insert', 'find'], writeConcernError, errorLabels: ['L'] });
    expect((await client.plain({ find: 'c' })).ok).toBe(1);
    expect(await client.plain({ insert: 'c', documents: [{ _id: 1 }] })).toEqual({
      n: 1,
      writeConcernError,
      errorLabels: ['L'],
      ok: 1,
    });
    expect((await client.plain({ count: 'c' })).n).toBe(1);
  });

  test('writeConcernError is also added to the reply of a command that fails by itself', async () => {
    const { client } = testWorld();
    const writeConcernError = { code: 91, errmsg: 'down' };
    await arm(client, 'alwaysOn', { failCommands: ['create'], writeConcernError });
    expect(await client.plain({ create: 'a$b' })).toMatchObject({ ok: 0, code: 73, writeConcernError });
  });

  test('closeConnection closes the connection without a reply', async () => {
    const { client, server } = testWorld();
    await arm(client, { times: 1 }, { failCommands: ['ping'], closeConnection: true });
    await expect(client.plain({ ping: 1 })).rejects.toThrow('The connection was closed');
    expect(await new Connection(server).plain({ ping: 1 })).toEqual({ ok: 1 });
  });

  test('blockConnection delays the command on its own connection only', async () => {
    const { client, server, clock } = testWorld();
    await arm(client, { times: 1 }, { failCommands: ['ping'], blockConnection: true, blockTimeMS: 500 });
    let answered = false;
    const reply = client.plain({ ping: 1 }).then(got => {
      answered = true;
      return got;
    });
    expect((await new Connection(server).plain({ ping: 1 })).ok).toBe(1);
    await clock.advance(499);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await reply).toEqual({ ok: 1 });
  });

  test('maxTimeMS limits how long a command is blocked', async () => {
    const { client, clock } = testWorld();
    await arm(client, 'alwaysOn', { failCommands: ['ping'], blockConnection: true, blockTimeMS: 500 });
    const refusal = client.refusal({ ping: 1, maxTimeMS: 20 });
    await settled();
    await clock.advance(20);
    expect(await refusal).toBe('50 operation exceeded time limit');
    await arm(client, 'alwaysOn', { failCommands: ['ping'], blockConnection: true });
    expect(await client.refusal({ ping: 1 })).toBe("72 must specify 'blockTimeMS' when 'blockConnection' is true");
  });

  test('appName and namespace select commands, including the hello that sets the application name', async () => {
    const { client, server } = testWorld();
    await arm(client, 'alwaysOn', {
      failCommands: ['hello', 'find'],
      errorCode: 8,
      appName: 'shop',
      namespace: 'db.c',
    });
    expect((await client.plain({ find: 'c' })).ok).toBe(1);
    const shop = new Connection(server);
    const hello = { hello: 1, client: { application: { name: 'shop' }, driver: {}, os: {} } };
    expect((await shop.plain(hello)).ok).toBe(1);
    expect((await shop.plain({ find: 'd' })).ok).toBe(1);
    expect(await shop.refusal({ find: 'c' })).toBe(`8 ${message}`);
    await arm(client, 'alwaysOn', { failCommands: ['hello'], errorCode: 8, appName: 'shop' });
    expect(await new Connection(server).refusal(hello)).toBe(`8 ${message}`);
  });

  test('namespace selects a getMore by the namespace of its cursor', async () => {
    const { client } = testWorld();
    await client.plain({ insert: 'c', documents: [{}, {}, {}] });
    const { cursor } = await client.run({ find: 'c', batchSize: 1 });
    await arm(client, 'alwaysOn', { failCommands: ['getMore'], errorCode: 8, namespace: 'db.c' });
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toBe(`8 ${message}`);
  });

  test('threadName selects one connection, by its name in $currentOp', async () => {
    const { client, server } = testWorld();
    const { cursor } = await client.plain({ aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: {} }, 'admin');
    const threadName = cursor.firstBatch[0]!['desc'];
    await arm(client, 'alwaysOn', { failCommands: ['ping'], errorCode: 8, threadName });
    expect(await client.refusal({ ping: 1 })).toBe(`8 ${message}`);
    expect((await new Connection(server).plain({ ping: 1 })).ok).toBe(1);
  });

  test('skips connections of other servers, unless failInternalCommands is set', async () => {
    const { client, server } = testWorld();
    const peer = new Connection(server);
    const hello = { hello: 1, internalClient: { minWireVersion: 0, maxWireVersion: 27 } };
    await arm(client, { times: 1 }, { failCommands: ['hello', 'ping'], errorCode: 8 });
    expect((await peer.plain(hello, 'admin')).ok).toBe(1);
    expect((await peer.plain({ ping: 1 })).ok).toBe(1);
    expect(await client.refusal({ ping: 1 })).toBe(`8 ${message}`);
    await arm(client, 'alwaysOn', { failCommands: ['ping'], errorCode: 8, failInternalCommands: true });
    expect(await peer.refusal({ ping: 1 })).toBe(`8 ${message}`);
  });

  test('closeConnection takes precedence over errorCode, and errorCode over writeConcernError', async () => {
    const { client, server } = testWorld();
    const data = { failCommands: ['insert'], errorCode: 8, writeConcernError: { code: 91 } };
    const insert = { insert: 'c', documents: [{}] };
    await arm(client, { times: 1 }, { ...data, closeConnection: true });
    await expect(client.plain(insert)).rejects.toThrow('The connection was closed');
    const other = new Connection(server);
    await arm(other, { times: 1 }, data);
    expect(await other.plain(insert)).toEqual({ ok: 0, errmsg: message, code: 8, codeName: 'UnknownError' });
  });

  test('errorExtraInfo adds its fields to the error', async () => {
    const { client } = testWorld();
    await arm(client, { times: 1 }, { failCommands: ['ping'], errorCode: 8, errorExtraInfo: { why: 'x' } });
    expect(await client.plain({ ping: 1 })).toMatchObject({ code: 8, why: 'x' });
  });

  test('never affects configureFailPoint itself', async () => {
    const { client } = testWorld();
    await arm(client, 'alwaysOn', { failAllCommands: true, failCommands: ['configureFailPoint'], errorCode: 8 });
    expect(await client.refusal({ ping: 1 })).toBe(`8 ${message}`);
    expect((await client.plain(failing('off', {}), 'admin')).ok).toBe(1);
  });
});

describe('waitForFailPoint', () => {
  const wait = (timesEntered: number): Document => ({
    waitForFailPoint: 'failCommand',
    timesEntered: BigInt(timesEntered),
    maxTimeMS: 100,
  });

  test('returns once the fail point was triggered that many times, at once if it already was', async () => {
    const { client, server, clock } = testWorld();
    await arm(client, 'alwaysOn', { failCommands: ['ping'], errorCode: 8 });
    const waiter = new Connection(server);
    const waiting = waiter.plain(wait(2), 'admin');
    await client.plain({ ping: 1 });
    await settled();
    expect(waiter.received).toEqual([]);
    await client.plain({ ping: 1 });
    expect(await waiting).toEqual({ ok: 1 });
    expect(await client.plain(wait(2), 'admin')).toEqual({ ok: 1 });
    expect(clock.pending).toBe(0);
  });

  test('fails after maxTimeMS', async () => {
    const { client, clock } = testWorld();
    const refusal = client.refusal(wait(1), 'admin');
    await clock.advance(100);
    expect(await refusal).toBe('50 operation exceeded time limit');
  });
});

describe('maxTimeAlwaysTimeOut', () => {
  test('fails every command with a maxTimeMS, and the getMores of a cursor that was opened with one', async () => {
    const { client } = testWorld();
    await client.plain({ insert: 'c', documents: [{}, {}, {}] });
    const timed = await client.run({ find: 'c', batchSize: 1, maxTimeMS: 1000 });
    const other = await client.run({ find: 'c', batchSize: 1 });
    await client.plain({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' }, 'admin');
    expect(await client.refusal({ find: 'c', maxTimeMS: 1 })).toBe('50 operation exceeded time limit');
    expect((await client.plain({ find: 'c' })).ok).toBe(1);
    expect(await client.refusal({ getMore: timed.cursor.id, collection: 'c' })).toBe(
      '50 operation exceeded time limit',
    );
    expect(await client.refusal({ getMore: timed.cursor.id, collection: 'c' })).toMatch(/^43 /);
    expect((await client.plain({ getMore: other.cursor.id, collection: 'c' })).ok).toBe(1);
  });
});

describe('failGetMoreAfterCursorCheckout', () => {
  test('fails a getMore whose cursor exists, and closes that cursor', async () => {
    const { client } = testWorld();
    await client.plain({ insert: 'c', documents: [{}, {}, {}] });
    const { cursor } = await client.run({ find: 'c', batchSize: 1 });
    await client.plain(
      { configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: 'alwaysOn', data: { errorCode: 91 } },
      'admin',
    );
    expect(await client.refusal({ getMore: 7n, collection: 'c' })).toMatch(/^43 /);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toBe(
      "91 Hit the 'failGetMoreAfterCursorCheckout' failpoint",
    );
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
  });
});
