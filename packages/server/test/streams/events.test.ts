import { UUID } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Row, World } from '../client.js';
import { kinds, set, watch } from './stream.js';

const run = async ({ client }: World, ...commands: readonly Document[]): Promise<void> => {
  for (const command of commands) {
    const db = 'renameCollection' in command ? 'admin' : 'db';
    expect(await client.plain(command, db)).toMatchObject({ ok: 1 });
  }
};

/** Removes the fields whose values differ from run to run. */
const plainly = ({ _id: _, clusterTime: __, wallTime: ___, collectionUUID: ____, ...event }: Row): Document => event;

const insert = (...documents: readonly Document[]): Document => ({ insert: 'c', documents });
const ns = { db: 'db', coll: 'c' };

describe('change events have their fields in the order of mongod', () => {
  const order = async (version: string, options: Document, ...commands: readonly Document[]): Promise<unknown> => {
    const world = set({ version });
    await run(world, insert({ _id: 1, a: 1 }));
    const stream = await watch(world, options);
    await run(world, ...commands);
    return (await stream.more()).map(event => Object.keys(event));
  };

  test('for documents', async () => {
    const options = { fullDocument: 'updateLookup', fullDocumentBeforeChange: 'whenAvailable' };
    const events = await order(
      '8.2.1',
      options,
      insert({ _id: 2 }),
      { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 2 } } }] },
      { update: 'c', updates: [{ q: { _id: 1 }, u: { b: 1 } }] },
      { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] },
    );
    const start = ['_id', 'operationType', 'clusterTime', 'wallTime'];
    expect(events).toEqual([
      [...start, 'fullDocument', 'ns', 'documentKey'],
      [...start, 'fullDocument', 'ns', 'documentKey', 'updateDescription', 'fullDocumentBeforeChange'],
      [...start, 'fullDocument', 'ns', 'documentKey', 'fullDocumentBeforeChange'],
      [...start, 'ns', 'documentKey', 'fullDocumentBeforeChange'],
    ]);
  });

  test('for collections, with showExpandedEvents', async () => {
    const events = await order(
      '8.2.1',
      { showExpandedEvents: true },
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
      { collMod: 'c', index: { name: 'a_1', hidden: true } },
      { renameCollection: 'db.c', to: 'db.d' },
    );
    const start = ['_id', 'operationType', 'clusterTime', 'collectionUUID', 'wallTime'];
    expect(events).toEqual([
      [...start, 'ns', 'operationDescription'],
      [...start, 'ns', 'operationDescription', 'stateBeforeChange'],
      ['to', ...start, 'ns', 'operationDescription'],
      ['_id', 'operationType', 'clusterTime', 'wallTime'],
    ]);
  });

  test('with wallTime from version 6.0 on', async () => {
    const events = await order('5.0.0', {}, insert({ _id: 2 }), { drop: 'c' });
    expect(events).toEqual([
      ['_id', 'operationType', 'clusterTime', 'fullDocument', 'ns', 'documentKey'],
      ['_id', 'operationType', 'clusterTime', 'ns'],
      ['_id', 'operationType', 'clusterTime'],
    ]);
  });
});

