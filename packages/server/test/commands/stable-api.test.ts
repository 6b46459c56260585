import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { world } from '../client.js';

const strict = (command: Document): Document => ({ ...command, apiVersion: '1', apiStrict: true });

test.each([
  [{ find: 'c', tailable: true }, 'find.tailable'],
  [{ find: 'c', showRecordId: true }, 'find.showRecordId'],
  [{ create: 'd', capped: true, size: 1000 }, 'create.capped'],
  [{ aggregate: 'c', pipeline: [], explain: true }, 'aggregate.explain'],
  [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', sparse: true }] }, 'createIndexes.indexes.sparse'],
])('apiStrict: rejects %j because of a field outside the API', async (command, field) => {
  const { client } = world();
  expect(await client.refusal(strict(command))).toBe(`323 BSON field '${field}' is not allowed with apiStrict:true.`);
});

test('apiStrict: rejects stages outside the API, also in nested pipelines', async () => {
  const { client } = world();
  const stage = { $indexStats: {} };
  const pipelines = [[stage], [{ $facet: { a: [stage] } }], [{ $lookup: { from: 'd', pipeline: [stage], as: 'x' } }]];
  for (const pipeline of pipelines)
    expect(await client.refusal(strict({ aggregate: 'c', pipeline, cursor: {} }))).toBe(
      "323 stage $indexStats is not allowed with 'apiStrict: true' in API Version 1",
    );
  await client.plain({ insert: 'c', documents: [{}] });
  const counting = (spec: Document): Document =>
    strict({ aggregate: 'c', pipeline: [{ $collStats: spec }], cursor: {} });
  expect(await client.plain(counting({ count: {} }))).toMatchObject({ ok: 1 });
  expect(await client.refusal(counting({ storageStats: {} }))).toMatch(/^323 /);
});

test('count is in the API from version 5.0.9 on', async () => {
  const count = strict({ count: 'c' });
  expect(await world({ version: '5.0.8' }).client.refusal(count)).toBe(
    '323 Provided apiStrict:true, but the command count is not in API Version 1',
  );
  expect(await world({ version: '5.0.9' }).client.plain(count)).toEqual({ n: 0, ok: 1 });
});

test('requireApiVersion: rejects every command without apiVersion, except for hello', async () => {
  const { client } = world();
  expect(await client.plain({ setParameter: 1, requireApiVersion: true }, 'admin')).toEqual({ was: false, ok: 1 });
  expect(await client.refusal({ ping: 1 })).toBe(
    "498870 The apiVersion parameter is required, please configure your MongoClient's API version",
  );
  expect(await client.plain({ hello: 1 })).toMatchObject({ ok: 1 });
  expect(await client.plain({ ping: 1, apiVersion: '1' })).toEqual({ ok: 1 });
  const off = { setParameter: 1, requireApiVersion: false, apiVersion: '1' };
  expect(await client.plain(off, 'admin')).toEqual({ was: true, ok: 1 });
  expect(await client.plain({ getParameter: 1, requireApiVersion: 1 }, 'admin')).toEqual({
    requireApiVersion: false,
    ok: 1,
  });
});

test.each([
  [
    { setParameter: 1, nonsense: 1 },
    '72 attempted to set unrecognized parameter [nonsense], use help:true to see options ',
  ],
  [{ setParameter: 1 }, '72 no option found to set, use help:true to see options '],
  [{ setParameter: 1, enableTestCommands: true }, '20 not allowed to change [enableTestCommands] at runtime'],
  [{ getParameter: 1, nonsense: 1 }, '72 no option found to get'],
])('rejects the parameter command %j', async (command, refusal) => {
  expect(await world().client.refusal(command, 'admin')).toBe(refusal);
});
