import type { Files } from '@tessera/contracts';
import type { Document } from 'bson';
import { Long, ObjectId, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { typed } from '../client.js';
import type { Machine } from './machine.js';
import { clientOf, idsIn, journaled, onMachine } from './machine.js';

const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };

const insert = (client: Client, _id: number, more: Document = {}): Promise<unknown> =>
  client.plain({ insert: 'c', documents: [{ _id }], ...more });

const bucket = {
  _id: new ObjectId('66ffbfe83d997f237a6b2009'),
  control: { version: 1, min: { t: new Date(5), v: 1 }, max: { t: new Date(6), v: 2 } },
  meta: 7,
  data: { t: { 0: new Date(5), 1: new Date(6) }, v: { 0: 1, 1: 2 } },
};

describe('a server with a data folder', { timeout: 20_000 }, () => {
  test('has all of its data after it is closed and started again', () =>
    onMachine(async ({ start }) => {
      const first = start();
      await insert(clientOf(first), 1);
      await insert(clientOf(first), 2, journaled);
      await first.close();
      const second = start();
      expect(await idsIn(clientOf(second))).toEqual([1, 2]);
      await second.close();
    }));

  test('has writes acknowledged with j: true or by a majority, and writes that the journal interval saved, after it is killed', () =>
    onMachine(async ({ start, clock }) => {
      const server = start({ journalInterval: 50 });
      const client = clientOf(server);
      await insert(client, 1, journaled);
      await insert(client, 2, { writeConcern: { w: 'majority' } });
      await insert(client, 3);
      await clock.sleep(55);
      await insert(client, 4);
      server.crash();
      await server.restart();
      expect(await idsIn(clientOf(server))).toEqual([1, 2, 3]);
      await server.close();
    }));

  const kinds: readonly (readonly [what: string, make: readonly Document[]])[] = [
    ['plain documents', [{ insert: 'c', documents: [{ _id: 1, a: { b: [1, 2n] } }, { _id: 'x' }] }]],
    ['a capped collection', [{ create: 'c', capped: true, size: 4096, max: 3 }]],
    ['a validator', [{ create: 'c', validator: { $jsonSchema: { required: ['a'] } }, validationLevel: 'moderate' }]],
    ['a view', [{ create: 'c', viewOn: 'd', pipeline: [{ $match: { a: { $gt: 1 } } }] }]],
    [
      'a clustered collection',
      [{ create: 'c', clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 60 }],
    ],
    [
      'a collation',
      [
        { create: 'c', collation: { locale: 'en', strength: 2 } },
        { insert: 'c', documents: [{ _id: 'a' }] },
      ],
    ],
    [
      'indexes of a collection with a collation, and one without',
      [
        { create: 'c', collation: { locale: 'en', strength: 2 } },
        { insert: 'c', documents: [{ _id: 'a', s: 'X' }] },
        {
          createIndexes: 'c',
          indexes: [
            { key: { s: 1 }, name: 'plain', collation: { locale: 'simple' } },
            { key: { n: 1 }, name: 'some', partialFilterExpression: { s: 'x' } },
          ],
        },
      ],
    ],
    ['images', [{ create: 'c', changeStreamPreAndPostImages: { enabled: true } }]],
    [
      'indexes',
      [
        { insert: 'c', documents: [{ _id: 1, a: [1, 2], b: 'x', at: new Date(0) }] },
        {
          createIndexes: 'c',
          indexes: [
            { key: { a: 1, b: -1 }, name: 'both', unique: true },
            { key: { b: 1 }, name: 'some', partialFilterExpression: { b: { $exists: true } } },
            { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 2_000_000_000, hidden: true },
            { key: { c: 'hashed' }, name: 'hashed' },
            { key: { d: 1 }, name: 'sparse', sparse: true, collation: { locale: 'fr' } },
            { key: { e: 'text' }, name: 'text' },
            { key: { f: '2dsphere' }, name: 'sphere' },
            { key: { 'g.$**': 1 }, name: 'wild' },
          ],
        },
      ],
    ],
    [
      'changes by collMod',
      [
        { create: 'c', capped: true, size: 4096 },
        { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] },
        { collMod: 'c', validator: { a: 1 }, cappedMax: 10, index: { name: 'a', hidden: true } },
      ],
    ],
    [
      'a renamed collection',
      [
        { insert: 'd', documents: [{ _id: 1 }] },
        { renameCollection: 'db.d', to: 'db.c' },
      ],
    ],
    [
      'time series with buckets that were written as such',
      [
        { create: 'c', timeseries: { timeField: 't', metaField: 'm' } },
        { insert: 'c', documents: [{ t: new Date(0), m: 1 }] },
        { insert: 'system.buckets.c', documents: [bucket] },
        { delete: 'c', deletes: [{ q: { v: 2 }, limit: 1 }] },
      ],
    ],
  ];

  test.each(kinds)('keeps %s', (_, commands) =>
    onMachine(async ({ start }) => {
      const first = start();
      const client = clientOf(first);
      for (const command of commands)
        expect(await client.plain(command, 'renameCollection' in command ? 'admin' : 'db')).toMatchObject({ ok: 1 });
      const stateOf = async (of: Client): Promise<readonly string[]> => [
        typed((await of.run({ listCollections: 1 })).cursor.firstBatch),
        typed((await of.run({ listIndexes: 'c' })).cursor?.firstBatch),
        typed((await of.run({ find: 'c' })).cursor?.firstBatch),
        typed((await of.run({ find: 'system.buckets.c' })).cursor?.firstBatch),
      ];
      const before = await stateOf(client);
      await first.close();
      const second = start();
      expect(await stateOf(clientOf(second))).toEqual(before);
      await second.close();
      // A second restart has the same data.
      const third = start();
      expect(await stateOf(clientOf(third))).toEqual(before);
      await third.close();
    }),
  );

  test('enforces validators and unique indexes after a restart', () =>
    onMachine(async ({ start }) => {
      const first = start();
      const client = clientOf(first);
      await client.plain({ create: 'c', validator: { a: { $type: 'int' } } });
      await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', unique: true }] });
      await client.plain({ insert: 'c', documents: [{ _id: 1, a: 1 }] });
      await first.close();
      const second = start();
      const again = clientOf(second);
      const codes = async (doc: Document): Promise<unknown> =>
        (await again.plain({ insert: 'c', documents: [doc] })).writeErrors.map(({ code }) => code);
      expect(await codes({ _id: 2, a: 1 })).toEqual([11000]);
      expect(await codes({ _id: 2, a: 'x' })).toEqual([121]);
      await second.close();
    }));

  test('recognizes a retry of a write after a restart', () =>
    onMachine(async ({ start }) => {
      const write = {
        findAndModify: 'c',
        query: { _id: 1 },
        update: { $inc: { n: 1 } },
        upsert: true,
        new: true,
        lsid,
        txnNumber: Long.fromNumber(1),
        ...journaled,
      };
      const server = start({ replicaSet: 'rs0' });
      const first = await clientOf(server).plain(write);
      server.crash();
      await server.restart();
      const second = await clientOf(server).plain(write);
      expect(second).toMatchObject({ value: { _id: 1, n: 1 }, retriedStmtId: 0 });
      expect(first).toMatchObject({ value: { _id: 1, n: 1 } });
      await server.close();
    }));

  test('does not keep its oplog: resuming a change stream after a restart fails with code 286', () =>
    onMachine(async ({ start }) => {
      const first = start({ replicaSet: 'rs0' });
      const watch = (client: Client, options: Document): Promise<Document> =>
        client.plain({ aggregate: 'c', pipeline: [{ $changeStream: options }], cursor: {} });
      const { cursor } = await watch(clientOf(first), {});
      await insert(clientOf(first), 1, journaled);
      const { operationTime } = await clientOf(first).plain({ ping: 1 });
      await first.close();
      const second = start({ replicaSet: 'rs0' });
      const client = clientOf(second);
      for (const options of [{ resumeAfter: cursor['postBatchResumeToken'] }, { startAtOperationTime: operationTime }])
        expect(await watch(client, options)).toMatchObject({ ok: 0, code: 286 });
      const now = await watch(client, {});
      await insert(client, 2);
      const { postBatchResumeToken } = now['cursor'];
      const events = (await watch(client, { resumeAfter: postBatchResumeToken }))['cursor']['firstBatch'];
      expect(events).toMatchObject([{ operationType: 'insert', documentKey: { _id: 2 } }]);
      await second.close();
    }));

  test('as a member of a replica set continues in a later term, and its time does not go back', () =>
    onMachine(async ({ start }) => {
      const placeOf = async (client: Client): Promise<readonly [string, string]> => {
        const reply = await client.run({ insert: 'c', documents: [{}], ...journaled });
        return [typed(reply['electionId']), typed(reply['operationTime'])];
      };
      const first = start({ replicaSet: 'rs0' });
      const before = await placeOf(clientOf(first));
      await first.close();
      const second = start({ replicaSet: 'rs0' });
      const after = await placeOf(clientOf(second));
      expect(after[0] > before[0]).toBe(true);
      expect(after[1] > before[1]).toBe(true);
      await second.close();
    }));

  test('as a member of a replica set keeps the default read and write concern', () =>
    onMachine(async ({ start }) => {
      const first = start({ replicaSet: 'rs0' });
      const client = clientOf(first);
      const set = { setDefaultRWConcern: 1, ...journaled };
      await client.plain({ ...set, defaultReadConcern: { level: 'majority' } }, 'admin');
      const before = await client.plain({ ...set, defaultWriteConcern: { w: 1, wtimeout: 5 } }, 'admin');
      await first.close();
      const second = start({ replicaSet: 'rs0' });
      const again = clientOf(second);
      await insert(again, 1);
      const after = await again.plain({ getDefaultRWConcern: 1 }, 'admin');
      for (const reply of [before, after]) {
        expect(reply).toMatchObject({
          ...{ defaultReadConcern: { level: 'majority' }, defaultReadConcernSource: 'global' },
          ...{ defaultWriteConcern: { w: 1, wtimeout: 5 }, defaultWriteConcernSource: 'global' },
        });
      }
      const [kept] = (await again.plain({ find: 'settings' }, 'config')).cursor.firstBatch;
      expect(kept).toEqual({
        _id: 'ReadWriteConcernDefaults',
        defaultReadConcern: { level: 'majority' },
        defaultWriteConcern: { w: 1, wtimeout: 5 },
        updateOpTime: (after as Document)['updateOpTime'],
        updateWallClockTime: (after as Document)['updateWallClockTime'],
      });
      await second.close();
    }));

  test('rejects a folder that another server uses', () =>
    onMachine(async ({ start }) => {
      const first = start();
      await insert(clientOf(first), 1);
      await expect(start().listen('db:1')).rejects.toThrow('The folder /data is in use by another.');
      expect(await clientOf(start()).refusal({ find: 'c' })).toMatch(/The folder \/data is in use by another\.$/);
      await first.close();
    }));

  test('does not write to the disk for reads and writes that change nothing', () =>
    onMachine(async ({ start, disk }) => {
      const server = start();
      const client = clientOf(server);
      await insert(client, 1, journaled);
      disk.trouble = 'failed';
      expect(await client.plain({ find: 'c', writeConcern: undefined })).toMatchObject({ ok: 1 });
      expect(await client.plain({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }], ...journaled })).toEqual({
        n: 0,
        ok: 1,
      });
      disk.trouble = undefined;
      await server.close();
    }));
});

