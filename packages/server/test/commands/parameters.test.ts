import { describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.js';
import { Client, testRuntime, typed, world } from '../client.js';

const setting = (client: Client, given: object) => client.plain({ setParameter: 1, ...given }, 'admin');

const withExpired = async (client: Client): Promise<void> => {
  const index = { key: { at: 1 }, name: 'at', expireAfterSeconds: 0 };
  await client.plain({ createIndexes: 'c', indexes: [index] });
  await client.plain({ insert: 'c', documents: [{ _id: 1, at: new Date(0) }] });
};

const left = async (client: Client): Promise<number> => (await client.plain({ count: 'c' })).n;

describe('ttlMonitorSleepSecs', () => {
  test('sets how often expired documents are deleted', async () => {
    const { client, clock } = world({ parameters: { ttlMonitorSleepSecs: 5 } });
    await withExpired(client);
    await clock.advance(4_999);
    expect(await left(client)).toBe(1);
    await clock.advance(1);
    expect(await left(client)).toBe(0);
  });

  test('takes effect at once, counted from the start of the current pause', async () => {
    const { client, clock } = world();
    await withExpired(client);
    await clock.advance(3_000);
    expect(await setting(client, { ttlMonitorSleepSecs: 4 })).toEqual({ was: 60, ok: 1 });
    await clock.advance(999);
    expect(await left(client)).toBe(1);
    await clock.advance(1);
    expect(await left(client)).toBe(0);
  });
});

test('without ttlMonitorEnabled nothing expires until the parameter is set again', async () => {
  const { client, clock } = world({ parameters: { ttlMonitorEnabled: false } });
  await withExpired(client);
  await clock.advance(600_000);
  expect(await left(client)).toBe(1);
  expect(await setting(client, { ttlMonitorEnabled: true })).toEqual({ was: false, ok: 1 });
  await clock.advance(60_000);
  expect(await left(client)).toBe(0);
});

describe('cursorTimeoutMillis', () => {
  const opened = async (client: Client, options: object = {}): Promise<object> => {
    const { id } = (await client.run({ find: 'c', batchSize: 1, ...options })).cursor;
    return { getMore: id, collection: 'c', batchSize: 1 };
  };

  const filled = async (client: Client): Promise<void> => {
    await client.plain({ insert: 'c', documents: Array.from({ length: 9 }, (_, _id) => ({ _id })) });
  };

  test('closes cursors that were idle for that long, at a check every 4 seconds', async () => {
    const { client, clock } = world();
    await filled(client);
    const [idle, used] = [await opened(client), await opened(client)];
    expect(typed(await client.run({ setParameter: 1, cursorTimeoutMillis: 7_000 }, 'admin'))).toBe(
      '{"was":{"$numberLong":"600000"},"ok":{"$numberDouble":"1.0"}}',
    );
    await clock.advance(6_000);
    expect(await client.plain(used)).toMatchObject({ ok: 1 });
    await clock.advance(1_999);
    expect(await client.plain({ ...idle, collection: 'other' })).toMatchObject({ code: 13 });
    await clock.advance(1);
    expect(await client.refusal(idle)).toMatch(/^43 cursor id \d+ not found$/);
    expect(await client.plain(used)).toMatchObject({ ok: 1 });
  });

  test('does not apply to cursors with noCursorTimeout, nor to cursors of sessions, which close with the session', async () => {
    const { client, clock } = world({
      parameters: { cursorTimeoutMillis: 1_000, clientCursorMonitorFrequencySecs: 1 },
    });
    await filled(client);
    const session = { lsid: (await client.run({ startSession: 1 })).id };
    const [idle, immortal] = [await opened(client), await opened(client, { noCursorTimeout: true })];
    const own = { ...(await opened(client, session)), ...session };
    const ofBoth = { ...(await opened(client, { ...session, noCursorTimeout: true })), ...session };
    await clock.advance(60_000);
    expect(await client.refusal(idle)).toMatch(/^43 /);
    for (const more of [immortal, own, ofBoth]) expect(await client.plain(more)).toMatchObject({ ok: 1 });
    await client.plain({ endSessions: [session.lsid] });
    for (const more of [own, ofBoth]) expect(await client.refusal(more)).toMatch(/^43 /);
    expect(await client.plain(immortal)).toMatchObject({ ok: 1 });
  });

  test('leaves no timer once all cursors are closed', async () => {
    const { client, clock } = world();
    await filled(client);
    await opened(client);
    await clock.advance(700_000);
    expect(clock.pending).toBe(0);
  });
});

test('a restart resets parameters to the values given to createServer', async () => {
  const { server, client } = world({ parameters: { ttlMonitorSleepSecs: 5 } });
  await setting(client, { ttlMonitorSleepSecs: 1 });
  server.crash();
  await server.restart();
  const again = new Client(server);
  expect(await again.plain({ getParameter: 1, ttlMonitorSleepSecs: 1 }, 'admin')).toEqual({
    ttlMonitorSleepSecs: 5,
    ok: 1,
  });
});

test('getParameter returns each parameter with its BSON type', async () => {
  const { client } = world();
  const names = {
    cursorTimeoutMillis: 1,
    ingressConnectionEstablishmentRatePerSec: 1,
    notablescan: 1,
    ttlMonitorSleepSecs: 1,
  };
  expect(typed(await client.run({ getParameter: 1, ...names }, 'admin'))).toBe(
    '{"cursorTimeoutMillis":{"$numberLong":"600000"},' +
      '"ingressConnectionEstablishmentRatePerSec":{"$numberDouble":"1.7976931348623157e+308"},' +
      '"notablescan":false,"ttlMonitorSleepSecs":{"$numberInt":"60"},"ok":{"$numberDouble":"1.0"}}',
  );
});

test('showDetails reports which parameters can be set at runtime', async () => {
  const { client } = world();
  const command = { getParameter: { showDetails: true }, notablescan: 1, quiet: 1 };
  expect(await client.plain(command, 'admin')).toEqual({
    notablescan: { value: false, settableAtRuntime: false, settableAtStartup: true },
    quiet: { value: false, settableAtRuntime: true, settableAtStartup: true },
    ok: 1,
  });
});

test.each([
  ['8.2.1', { ttlMonitorSleepSecs: 0 }, '2 Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0'],
  [
    '8.2.1',
    { transactionLifetimeLimitSeconds: 0 },
    '2 Invalid value for parameter transactionLifetimeLimitSeconds: 0 is not greater than or equal to 1',
  ],
  ['8.2.1', { ttlMonitorSleepSecs: 0.5 }, '2 Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0'],
  ['8.2.1', { notablescan: true }, '20 not allowed to change [notablescan] at runtime'],
  [
    '8.2.1',
    { internalQueryExecMaxBlockingSortBytes: 1 },
    '72 attempted to set unrecognized parameter [internalQueryExecMaxBlockingSortBytes], use help:true to see options ',
  ],
  [
    '4.2.0',
    { internalQueryMaxBlockingSortMemoryUsageBytes: 1 },
    '72 attempted to set unrecognized parameter [internalQueryMaxBlockingSortMemoryUsageBytes], use help:true to see options ',
  ],
])('a server of version %s rejects %j', async (version, given, why) => {
  const { client } = world({ version });
  expect(await client.refusal({ setParameter: 1, ...given }, 'admin')).toBe(why);
});

test('setParameter changes nothing if one of the parameters is unknown', async () => {
  const { client } = world();
  const given = { ttlMonitorSleepSecs: 1, nonsense: 1 };
  expect(await client.refusal({ setParameter: 1, ...given }, 'admin')).toMatch(/^72 /);
  expect((await client.plain({ getParameter: 1, ttlMonitorSleepSecs: 1 }, 'admin'))['ttlMonitorSleepSecs']).toBe(60);
});

test.each([
  [
    { nonsense: 1 },
    '"parameters" contains "nonsense", which is not a parameter of version 8.2.1 that this server supports.',
  ],
  [{ ttlMonitorSleepSecs: 0 }, 'Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0'],
  [{ ttlMonitorEnabled: 'no' as never }, 'Failed to set ttlMonitorEnabled: expected a bool, got string'],
])('createServer rejects the parameters %j', (parameters, why) => {
  expect(() => createServer(testRuntime(), { parameters })).toThrow(new RangeError(why));
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('createServer rejects an oplog of %d MB', oplogSizeMB => {
  expect(() => createServer(testRuntime(), { oplogSizeMB })).toThrow(
    new RangeError(`"oplogSizeMB" must be a number of megabytes of at least 1, but is ${oplogSizeMB}.`),
  );
});