describe('a change stream reports', () => {
  test('inserts, updates, replacements and deletes, with namespace, document key and time', async () => {
    const world = set();
    const stream = await watch(world);
    await run(world, insert({ _id: 1, a: 1 }, { _id: 2 }));
    const { operationTime } = await world.client.plain({ ping: 1 });
    await run(
      world,
      { update: 'c', updates: [{ q: {}, u: { $inc: { a: 1 } }, multi: true }] },
      { findAndModify: 'c', query: { _id: 2 }, update: { b: 1 } },
      { delete: 'c', deletes: [{ q: {}, limit: 0 }] },
    );
    const events = await stream.more();
    expect(events.map(plainly)).toEqual([
      { operationType: 'insert', fullDocument: { _id: 1, a: 1 }, ns, documentKey: { _id: 1 } },
      { operationType: 'insert', fullDocument: { _id: 2 }, ns, documentKey: { _id: 2 } },
      {
        operationType: 'update',
        ns,
        documentKey: { _id: 1 },
        updateDescription: { updatedFields: { a: 2 }, removedFields: [], truncatedArrays: [] },
      },
      {
        operationType: 'update',
        ns,
        documentKey: { _id: 2 },
        updateDescription: { updatedFields: { a: 1 }, removedFields: [], truncatedArrays: [] },
      },
      { operationType: 'replace', fullDocument: { _id: 2, b: 1 }, ns, documentKey: { _id: 2 } },
      { operationType: 'delete', ns, documentKey: { _id: 1 } },
      { operationType: 'delete', ns, documentKey: { _id: 2 } },
    ]);
    expect(events[0]!['clusterTime']).toEqual(operationTime);
    expect(events[0]!['wallTime']).toEqual(new Date(1_700_000_001_000));
  });

  test('neither writes that change nothing nor writes to other collections', async () => {
    const world = set();
    await run(world, insert({ _id: 1, a: 1 }));
    const stream = await watch(world);
    await run(
      world,
      { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] },
      { insert: 'other', documents: [{}] },
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
      { collMod: 'c', index: { name: 'a_1', hidden: true } },
      { dropIndexes: 'c', index: 'a_1' },
    );
    expect(await stream.more()).toEqual([]);
  });

  test('inserts by upsert and writes of $merge', async () => {
    const world = set();
    await run(world, { insert: 'source', documents: [{ _id: 1 }] });
    const stream = await watch(world);
    await run(
      world,
      { update: 'c', updates: [{ q: { _id: 7 }, u: { $set: { a: 1 } }, upsert: true }] },
      { aggregate: 'source', pipeline: [{ $merge: 'c' }], cursor: {} },
    );
    expect((await stream.more()).map(plainly)).toEqual([
      { operationType: 'insert', fullDocument: { _id: 7, a: 1 }, ns, documentKey: { _id: 7 } },
      { operationType: 'insert', fullDocument: { _id: 1 }, ns, documentKey: { _id: 1 } },
    ]);
  });

  test('the drop of its collection, then closes: the last batch has no cursor', async () => {
    const world = set();
    await run(world, insert({ _id: 1 }));
    const stream = await watch(world);
    await run(world, { drop: 'c' });
    const events = await stream.more();
    expect(events.map(plainly)).toEqual([{ operationType: 'drop', ns }, { operationType: 'invalidate' }]);
    expect([stream.open, stream.token]).toEqual([false, events[1]!._id]);
  });

  test('the rename of its collection, or onto it, then closes', async () => {
    const world = set();
    await run(world, insert({ _id: 1 }), { insert: 'd', documents: [{}] });
    const [from, onto] = [await watch(world), await watch(world, {}, { of: 'd' })];
    await run(world, { renameCollection: 'db.c', to: 'db.d', dropTarget: true });
    const rename = { operationType: 'rename', ns, to: { db: 'db', coll: 'd' } };
    expect((await from.more()).map(plainly)).toEqual([rename, { operationType: 'invalidate' }]);
    expect((await onto.more()).map(plainly)).toEqual([rename, { operationType: 'invalidate' }]);
  });
});

describe('with showExpandedEvents, a change stream reports', () => {
  const expanded = async (commands: readonly Document[], version = '8.2.1'): Promise<readonly Document[]> => {
    const world = set({ version });
    const stream = await watch(world, { showExpandedEvents: true }, { of: 1 });
    await run(world, ...commands);
    const events = await stream.more();
    for (const { collectionUUID } of events as readonly Document[]) {
      if (collectionUUID !== undefined) expect(collectionUUID).toBeInstanceOf(UUID);
    }
    return events.map(plainly);
  };

  const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };

  test('created collections, explicit and implicit', async () => {
    const create = { create: 'c', capped: true, size: 256 };
    expect(await expanded([create, { insert: 'd', documents: [{ _id: 1 }] }])).toEqual([
      {
        operationType: 'create',
        ns,
        operationDescription: { capped: true, size: 256, idIndex },
        nsType: 'collection',
      },
      { operationType: 'create', ns: { db: 'db', coll: 'd' }, operationDescription: { idIndex }, nsType: 'collection' },
      { operationType: 'insert', fullDocument: { _id: 1 }, ns: { db: 'db', coll: 'd' }, documentKey: { _id: 1 } },
    ]);
    expect((await expanded([create], '8.0.0'))[0]).not.toHaveProperty('nsType');
  });

  test('views with viewOn and pipeline', async () => {
    const view = { create: 'v', viewOn: 'c', pipeline: [{ $match: { a: 1 } }] };
    expect(await expanded([view, { collMod: 'v', viewOn: 'd', pipeline: [] }, { drop: 'v' }])).toEqual([
      {
        operationType: 'create',
        ns: { db: 'db', coll: 'v' },
        operationDescription: { viewOn: 'c', pipeline: [{ $match: { a: 1 } }] },
        nsType: 'view',
      },
      { operationType: 'modify', ns: { db: 'db', coll: 'v' }, operationDescription: { viewOn: 'd', pipeline: [] } },
      { operationType: 'drop', ns: { db: 'db', coll: 'v' } },
    ]);
  });

  test('created and dropped indexes, and modifications with the previous state', async () => {
    const index = { v: 2, key: { a: 1 }, name: 'a_1' };
    const events = await expanded([
      { create: 'c' },
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
      { collMod: 'c', index: { name: 'a_1', hidden: true } },
      { collMod: 'c', changeStreamPreAndPostImages: { enabled: true } },
      { collMod: 'c' },
      { dropIndexes: 'c', index: 'a_1' },
    ]);
    const uuid = expect.any(UUID) as unknown;
    expect(events.slice(1)).toEqual([
      { operationType: 'createIndexes', ns, operationDescription: { indexes: [index] } },
      {
        operationType: 'modify',
        ns,
        operationDescription: { index: { name: 'a_1', hidden: true } },
        stateBeforeChange: { collectionOptions: { uuid }, indexOptions: { hidden: false } },
      },
      {
        operationType: 'modify',
        ns,
        operationDescription: { changeStreamPreAndPostImages: { enabled: true } },
        stateBeforeChange: { collectionOptions: { uuid } },
      },
      {
        operationType: 'modify',
        ns,
        operationDescription: {},
        stateBeforeChange: { collectionOptions: { uuid, changeStreamPreAndPostImages: { enabled: true } } },
      },
      { operationType: 'dropIndexes', ns, operationDescription: { indexes: [{ ...index, hidden: true }] } },
    ]);
  });

  test('renames with the UUID of the dropped target', async () => {
    const events = await expanded([
      { create: 'c' },
      { create: 'd' },
      { renameCollection: 'db.c', to: 'db.d', dropTarget: true },
    ]);
    const to = { db: 'db', coll: 'd' };
    expect(events[2]).toEqual({
      to,
      operationType: 'rename',
      ns,
      operationDescription: { to, dropTarget: expect.any(UUID) as unknown },
    });
  });
});