describe('a disk without room', () => {
  const full = async ({ start, disk, clock }: Machine, options: object): Promise<void> => {
    const server = start(options);
    const client = clientOf(server);
    await insert(client, 1, journaled);
    disk.capacity = 0;
    const reply = await insert(client, 2, journaled);
    expect(reply).toMatchObject({
      ok: 1,
      n: 1,
      writeConcernError: {
        code: 14031,
        codeName: 'OutOfDiskSpace',
        errmsg: '/data/data could not be written: the disk is full.',
      },
    });
    expect(await insert(client, 3)).toMatchObject({ ok: 0, code: 14031, codeName: 'OutOfDiskSpace' });
    expect(await idsIn(client)).toEqual([1, 2]);
    disk.capacity = Number.POSITIVE_INFINITY;
    await clock.sleep(1100);
    expect(await insert(client, 4, journaled)).toMatchObject({ ok: 1, n: 1 });
    server.crash();
    disk.crash();
    await server.restart();
    expect(await idsIn(clientOf(server))).toEqual([1, 2, 4]);
    await server.close();
  };

  test('fails writes like mongod, allows reads, and accepts writes again once there is room', () =>
    onMachine(machine => full(machine, {})));

  test('fails writes in the same way on a replica set member', () =>
    onMachine(machine => full(machine, { replicaSet: 'rs0' })));

  test('with another error fails writes with code 39', () =>
    onMachine(async ({ start, disk, clock }) => {
      const server = start();
      const client = clientOf(server);
      await insert(client, 1, journaled);
      disk.trouble = 'denied';
      expect(await insert(client, 2)).toMatchObject({ ok: 1 });
      await clock.sleep(200);
      expect(await insert(client, 3)).toMatchObject({ ok: 0, code: 39, codeName: 'FileStreamFailed' });
      disk.trouble = undefined;
      await clock.sleep(1100);
      expect(await insert(client, 3)).toMatchObject({ ok: 1 });
      await server.close();
    }));
});

