import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const listed = async (client: Client, name: string): Promise<unknown> =>
  (await client.plain({ listCollections: 1, filter: { name } })).cursor.firstBatch[0];

const ids = async (client: Client, find: Document): Promise<unknown> =>
  (await client.plain(find)).cursor.firstBatch.map(({ _id }) => _id);

const filled = async (): Promise<Client> => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [1, 2, 3].map(_id => ({ _id, text: 'x'.repeat(80) })) });
  await client.plain({ createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 'text' }] });
  return client;
};

describe('conversion to a capped collection', () => {
  test('convertToCapped keeps the newest documents and drops the indexes', async () => {
    const client = await filled();
    expect(await client.plain({ convertToCapped: 'c', size: 250 })).toEqual({ ok: 1 });
    expect(await listed(client, 'c')).toMatchObject({ options: { capped: true, size: 250 } });
    expect(await ids(client, { find: 'c' })).toEqual([2, 3]);
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch.map(({ name }) => name)).toEqual(['_id_']);
  });

  test('cloneCollectionAsCapped creates another collection and fails if its name is taken', async () => {
    const client = await filled();
    expect(await client.plain({ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 250 })).toEqual({ ok: 1 });
    expect([await ids(client, { find: 'c' }), await ids(client, { find: 'd' })]).toEqual([
      [1, 2, 3],
      [2, 3],
    ]);
    expect(await client.refusal({ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 250 })).toMatch(/^48 /);
  });

  test('convertToCapped fails if the collection does not exist', async () => {
    expect(await world().client.refusal({ convertToCapped: 'c', size: 250 })).toBe(
      '26 source collection db.c does not exist',
    );
  });
});

describe('a clustered collection', () => {
  const clustered = async (more: Document = {}): Promise<Client> => {
    const { client } = world();
    const clusteredIndex = { key: { _id: 1 }, unique: true, name: 'by id' };
    await client.plain({ create: 'c', clusteredIndex, ...more });
    await client.plain({ insert: 'c', documents: [{ _id: 3 }, { _id: 1 }, { _id: 2 }] });
    return client;
  };

  test('is listed with its clustered index', async () => {
    const client = await clustered();
    expect(await listed(client, 'c')).toMatchObject({
      options: { clusteredIndex: { v: 2, key: { _id: 1 }, name: 'by id', unique: true } },
    });
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch).toEqual([
      { v: 2, key: { _id: 1 }, name: 'by id', unique: true, clustered: true },
    ]);
  });

  test('returns documents in the order of _id', async () => {
    const client = await clustered();
    expect(await ids(client, { find: 'c' })).toEqual([1, 2, 3]);
    expect(await ids(client, { find: 'c', sort: { $natural: -1 } })).toEqual([3, 2, 1]);
    expect(await ids(client, { find: 'c', filter: { _id: { $gte: 2 } } })).toEqual([2, 3]);
  });

  test('has an expireAfterSeconds, which collMod turns off', async () => {
    const { client } = world();
    expect(await client.refusal({ create: 'd', expireAfterSeconds: 60 })).toBe(
      "72 'expireAfterSeconds' is only supported on time-series and clustered collections",
    );
    const same = await clustered({ expireAfterSeconds: 60 });
    expect(await same.plain({ collMod: 'c', expireAfterSeconds: 'off' })).toEqual({ ok: 1 });
    expect(await listed(same, 'c')).toMatchObject({
      options: expect.not.objectContaining({ expireAfterSeconds: 60 }) as unknown,
    });
    expect(await same.refusal({ collMod: 'c', timeseries: { granularity: 'hours' } })).toMatch(/^72 /);
  });
});

test('collMod changes expireAfterSeconds and the granularity of a time series', async () => {
  const { client } = world();
  await client.plain({ create: 'm', timeseries: { timeField: 'at' } });
  expect(await client.plain({ collMod: 'm', expireAfterSeconds: 60 })).toEqual({ ok: 1 });
  expect(await client.plain({ collMod: 'm', timeseries: { granularity: 'hours' } })).toEqual({ ok: 1 });
  expect(await listed(client, 'm')).toMatchObject({
    options: {
      expireAfterSeconds: 60,
      timeseries: { timeField: 'at', granularity: 'hours', bucketMaxSpanSeconds: 2_592_000 },
    },
  });
  expect(await client.refusal({ collMod: 'm', timeseries: { granularity: 'minutes' } })).toMatch(/^72 /);
  expect(await client.refusal({ renameCollection: 'db.m', to: 'db.n' }, 'admin')).toMatch(/^20 /);
});

test('collMod changes the source of a view and keeps its other options', async () => {
  const { client } = world();
  await client.plain({ create: 'v', viewOn: 'c', pipeline: [], collation: { locale: 'en' } });
  await client.plain({ collMod: 'v', viewOn: 'd', pipeline: [] });
  expect(await listed(client, 'v')).toMatchObject({ options: { viewOn: 'd', collation: { locale: 'en' } } });
});

test('validate rejects full: true together with background: true', async () => {
  expect(await (await filled()).refusal({ validate: 'c', background: true, full: true })).toBe(
    '72 Running the validate command with both { background: true } and { full: true } is not supported.',
  );
});

test.each([
  [{ compact: 'c' }, { bytesFreed: 0 }],
  [{ reIndex: 'c' }, { nIndexes: 2 }],
  [{ dataSize: 'db.c' }, { numObjects: 3 }],
  [{ planCacheClear: 'c' }, {}],
  [{ dbHash: 1 }, { collections: { c: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown } }],
  [{ connPoolStats: 1 }, { totalCreated: 0 }],
])('%j succeeds', async (command, fields) => {
  expect(await (await filled()).plain(command)).toMatchObject({ ...fields, ok: 1 });
});
