import { expect, test } from 'vitest';
import { house } from './house.js';

test.each(['update', 'bulkWrite'])(
  'the messages of many failed statements on shards have 1 MiB in all: %s',
  async command => {
    const { client } = house({ shards: 2 });
    await client.run({ insert: 'c', documents: Array.from({ length: 20 }, (_, _id) => ({ _id })) });
    await client.run({ createIndexes: 'c', indexes: [{ key: { _id: 'hashed' }, name: 'by' }] });
    await client.plain({ shardCollection: 'db.c', key: { _id: 'hashed' } }, 'admin');
    const change = { $set: { a: { $toInt: 'x'.repeat(9_000) } } };
    const reply = await client.plain(
      command === 'update'
        ? {
            update: 'c',
            ordered: false,
            updates: Array.from({ length: 500 }, (_, i) => ({ q: { _id: i % 20 }, u: [change] })),
          }
        : {
            ...{ bulkWrite: 1, nsInfo: [{ ns: 'db.c' }], ordered: false },
            ops: Array.from({ length: 500 }, (_, i) => ({ update: 0, filter: { _id: i % 20 }, updateMods: [change] })),
          },
      command === 'update' ? 'db' : 'admin',
    );
    const errors: readonly { readonly errmsg: string }[] = reply.writeErrors ?? reply.cursor.firstBatch;
    const sum = errors.reduce((total, { errmsg }) => total + errmsg.length, 0);
    expect(errors).toHaveLength(500);
    expect(sum).toBeGreaterThan(1 << 20);
    expect(sum).toBeLessThan((1 << 20) + 20_100);
  },
);