describe('the data file at startup', () => {
  const contentOf = async ({ disk }: Machine): Promise<Uint8Array> => {
    const folder = await disk.openFolder('/data');
    const file = await folder.openFile('data');
    const content = await file.read(0, await file.size());
    await file.close();
    await folder.close();
    return content;
  };
  const replace = async ({ disk }: Machine, content: Uint8Array): Promise<void> => {
    const folder = await disk.openFolder('/data');
    const file = await folder.openFile('data');
    await file.truncate(0);
    await file.append(content);
    await file.sync();
    await file.close();
    await folder.close();
  };
  const written = async (machine: Machine): Promise<Uint8Array> => {
    const server = machine.start();
    for (const _id of [1, 2, 3]) await insert(clientOf(server), _id, journaled);
    await server.close();
    return contentOf(machine);
  };

  test('is truncated and reported if its end is torn, with file, position and length', () =>
    onMachine(async machine => {
      const content = await written(machine);
      await replace(machine, content.subarray(0, content.length - 5));
      const server = machine.start();
      expect(await idsIn(clientOf(server))).toEqual([1, 2]);
      expect(machine.reports).toHaveLength(1);
      const [, bytes, end] =
        /^\/data\/data: removed the last (\d+) bytes, from byte (\d+) on, which belong to an incomplete commit\. No write that was acknowledged as journaled is lost\.$/.exec(
          machine.reports[0]!,
        )!;
      expect(Number(bytes) + Number(end)).toBe(content.length - 5);
      await server.close();
      expect((await contentOf(machine)).length).toBe(Number(end));
    }));

  test('that is damaged before its end is an error that says what to do, and is left unchanged', () =>
    onMachine(async machine => {
      const content = await written(machine);
      content[60]! ^= 1;
      await replace(machine, content);
      await expect(machine.start().listen('db:1')).rejects.toThrow(
        /^\/data\/data is damaged at byte \d+, and acknowledged commits follow\. Nothing was changed\. Restore a copy of the file\. To continue with its first \d commits? and lose the later ones, make a copy and truncate the file: truncate -s \d+ \/data\/data$/,
      );
      expect(await contentOf(machine)).toEqual(content);
    }));

  test('that another program wrote is left unchanged', () =>
    onMachine(async machine => {
      const content = new TextEncoder().encode('a letter to somebody, and no data file at all');
      await replace(machine, content);
      await expect(machine.start().listen('db:1')).rejects.toThrow('/data/data is not a data file of this server');
      expect(await contentOf(machine)).toEqual(content);
    }));
});

