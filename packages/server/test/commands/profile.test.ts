import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { typed, world } from '../client.js';

const written = async (client: Client, filter: Document = {}): Promise<readonly Document[]> =>
  (await client.plain({ find: 'system.profile', filter })).cursor.firstBatch;

describe('profile', () => {
  test('sets the level and returns the previous one; level -1 only returns it', async () => {
    const { client } = world();
    expect(typed(await client.run({ profile: 2, slowms: 50, sampleRate: 0.5 }))).toBe(
      '{"was":{"$numberInt":"0"},"slowms":{"$numberInt":"100"},"sampleRate":{"$numberDouble":"1.0"},"ok":{"$numberDouble":"1.0"}}',
    );
    expect(await client.plain({ profile: -1 })).toEqual({ was: 2, slowms: 50, sampleRate: 0.5, ok: 1 });
    expect(await client.plain({ profile: -1 }, 'other')).toEqual({ was: 0, slowms: 50, sampleRate: 0.5, ok: 1 });
    expect(await client.refusal({ profile: 1, sampleRate: 2 })).toBe(
      "2 'sampleRate' must be between 0.0 and 1.0 inclusive",
    );
    expect(await client.refusal({ profile: 1, filter: 'x' })).toBe(
      "2 Expected an object, or the string 'unset', as the value of 'filter'",
    );
  });

  test('level 2 records every command of the database, also failed ones', async () => {
    const { client, clock } = world();
    await client.plain({ profile: 2 });
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    await client.plain({ find: 'c', filter: { _id: 1 }, comment: 'mine' });
    await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }], comment: 'ours' });
    await client.plain({ delete: 'c', deletes: [{ q: {}, limit: 1 }] });
    await client.plain({ distinct: 'c', key: 'a' });
    await client.plain({ nope: 1 });
    await client.plain({ create: 'a$b' });
    await client.plain({ find: 'c' }, 'other');
    const $db = 'db';
    const rest = {
      numYield: 0,
      locks: {},
      protocol: 'op_msg',
      millis: 0,
      ts: new Date(clock.wallTime()),
      client: 'connection-1',
      allUsers: [],
      user: '',
    };
    const responseLength: unknown = expect.any(Number);
    const lookup = (planSummary: string, stage: object, keysExamined = 0): object => ({
      ...{ responseLength, keysExamined, docsExamined: 1, planSummary },
      execStats: expect.objectContaining(stage) as unknown,
    });
    const scan = lookup('COLLSCAN', { stage: 'COLLSCAN' });
    expect(await written(client)).toEqual([
      { op: 'insert', ns: 'db.c', command: { insert: 'c', $db }, ninserted: 1, responseLength, ...rest },
      {
        op: 'query',
        ns: 'db.c',
        command: { find: 'c', filter: { _id: 1 }, comment: 'mine', $db },
        cursorExhausted: true,
        nreturned: 1,
        ...lookup('EXPRESS_IXSCAN { _id: 1 }', { stage: 'EXPRESS_IXSCAN' }, 1),
        ...rest,
      },
      {
        op: 'update',
        ns: 'db.c',
        command: { q: {}, u: { $set: { a: 1 } }, multi: false, upsert: false, comment: 'ours' },
        nMatched: 1,
        nModified: 1,
        ...lookup('COLLSCAN', { stage: 'UPDATE' }),
        ...rest,
      },
      {
        op: 'remove',
        ns: 'db.c',
        command: { q: {}, limit: 1 },
        ndeleted: 1,
        ...lookup('COLLSCAN', { stage: 'DELETE' }),
        ...rest,
      },
      { op: 'command', ns: 'db.c', command: { distinct: 'c', key: 'a', $db }, ...scan, docsExamined: 0, ...rest },
      {
        op: 'command',
        ns: 'db.a$b',
        command: { create: 'a$b', $db },
        ok: 0,
        errMsg: 'Invalid collection name: a$b',
        errName: 'InvalidNamespace',
        errCode: 73,
        ...rest,
      },
    ]);
    await client.plain({ profile: 0 });
    await client.plain({ find: 'c' });
    expect(await written(client)).toHaveLength(6);
  });

  test('level 1 records commands that take at least slowms, or that match the filter instead', async () => {
    const { client, clock } = world({ testCommands: true });
    await client.plain({ profile: 1 });
    await client.plain(
      {
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { failCommands: ['find'], blockConnection: true, blockTimeMS: 100 },
      },
      'admin',
    );
    const slow = client.plain({ find: 'c', comment: 'slow' });
    await clock.advance(100);
    await slow;
    await client.plain({ find: 'c', comment: 'quick' });
    expect(await written(client)).toMatchObject([{ command: { comment: 'slow' }, millis: 100 }]);
    await client.plain({ profile: 1, filter: { 'command.comment': 'wanted' } });
    expect(await client.plain({ profile: -1 })).toMatchObject({ was: 1, filter: { 'command.comment': 'wanted' } });
    await client.plain({ find: 'c', comment: 'wanted' });
    await client.plain({ find: 'c', comment: 'other' });
    expect(await written(client)).toMatchObject([{ command: { comment: 'slow' } }, { command: { comment: 'wanted' } }]);
    await client.plain({ profile: 1, filter: 'unset' });
    expect(Object.keys(await client.plain({ profile: -1 }))).toEqual(['was', 'slowms', 'sampleRate', 'ok']);
  });

  test('large collections are not scanned again, even if commands read them by a view', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: Array.from({ length: 1001 }, (_, i) => ({ _id: i })) });
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [{ $match: { _id: { $gte: 0 } } }] });
    await client.plain({ profile: 2 });
    for (const find of ['c', 'v']) await client.plain({ find, filter: { a: 1 } });
    const entries = await written(client);
    expect(entries.map(({ ns, planSummary, docsExamined }) => [ns, planSummary, docsExamined])).toEqual([
      ['db.c', 'COLLSCAN', undefined],
      ['db.v', 'COLLSCAN', undefined],
    ]);
  });

  test('commands cannot write to system.profile', async () => {
    const { client } = world();
    await client.plain({ profile: 2 });
    const refusal = '73 cannot write to db.system.profile';
    const set = { $set: { a: 1 } };
    for (const command of [
      { insert: 'system.profile', documents: [{ a: 1 }] },
      { update: 'system.profile', updates: [{ q: {}, u: set }] },
      { delete: 'system.profile', deletes: [{ q: {}, limit: 0 }] },
      { findAndModify: 'system.profile', query: {}, update: set },
    ])
      expect(await client.refusal(command)).toBe(refusal);
    const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'db.system.profile' }] };
    expect((await client.plain(bulk, 'admin')).cursor.firstBatch).toMatchObject([{ code: 73 }]);
  });

  test('system.profile is capped, and cannot be dropped while profiling is on', async () => {
    const { client } = world();
    await client.plain({ profile: 2 });
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toMatchObject([
      { name: 'system.profile', type: 'collection', options: { capped: true, size: 1048576 } },
    ]);
    expect(await client.refusal({ drop: 'system.profile' })).toBe(
      '20 turn off profiling before dropping system.profile collection',
    );
    await client.plain({ profile: 0 });
    expect((await client.plain({ drop: 'system.profile' })).ok).toBe(1);
    await client.plain({ profile: 2 });
    await client.plain({ dropDatabase: 1 });
    expect(await client.plain({ profile: -1 })).toMatchObject({ was: 0 });
  });
});
