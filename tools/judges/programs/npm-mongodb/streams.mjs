import assert from 'node:assert/strict';
import { check, skip } from './checks.mjs';
import { hasLog, isSet, noLog, noStepDown, stepDown } from './deployment.mjs';

/** @param {import('mongodb').MongoClient} client @param {import('mongodb').Db} db */
export async function streams(client, db) {
  const fresh = async name => {
    await db
      .collection(name)
      .drop()
      .catch(() => undefined);
    return db.createCollection(name);
  };
  const whenLogged = (name, work) => (hasLog ? check(name, work) : skip(name, noLog));
  /** How long a getMore of a stream waits for an event. */
  const soon = { maxAwaitTimeMS: 200 };
  /** Opens a stream on the server, so that it returns all later changes. */
  const opened = async stream => {
    await stream.tryNext();
    return stream;
  };
  const fieldsOf = ({ operationType, documentKey, fullDocument }) => [operationType, documentKey._id, fullDocument];

  await whenLogged('a change stream returns inserts, updates, replacements and deletes', async () => {
    const c = await fresh('watched');
    const stream = await opened(c.watch([], { ...soon, fullDocument: 'updateLookup' }));
    await c.insertOne({ _id: 1, n: 1 });
    await c.updateOne({ _id: 1 }, { $set: { n: 2 } });
    await c.replaceOne({ _id: 1 }, { m: 3 });
    await c.deleteOne({ _id: 1 });
    const events = [];
    for (let i = 0; i < 4; i++) events.push(await stream.next());
    await stream.close();
    assert.deepEqual(
      events.map(({ operationType }) => operationType),
      ['insert', 'update', 'replace', 'delete'],
    );
    assert.deepEqual(events[0].ns, { db: db.databaseName, coll: 'watched' });
    assert.deepEqual(events[1].updateDescription.updatedFields, { n: 2 });
    assert.deepEqual(fieldsOf(events[2]), ['replace', 1, { _id: 1, m: 3 }]);
  });

  await whenLogged('a resumed change stream continues after its token', async () => {
    const c = await fresh('resumed');
    const first = await opened(c.watch([], soon));
    await c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    const { _id: token } = await first.next();
    await first.close();
    const second = c.watch([], { resumeAfter: token });
    assert.deepEqual(fieldsOf(await second.next()), ['insert', 2, { _id: 2 }]);
    assert.deepEqual(fieldsOf(await second.next()), ['insert', 3, { _id: 3 }]);
    await second.close();
    const third = c.watch([{ $match: { 'fullDocument._id': 3 } }], { startAfter: token });
    assert.deepEqual(fieldsOf(await third.next()), ['insert', 3, { _id: 3 }]);
    await third.close();
  });

  await whenLogged('change streams of a database and of the deployment return changes', async () => {
    const c = await fresh('wide');
    const [ofDb, ofAll] = [await opened(db.watch([], soon)), await opened(client.watch([], soon))];
    await c.insertOne({ _id: 1 });
    for (const stream of [ofDb, ofAll]) {
      assert.deepEqual(fieldsOf(await stream.next()), ['insert', 1, { _id: 1 }]);
      await stream.close();
    }
  });

  await whenLogged('a change stream ends after its collection is dropped', async () => {
    const c = await fresh('dropped');
    const stream = await opened(c.watch([], soon));
    await c.drop();
    assert.deepEqual(
      [(await stream.next()).operationType, (await stream.next()).operationType],
      ['drop', 'invalidate'],
    );
    await stream.close();
  });

  const over = 'a change stream continues after a step-down';
  if (!isSet) return skip(over, noStepDown);
  await check(over, async () => {
    const c = await fresh('survived');
    const stream = await opened(c.watch([], soon));
    await c.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
    assert.deepEqual(fieldsOf(await stream.next()), ['insert', 1, { _id: 1 }]);
    await stepDown(client);
    await c.insertOne({ _id: 2 }, { writeConcern: { w: 'majority' } });
    assert.deepEqual(fieldsOf(await stream.next()), ['insert', 2, { _id: 2 }]);
    await stream.close();
  });
}
