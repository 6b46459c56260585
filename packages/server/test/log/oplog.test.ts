import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, typed, world } from '../client.js';
import { insert, members, nearest, retryable } from '../../../cluster/test/cluster/members.js';

const oplog = async (client: Client, command: Document = {}): Promise<readonly Document[]> =>
  (await client.plain({ find: 'oplog.rs', ...command }, 'local')).cursor.firstBatch;

/** Returns oplog entries without the fields that differ from one run to the next. */
const entriesOf = async (client: Client, filter: Document): Promise<readonly Document[]> =>
  (await oplog(client, { filter, ...nearest })).map(({ ts: _ts, t: _t, v: _v, wall: _wall, ui: _ui, ...rest }) => rest);

describe('local.oplog.rs', () => {
  test('lists commits in order', async () => {
    const { clients, close } = members(1);
    const client = clients[0]!;
    await client.run({ create: 'c' });
    await client.run({ insert: 'c', documents: [{ _id: 1, a: 1, b: 1 }], ...retryable(1) });
    await client.run({ update: 'c', updates: [{ q: {}, u: { $set: { a: 2, c: 3 }, $unset: { b: 1 } } }] });
    await client.run({ update: 'c', updates: [{ q: {}, u: { x: 1 } }] });
    await client.run({ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x_1' }] });
    await client.run({ delete: 'c', deletes: [{ q: {}, limit: 1 }] });
    await client.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    await client.run({ renameCollection: 'db.c', to: 'db.d' }, 'admin');
    await client.run({ drop: 'd' });
    expect(await entriesOf(client, { ns: { $ne: '' } })).toMatchObject([
      { op: 'c', ns: 'db.$cmd', o: { create: 'c' } },
      { lsid: {}, txnNumber: 1, op: 'i', ns: 'db.c', o: { _id: 1, a: 1, b: 1 }, o2: { _id: 1 } },
      { op: 'u', ns: 'db.c', o: { $v: 2, diff: { d: { b: false }, u: { a: 2 }, i: { c: 3 } } }, o2: { _id: 1 } },
      { op: 'u', ns: 'db.c', o: { _id: 1, x: 1 }, o2: { _id: 1 } },
      { op: 'c', ns: 'db.$cmd', o: { createIndexes: 'c', v: 2, key: { x: 1 }, name: 'x_1' } },
      { op: 'd', ns: 'db.c', o: { _id: 1 } },
      {
        ...{ op: 'c', ns: 'admin.$cmd' },
        o: {
          applyOps: [
            { op: 'i', ns: 'db.c', o: { _id: 1 }, o2: { _id: 1 } },
            { op: 'i', ns: 'db.c', o: { _id: 2 }, o2: { _id: 2 } },
          ],
        },
      },
      { op: 'c', ns: 'db.$cmd', o: { renameCollection: 'db.c', to: 'db.d', stayTemp: false, dropTarget: false } },
      { op: 'c', ns: 'db.$cmd', o: { drop: 'd' } },
    ]);
    await close();
  });

  test('has one entry for each document that a command changes', async () => {
    const { clients, close } = members(1);
    const client = clients[0]!;
    await client.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    await client.run({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
    const { operationTime } = await client.plain({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    const entries = await oplog(client, { filter: { ns: 'db.c' } });
    expect(entries.map(({ op, o2, o }) => [op, (o2 ?? o)._id])).toEqual([
      ['u', 1],
      ['u', 2],
      ['d', 1],
      ['d', 2],
    ]);
    expect(new Set(entries.map(({ ts }) => String(ts))).size).toBe(4);
    expect(entries.at(-1)!['ts']).toEqual(operationTime);
    await close();
  });

  test('an entry has ts, t, v and wall, and its ts is the operationTime of the command', async () => {
    const { clients, close } = members(1);
    await clients[0]!.run({ create: 'c' });
    const { operationTime } = await clients[0]!.run({ insert: 'c', documents: [{ _id: 1 }] });
    const [entry] = (await clients[0]!.run({ find: 'oplog.rs', sort: { $natural: -1 }, limit: 1 }, 'local')).cursor
      .firstBatch;
    const { op, ts, t, v, wall } = entry!;
    expect([typed(op), typed(ts), typed(t), typed(v), wall]).toEqual([
      ...['"i"', typed(operationTime), '{"$numberLong":"1"}', '{"$numberLong":"2"}'],
      expect.any(Date),
    ]);
    await close();
  });

  test('is the same on every member, and can be tailed', async () => {
    const { clients, close } = members(3);
    const [primary, secondary] = clients as [Client, Client];
    await primary.run({ create: 'c' });
    expect(await oplog(secondary, nearest)).toEqual(await oplog(primary));
    const [{ ts }] = (await oplog(secondary, { ...nearest, sort: { $natural: -1 } })) as [Document];
    const tail = { find: 'oplog.rs', filter: { ts: { $gte: ts } }, tailable: true, awaitData: true, ...nearest };
    const { cursor } = await secondary.run(tail, 'local');
    expect(cursor.firstBatch).toHaveLength(1);
    const more = secondary.plain({ getMore: cursor.id, collection: 'oplog.rs' }, 'local');
    await primary.run({ insert: 'c', documents: [{ _id: 2 }] });
    expect((await more).cursor.nextBatch).toMatchObject([{ op: 'i', o: { _id: 2 } }]);
    await close();
  });

  test('is rolled back together with the data', async () => {
    const set = members(3);
    await set.clients[0]!.run({ create: 'c' });
    set.partition([0], [1, 2]);
    await insert(set.clients[0]!, 'lost', { writeConcern: { w: 1 } });
    const lost = await oplog(set.clients[0]!, { filter: { op: 'i' } });
    await set.elect(1);
    await insert(set.clients[1]!, 'kept');
    set.heal();
    const kept = await oplog(set.connect(0), { filter: { op: 'i' }, ...nearest });
    expect([lost, kept].map(some => some.map(({ o }) => o))).toEqual([[{ _id: 'lost' }], [{ _id: 'kept' }]]);
    await set.close();
  });

  test('does not exist on a standalone', async () => {
    expect(await oplog(world().client)).toEqual([]);
  });
});
