import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { expect, test } from 'vitest';
import type { Client } from './client.js';
import { world } from './client.js';

const empty = new Timestamp({ t: 0, i: 0 });

const isKept = async (client: Client): Promise<readonly boolean[]> => {
  const { cursor } = await client.run({ find: 'c', sort: { _id: 1 } });
  return (cursor as Document)['firstBatch'].map(({ t }: Document) => (t as Timestamp).isZero());
};

const writes = (rest: object): readonly [object, string?][] => [
  [{ insert: 'c', documents: [{ _id: 1, t: empty }], ...rest }],
  [{ update: 'c', updates: [{ q: { _id: 2 }, u: { t: empty }, upsert: true }], ...rest }],
  [{ findAndModify: 'c', query: { _id: 3 }, update: { t: empty }, upsert: true, ...rest }],
  [{ bulkWrite: 1, ops: [{ insert: 0, document: { _id: 4, t: empty } }], nsInfo: [{ ns: 'db.c' }], ...rest }, 'admin'],
  [{ update: 'c', updates: [{ q: { _id: 4 }, u: { t: empty } }], ...rest }],
];

test.each([
  [{}, false],
  [{ bypassEmptyTsReplacement: false }, false],
  [{ bypassEmptyTsReplacement: true }, true],
])('with %j, Timestamp(0, 0) at the top level is kept: %j', async (rest, kept) => {
  const { client } = world();
  for (const [write, db] of writes(rest)) expect(await client.plain(write, db)).toMatchObject({ ok: 1 });
  expect(await isKept(client)).toEqual([kept, kept, kept, kept]);
});

test.each<readonly [Document]>([
  [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { t: empty } }, upsert: true }] }],
  [{ update: 'c', updates: [{ q: { _id: 1 }, u: [{ $addFields: { t: empty } }], upsert: true }] }],
  [{ update: 'c', updates: [{ q: { _id: 1, t: empty }, u: { $set: { a: 1 } }, upsert: true }] }],
  [{ findAndModify: 'c', query: { _id: 1 }, update: { $set: { t: empty } }, upsert: true }],
  [{ findAndModify: 'c', query: { _id: 1 }, update: [{ $addFields: { t: empty } }], upsert: true }],
])('an upsert with operators or a pipeline keeps Timestamp(0, 0): %j', async command => {
  const { client } = world();
  expect(await client.plain(command)).toMatchObject({ ok: 1 });
  expect(await isKept(client)).toEqual([true]);
});

test('versions before 8.0 reject bypassEmptyTsReplacement', async () => {
  const { client } = world({ version: '7.0.0' });
  expect(await client.refusal({ insert: 'c', documents: [{}], bypassEmptyTsReplacement: true })).toMatch(/^40415 /);
});
