import type { Document } from 'bson';
import { Binary, ObjectId, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const series = { timeField: 'at', metaField: 'of' };
const at = (minute: number): Date => new Date(Date.UTC(2023, 0, 1, 0, minute));

const measured = async (
  version = '8.2.1',
  more: Document = {},
): Promise<{ client: Client; now: (ms: number) => Promise<void> }> => {
  const { client, clock } = world({ version });
  await client.plain({ create: 'm', timeseries: series, ...more });
  const documents = [
    { _id: 1, t: 20, of: { city: 'Oslo' }, at: at(1) },
    { _id: 2, t: 25, of: { city: 'Rome' }, at: at(2) },
    { _id: 2, t: 21, of: { city: 'Oslo' }, at: at(3) },
  ];
  await client.plain({ insert: 'm', documents });
  return { client, now: ms => clock.advance(ms) };
};

describe('a time-series collection', () => {
  test('is listed with its bucket collection', async () => {
    const { client } = await measured('8.2.1', { expireAfterSeconds: 60 });
    const { cursor } = await client.plain({ listCollections: 1 });
    const options = {
      expireAfterSeconds: 60,
      timeseries: { ...series, granularity: 'seconds', bucketMaxSpanSeconds: 3600 },
    };
    expect(cursor.firstBatch).toEqual([
      { name: 'm', type: 'timeseries', options, info: { readOnly: false } },
      {
        name: 'system.buckets.m',
        type: 'collection',
        options: { validator: expect.any(Object) as unknown, clusteredIndex: true, ...options },
        info: { readOnly: false, uuid: expect.any(UUID) as unknown },
      },
    ]);
  });

  test('has a bucket for each meta value and span of time, which commands can read', async () => {
    const { client } = await measured('7.0.0');
    await client.plain({
      insert: 'm',
      documents: [{ _id: 4, t: { low: 1, high: [2, 9] }, of: { city: 'Oslo' }, at: at(90) }],
    });
    await client.plain({
      insert: 'm',
      documents: [{ _id: 5, t: { low: 0, high: [3, 4] }, of: { city: 'Oslo' }, at: at(91) }],
    });
    const buckets = { find: 'system.buckets.m', filter: { 'meta.city': 'Oslo' } };
    const { cursor } = await client.plain(buckets);
    expect(cursor.firstBatch.map(({ _id, ...rest }) => rest)).toEqual([
      {
        control: { version: 1, min: { at: at(1), _id: 1, t: 20 }, max: { at: at(3), _id: 2, t: 21 } },
        meta: { city: 'Oslo' },
        data: { at: { 0: at(1), 1: at(3) }, _id: { 0: 1, 1: 2 }, t: { 0: 20, 1: 21 } },
      },
      {
        control: {
          version: 1,
          min: { at: at(90), _id: 4, t: { low: 0, high: [2, 4] } },
          max: { at: at(91), _id: 5, t: { low: 1, high: [3, 9] } },
        },
        meta: { city: 'Oslo' },
        data: {
          at: { 0: at(90), 1: at(91) },
          _id: { 0: 4, 1: 5 },
          t: { 0: { low: 1, high: [2, 9] }, 1: { low: 0, high: [3, 4] } },
        },
      },
    ]);
    const pipeline = [{ $group: { _id: '$meta.city', n: { $sum: 1 } } }, { $sort: { _id: 1 } }];
    const { cursor: groups } = await client.plain({ aggregate: 'system.buckets.m', pipeline, cursor: {} });
    expect(groups.firstBatch).toEqual([
      { _id: 'Oslo', n: 2 },
      { _id: 'Rome', n: 1 },
    ]);
    expect(await client.plain({ count: 'system.buckets.m' })).toEqual({ n: 3, ok: 1 });
  });

  test.each([
    [{ granularity: 'seconds' }, 2],
    [{ granularity: 'minutes' }, 1],
    [{ bucketMaxSpanSeconds: 600, bucketRoundingSeconds: 600 }, 3],
  ])('with %j divides times by that span', async (more, n) => {
    const { client } = world();
    await client.plain({ create: 's', timeseries: { timeField: 'at', ...more } });
    await client.plain({ insert: 's', documents: [0, 9, 11, 80].map(minute => ({ at: at(minute) })) });
    expect((await client.plain({ count: 'system.buckets.s' })).n).toBe(n);
  });

  test('has buckets that applyOps writes', async () => {
    const { client } = await measured();
    const bucket = {
      _id: new ObjectId(),
      control: { version: 1, min: { at: at(5), t: 1 }, max: { at: at(6), t: 2 } },
      meta: 'Bern',
      data: { at: { 0: at(5), 1: at(6) }, t: { 0: 1, 1: 2 } },
    };
    const ops = (...all: readonly Document[]): Document => ({
      applyOps: all.map(op => ({ ns: 'db.system.buckets.m', ...op })),
    });
    expect(await client.plain(ops({ op: 'i', o: bucket }), 'admin')).toMatchObject({ ok: 1 });
    const ofBern = { find: 'm', filter: { of: 'Bern' }, projection: { _id: 0 } };
    expect((await client.plain(ofBern)).cursor.firstBatch).toEqual([
      { at: at(5), of: 'Bern', t: 1 },
      { at: at(6), of: 'Bern', t: 2 },
    ]);
    const change = { $v: 2, diff: { u: { meta: 'Linz' } } };
    expect(await client.plain(ops({ op: 'u', o2: { _id: bucket._id }, o: change }), 'admin')).toMatchObject({ ok: 1 });
    expect((await client.plain({ count: 'm', query: { of: 'Linz' } })).n).toBe(2);
    expect(await client.plain(ops({ op: 'd', o: { _id: bucket._id } }), 'admin')).toMatchObject({ ok: 1 });
    expect((await client.plain({ count: 'm' })).n).toBe(3);
  });

  test('has written buckets with the meta value that updates of measurements set', async () => {
    const { client } = await measured();
    const _id = new ObjectId();
    const control = { version: 1, min: { at: at(5), t: 1 }, max: { at: at(5), t: 1 } };
    const bucket = { _id, control, meta: 'Bern', data: { at: { 0: at(5) }, t: { 0: 1 } } };
    await client.plain({ insert: 'system.buckets.m', documents: [bucket] });
    const updates = [{ q: { of: 'Bern' }, u: { $set: { of: 'Linz' } }, multi: true }];
    expect(await client.plain({ update: 'm', updates })).toMatchObject({ nModified: 1 });
    const filter = { _id };
    expect((await client.plain({ find: 'system.buckets.m', filter })).cursor.firstBatch).toMatchObject([
      { _id, meta: 'Linz' },
    ]);
    const close = { q: filter, u: { $set: { 'control.closed': true } } };
    expect(await client.plain({ update: 'system.buckets.m', updates: [close] })).toMatchObject({ nModified: 1 });
    expect((await client.plain({ count: 'm', query: { of: 'Linz', at: at(5) } })).n).toBe(1);
  });

  test('refuses a bucket whose compressed columns are damaged or stand for too many values', async () => {
    const { client } = await measured();
    const insert = (column: Uint8Array): Document => ({
      insert: 'system.buckets.m',
      documents: [
        {
          control: { version: 2, min: { at: at(5) }, max: { at: at(6) }, count: 1 },
          data: { at: new Binary(column, 7) },
        },
      ],
    });
    const repeated = Uint8Array.from({ length: 8 * 16 }, (_, i) => (i % 8 === 0 ? 0xff : 0));
    const time = Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const many = Uint8Array.from([...time, ...Array.from({ length: 4 }, () => [0x8f, ...repeated]).flat(), 0]);
    expect((await client.plain(insert(Uint8Array.of(9, 0, 1)))).writeErrors).toMatchObject([{ code: 22 }]);
    expect((await client.plain(insert(many))).writeErrors).toMatchObject([{ code: 22 }]);
    expect((await client.plain({ count: 'm' })).n).toBe(3);
  });

  test('is created by $out, which keeps the options of an existing one', async () => {
    const { client } = await measured();
    const out = (timeseries?: Document): Document => ({
      aggregate: 'm',
      pipeline: [
        { $match: { t: { $gt: 20 } } },
        { $out: { db: 'db', coll: 'warm', ...(timeseries && { timeseries }) } },
      ],
      cursor: {},
    });
    expect(await client.plain(out(series))).toMatchObject({ ok: 1 });
    const listed = { listCollections: 1, filter: { name: 'warm' } };
    const options = { timeseries: { ...series, granularity: 'seconds', bucketMaxSpanSeconds: 3600 } };
    expect((await client.plain(listed)).cursor.firstBatch).toEqual([
      { name: 'warm', type: 'timeseries', options, info: { readOnly: false } },
    ]);
    expect((await client.plain({ count: 'warm' })).n).toBe(2);
    expect((await client.plain({ listIndexes: 'warm' })).cursor.firstBatch).toMatchObject([{ name: 'of_1_at_1' }]);
    expect(await client.plain(out())).toMatchObject({ ok: 1 });
    expect((await client.plain(listed)).cursor.firstBatch).toMatchObject([{ type: 'timeseries', options }]);
    expect(await client.refusal(out({ ...series, granularity: 'hours' }))).toMatch(/^7406103 /);
    await client.plain({ drop: 'warm' });
    await client.plain({ create: 'warm' });
    expect(await client.refusal(out(series))).toMatch(/^7268700 /);
  });

  test('returns timeField and metaField first, and does not enforce a unique _id', async () => {
    const { client } = await measured();
    const { cursor } = await client.plain({ find: 'm', filter: { 'of.city': 'Oslo' } });
    expect(cursor.firstBatch.map(doc => Object.entries(doc))).toEqual([
      [
        ['at', at(1)],
        ['of', { city: 'Oslo' }],
        ['_id', 1],
        ['t', 20],
      ],
      [
        ['at', at(3)],
        ['of', { city: 'Oslo' }],
        ['_id', 2],
        ['t', 21],
      ],
    ]);
    const pipeline = [{ $group: { _id: '$of.city', t: { $avg: '$t' } } }, { $sort: { _id: 1 } }];
    const { cursor: groups } = await client.plain({ aggregate: 'm', pipeline, cursor: {} });
    expect(groups.firstBatch).toEqual([
      { _id: 'Oslo', t: 20.5 },
      { _id: 'Rome', t: 25 },
    ]);
  });

  test('rejects documents without a date in timeField', async () => {
    const { client } = await measured();
    for (const document of [{ of: 1 }, { at: 'noon' }]) {
      const { n, writeErrors } = await client.plain({ insert: 'm', documents: [document] });
      expect([n, writeErrors]).toEqual([
        0,
        [{ index: 0, code: 2, errmsg: "'at' must be present and contain a valid BSON UTC datetime value" }],
      ]);
    }
  });

  test('has an index on metaField and timeField from version 6.3 on', async () => {
    const indexes = async (version: string): Promise<unknown> => {
      const { client } = await measured(version);
      return (await client.plain({ listIndexes: 'm' })).cursor.firstBatch;
    };
    expect(await indexes('6.0.0')).toEqual([]);
    expect(await indexes('8.0.0')).toEqual([{ v: 2, key: { of: 1, at: 1 }, name: 'of_1_at_1' }]);
  });

  test('allows updates of metaField only', async () => {
    const { client } = await measured();
    const updated = async (update: Document): Promise<unknown> => {
      const { n, writeErrors } = await client.plain({ update: 'm', updates: [{ multi: true, ...update }] });
      return writeErrors?.[0]?.errmsg ?? n;
    };
    expect(await updated({ q: { 'of.city': 'Oslo' }, u: { $set: { 'of.city': 'Bergen' } } })).toBe(2);
    expect(await updated({ q: { t: 20 }, u: { $set: { of: 1 } } })).toMatch(/querying on a field that is not the meta/);
    expect(await updated({ q: {}, u: { $set: { t: 1 } } })).toMatch(/which updates a field that is not the metaField/);
    expect(await updated({ q: {}, u: { $set: { of: 1 } }, multi: false })).toMatch(/non-multi update/);
    expect(await updated({ q: {}, u: { $set: { of: 1 } }, upsert: true })).toMatch(/an upsert/);
  });

  test('allows any delete from version 7.0 on, and before only deletes by metaField', async () => {
    const removed = async (version: string, q: Document): Promise<unknown> => {
      const { client } = await measured(version);
      const { n, writeErrors } = await client.plain({ delete: 'm', deletes: [{ q, limit: 0 }] });
      return writeErrors?.[0]?.code ?? n;
    };
    expect(await removed('8.0.0', { t: { $gt: 20 } })).toBe(2);
    expect(await removed('6.0.0', { t: { $gt: 20 } })).toBe(72);
    expect(await removed('6.0.0', { 'of.city': 'Oslo' })).toBe(2);
  });

  test('deletes expired measurements', async () => {
    const { client, now } = await measured('8.2.1', { expireAfterSeconds: 60 });
    const { localTime } = await client.plain({ hello: 1 });
    await client.plain({
      insert: 'm',
      documents: [{ _id: 'young', at: new Date((localTime as Date).getTime() + 600_000) }],
    });
    await now(60_000);
    const { cursor } = await client.plain({ find: 'm', projection: { _id: 1 } });
    expect(cursor.firstBatch).toEqual([{ _id: 'young' }]);
  });

  test('deletes expired measurements even if another collection has a TTL index', async () => {
    const { client, now } = await measured('8.2.1', { expireAfterSeconds: 60 });
    await client.plain({ createIndexes: 'a', indexes: [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 60 }] });
    await now(60_000);
    expect((await client.plain({ count: 'm' })).n).toBe(0);
  });

  test.each([
    [{ timeseries: {} }, "40414 BSON field 'create.timeseries.timeField' is missing but a required field"],
    [{ timeseries: { timeField: 'a.b' } }, "72 'timeField' must be a top-level field"],
    [{ timeseries: { timeField: 'a', metaField: 'a' } }, "72 'metaField' and 'timeField' may not be the same field"],
    [{ timeseries: series, capped: true, size: 1 }, "72 db.n: 'timeseries' is not allowed with 'capped'"],
    [{ timeseries: { timeField: 'a', granularity: 'days' } }, /^2 Enumeration value 'days'/],
    [{ timeseries: { timeField: 'a', bucketMaxSpanSeconds: 60 } }, /^72 .*set alongside each other/],
  ])('cannot be created with %j', async (options, refusal) => {
    const { client } = world();
    const error = await client.refusal({ create: 'n', ...options });
    if (typeof refusal === 'string') expect(error).toBe(refusal);
    else expect(error).toMatch(refusal);
  });

  test.each([
    [{ key: { t: 1 }, name: 't', unique: true }, '72 Unique indexes are not supported on time-series collections'],
    [{ key: { t: 1 }, name: 't', sparse: true }, '72 Sparse indexes are not supported on time-series collections'],
    [{ key: { t: 'text' }, name: 't' }, '72 Text indexes are not supported on time-series collections'],
  ])('rejects the index %j', async (index, refusal) => {
    const { client } = await measured();
    expect(await client.refusal({ createIndexes: 'm', indexes: [index] })).toBe(refusal);
  });

  test('can be created again with the same options', async () => {
    const { client } = await measured();
    expect(await client.plain({ create: 'm', timeseries: series })).toEqual({ ok: 1 });
    expect(await client.refusal({ create: 'm' })).toMatch(/^48 /);
  });

  test('is unknown before version 5.0', async () => {
    expect(await world({ version: '4.4.0' }).client.refusal({ create: 'n', timeseries: series })).toBe(
      "40415 BSON field 'create.timeseries' is an unknown field.",
    );
  });
});
