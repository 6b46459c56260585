import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { all, increment, one, Session, set, transient } from './session.js';

describe('in a transaction', () => {
  test.each([
    [{ count: 'c' }],
    [{ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }],
    [{ aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }],
    [{ drop: 'c' }],
    [{ listCollections: 1 }],
    [{ explain: { find: 'c' } }],
    [{ killCursors: 'c', cursors: [Long.ONE] }],
    [{ dropIndexes: 'c', index: 'x' }],
    [{ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x' }] }],
    [{ create: 'view', viewOn: 'c', pipeline: [] }],
  ])('%j is rejected with code 263', async command => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    await client.plain({ create: 'capped', capped: true, size: 1000 });
    expect(await new Session(client).start().refusal(command)).toBe('263');
  });

  test.each(['system.js', 'system.views'])('writes to %s are rejected with code 50791', async name => {
    const session = new Session(set().client).start();
    expect(await session.refusal({ insert: name, documents: [{ _id: 1 }] })).toBe('50791');
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
  });

  test.each(['capped', 'series'])('writes to %s are rejected with code 263', async name => {
    const { client } = set();
    await client.plain({ create: 'capped', capped: true, size: 1000 });
    await client.plain({ create: 'series', timeseries: { timeField: 't' } });
    const session = new Session(client).start();
    expect(await session.refusal({ insert: name, documents: [{ _id: 1, t: new Date(0) }] })).toBe('write error 263');
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
  });

  test.each(['admin', 'config', 'local'])('reads of %s are rejected with code 263', async db => {
    expect(await new Session(set().client).start().refusal({ find: 'c' }, db)).toBe('263');
  });

  test('an unknown aggregation stage fails with code 40324', async () => {
    const { client } = set();
    await client.plain({ create: 'c' });
    const aggregate = { aggregate: 'c', pipeline: [{ constructor: {} }], cursor: {} };
    expect(await new Session(client).start().refusal(aggregate)).toBe('40324');
  });

  test('new collections and indexes can be created', async () => {
    const { client } = set();
    const indexes = [{ key: { x: 1 }, name: 'x_1', unique: true }];
    const session = new Session(client).start();
    await session.run({ create: 'c' });
    expect(await session.run({ createIndexes: 'c', indexes })).toMatchObject({ numIndexesAfter: 2 });
    await session.run({ createIndexes: 'd', indexes });
    await session.run({ insert: 'd', documents: [{ _id: 1, x: 1 }] });
    expect(await session.refusal({ createIndexes: 'd', indexes })).toBe('none');
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
    await session.commit();
    expect((await client.plain({ listIndexes: 'd' })).cursor.firstBatch.map(({ name }) => name)).toEqual([
      '_id_',
      'x_1',
    ]);
    expect(await all(client, 'd')).toEqual([{ _id: 1, x: 1 }]);
  });

  test('an index can be created only on an empty collection of the same transaction', async () => {
    const { client } = set();
    const indexes = [{ key: { x: 1 }, name: 'x_1' }];
    await client.plain({ create: 'c' });
    const session = new Session(client);
    expect(await session.start().refusal({ createIndexes: 'c', indexes })).toBe('263');
    session.start();
    await session.run({ insert: 'd', documents: [one] });
    expect(await session.refusal({ createIndexes: 'd', indexes })).toBe('263');
    expect(await session.start().refusal({ createIndexes: 'c', indexes: [{ key: { _id: 1 }, name: '_id_' }] })).toBe(
      'none',
    );
  });

  test('before version 4.4 no collection can be created', async () => {
    const { client } = set({ version: '4.2.0' });
    const session = new Session(client);
    for (const command of [{ create: 'c' }, { insert: 'c', documents: [{}] }])
      expect(await session.start().refusal(command)).toBe('263');
  });

  test('a cursor can be read in the same transaction only, and closes with it', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [1, 2, 3].map(_id => ({ _id })) });
    const session = new Session(client).start();
    const { id } = (await session.run({ find: 'c', batchSize: 1 })).cursor;
    const more = { getMore: id, collection: 'c', batchSize: 1 };
    expect(await client.plain({ ...more, lsid: session.lsid })).toMatchObject({ code: 50740 });
    expect((await session.run(more)).cursor.nextBatch).toEqual([{ _id: 2 }]);
    await session.commit();
    expect(await client.plain({ ...more, lsid: session.lsid })).toMatchObject({ code: 43 });
    await session.start().run({ find: 'c' });
    const { id: outside } = (await client.plain({ find: 'c', batchSize: 1, lsid: session.lsid })).cursor;
    expect(await session.refusal({ getMore: outside, collection: 'c' })).toBe('50739');
  });

  test('only the first statement accepts a read concern, and only the commit a write concern', async () => {
    const { client } = set();
    const readConcern = { level: 'snapshot' };
    const session = new Session(client).start();
    expect(await session.run({ insert: 'c', documents: [one], readConcern })).toMatchObject({ n: 1 });
    expect(await session.refusal({ find: 'c', readConcern })).toBe('72');
    expect(await session.start().refusal({ find: 'c', readConcern: { level: 'linearizable' } })).toBe('72');
    expect(await session.start().refusal({ insert: 'c', documents: [{}], writeConcern: { w: 1 } })).toBe('72');
  });

  test('reads can use the snapshot of a past time', async () => {
    const { client } = set();
    const { operationTime } = await client.plain({ insert: 'c', documents: [one] });
    await client.plain(increment(1));
    const readConcern = { level: 'snapshot', atClusterTime: operationTime };
    const session = new Session(client).start();
    expect((await session.run({ find: 'c', readConcern })).cursor.firstBatch).toEqual([one]);
    expect(await session.refusal(increment(1))).toBe(`112 ${transient}`);
  });

  test('a fail point fails a statement without undoing earlier statements', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [one] });
    const fail = (data: Document): Promise<unknown> =>
      client.plain({ configureFailPoint: 'failCommand', mode: { times: 1 }, data }, 'admin');
    await fail({ failCommands: ['insert'], errorCode: 91 });
    expect(await session.refusal({ insert: 'c', documents: [{ _id: 2 }] })).toBe(`91 ${transient}`);
    await fail({ failCommands: ['commitTransaction'], errorCode: 91 });
    expect(await session.commit()).toMatchObject({ code: 91, errorLabels: ['RetryableWriteError'] });
    await fail({ failCommands: ['commitTransaction'], writeConcernError: { code: 91, errmsg: 'no' } });
    expect(await session.commit()).toMatchObject({
      ok: 1,
      writeConcernError: { code: 91 },
      errorLabels: ['RetryableWriteError'],
    });
    expect(await all(client)).toEqual([one]);
  });
});
