import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const filled = async (): Promise<Client> => {
  const { client } = world();
  const documents = [1, 2, 3].map(_id => ({ _id }));
  for (const insert of ['from', 'to']) await client.plain({ insert, documents });
  return client;
};

const uuid = async (client: Client): Promise<string> => {
  const { cursor } = await client.plain({ listCollections: 1, filter: { name: 'to' } });
  return String((cursor.firstBatch[0]!['info'] as { uuid: unknown }).uuid);
};

const out = { aggregate: 'from', pipeline: [{ $out: 'to' }], cursor: {} };

describe('$out', () => {
  test('replaces the existing collection by a new one with the same options and indexes', async () => {
    const client = await filled();
    await client.plain({ createIndexes: 'to', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    await client.plain({ collMod: 'to', validator: { _id: { $gt: 0 } } });
    const listed = async () => {
      const { cursor } = await client.plain({ listCollections: 1, filter: { name: 'to' } });
      return cursor.firstBatch.map(({ ['options']: options }) => options);
    };
    const [before, options] = [await uuid(client), await listed()];
    expect(await client.plain(out)).toMatchObject({ ok: 1 });
    expect(await uuid(client)).not.toBe(before);
    expect(await listed()).toEqual(options);
    expect((await client.plain({ listIndexes: 'to' })).cursor.firstBatch).toHaveLength(2);
  });

  test('closes the cursors of the replaced collection: code 175', async () => {
    const client = await filled();
    const { id } = (await client.run({ find: 'to', batchSize: 1 })).cursor;
    const other = (await client.run({ find: 'from', batchSize: 1 })).cursor.id;
    await client.plain(out);
    expect(await client.refusal({ getMore: id, collection: 'to' })).toMatch(/^175 collection dropped/);
    expect(await client.plain({ getMore: other, collection: 'from' })).toMatchObject({ ok: 1 });
  });

  test('leaves the collection and its cursors unchanged if it fails', async () => {
    const client = await filled();
    await client.plain({ collMod: 'to', validator: { _id: { $lt: 3 } } });
    const before = await uuid(client);
    const { id } = (await client.run({ find: 'to', batchSize: 1 })).cursor;
    expect(await client.refusal(out)).toMatch(/^121 /);
    expect(await uuid(client)).toBe(before);
    expect(await client.plain({ getMore: id, collection: 'to' })).toMatchObject({ ok: 1 });
  });
});