describe('a change stream on', () => {
  test('a database reports its collections except system collections, and closes when the database is dropped', async () => {
    const world = set();
    const stream = await watch(world, {}, { of: 1 });
    await run(world, insert({ _id: 1 }), { insert: 'system.js', documents: [{ _id: 1 }] });
    await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] }, 'elsewhere');
    await run(world, { create: 'v', viewOn: 'c' }, { dropDatabase: 1 });
    expect((await stream.more()).map(plainly)).toEqual([
      { operationType: 'insert', fullDocument: { _id: 1 }, ns, documentKey: { _id: 1 } },
      { operationType: 'drop', ns },
      { operationType: 'dropDatabase', ns: { db: 'db' } },
      { operationType: 'invalidate' },
    ]);
    expect(stream.open).toBe(false);
  });

  test('the deployment reports every database except internal ones, and stays open', async () => {
    const world = set();
    const stream = await watch(world, { allChangesForCluster: true }, { db: 'admin', of: 1 });
    for (const db of ['db', 'admin', 'config', 'local', 'other']) {
      await world.client.plain({ insert: 'c', documents: [{ _id: db }] }, db);
    }
    await run(world, { dropDatabase: 1 });
    expect((await stream.more()).map(plainly)).toEqual([
      { operationType: 'insert', fullDocument: { _id: 'db' }, ns, documentKey: { _id: 'db' } },
      {
        operationType: 'insert',
        fullDocument: { _id: 'other' },
        ns: { db: 'other', coll: 'c' },
        documentKey: { _id: 'other' },
      },
      { operationType: 'drop', ns },
      { operationType: 'dropDatabase', ns: { db: 'db' } },
    ]);
    expect(stream.open).toBe(true);
  });
});

describe('the stages after $changeStream', () => {
  test('filter and reshape events, with the collation of the command', async () => {
    const world = set();
    const pipeline = [
      { $match: { 'fullDocument.a': 'ÄRGER' } },
      { $addFields: { seen: true } },
      { $project: { ns: 0 } },
    ];
    const collation = { locale: 'de', strength: 1 };
    const stream = await watch(world, {}, { pipeline, more: { collation } });
    await run(world, insert({ _id: 1, a: 'arger' }, { _id: 2, a: 'b' }));
    expect((await stream.more()).map(plainly)).toEqual([
      { operationType: 'insert', fullDocument: { _id: 1, a: 'arger' }, documentKey: { _id: 1 }, seen: true },
    ]);
  });

  test('cannot filter out the invalidation', async () => {
    const world = set();
    await run(world, insert({ _id: 1 }));
    const stream = await watch(world, {}, { pipeline: [{ $match: { operationType: 'insert' } }] });
    await run(world, { drop: 'c' });
    expect([await stream.more(), stream.open, kinds(stream.first)]).toEqual([[], false, []]);
  });
});