describe('a data file of more than twice the size of its data', () => {
  const sizeOf = async ({ disk }: Machine): Promise<number> => {
    const folder = await disk.openFolder('/data');
    const file = await folder.openFile('data');
    const size = await file.size();
    await file.close();
    expect(await folder.list()).toEqual(['data']);
    await folder.close();
    return size;
  };
  const grow = async (client: Client, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const updates = [{ q: { _id: 1 }, u: { $set: { n, filling: 'x'.repeat(1000) } }, upsert: true }];
      expect(await client.plain({ update: 'c', updates, ...journaled })).toMatchObject({ ok: 1, n: 1 });
    }
  };

  test('is rewritten with the current data only', () =>
    onMachine(async machine => {
      const server = machine.start({}, { slack: 10_000 });
      await grow(clientOf(server), 200);
      await machine.clock.sleep(100);
      await server.close();
      expect(await sizeOf(machine)).toBeLessThan(20_000);
      const again = machine.start();
      expect((await clientOf(again).plain({ find: 'c' })).cursor.firstBatch).toMatchObject([{ _id: 1, n: 199 }]);
      await again.close();
    }));

  test('is kept if there is no room for a rewritten file', () =>
    onMachine(async machine => {
      const opened: string[] = [];
      const files: Files = {
        openFolder: async path => {
          const folder = await machine.disk.openFolder(path);
          return { ...folder, openFile: name => (opened.push(name), folder.openFile(name)) };
        },
      };
      const server = machine.start({}, { slack: 100, files });
      const client = clientOf(server);
      await client.plain({ insert: 'd', documents: [{ filling: 'x'.repeat(30_000) }], ...journaled });
      // Room for the writes, but not for a second copy of the data.
      machine.disk.capacity = 85_000;
      opened.length = 0;
      await grow(client, 45);
      expect(opened).toContain('data.new');
      machine.disk.capacity = Number.POSITIVE_INFINITY;
      await server.close();
      expect(await sizeOf(machine)).toBeGreaterThan(75_000);
      const again = machine.start();
      expect((await clientOf(again).plain({ find: 'c' })).cursor.firstBatch).toMatchObject([{ _id: 1, n: 44 }]);
      await again.close();
    }));
});
