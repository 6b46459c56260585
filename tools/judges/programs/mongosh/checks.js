// Checks commands that users type into mongosh, which runs this file on the deployment of its command line.
const topology = process.env.TOPOLOGY ?? 'standalone';
const isSet = topology.startsWith('replicaset');
const hasLog = topology !== 'standalone';
const noLog = 'a standalone server has no oplog';
const noStepDown = 'only a member of a replica set can step down';
const here = db.getSiblingDB('peers');

const text = value => EJSON.stringify(value, { relaxed: true });
const equal = (found, expected) => {
  if (text(found) !== text(expected)) throw new Error(`Found ${text(found)}, expected ${text(expected)}.`);
};
const thrownBy = work => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('The call did not throw.');
};
/** Polls, because cursors of the shell wait only briefly. */
const nextOf = stream => {
  for (let i = 0; i < 100; i++) {
    const event = stream.tryNext();
    if (event !== null) return event;
  }
  throw new Error('The change stream returned no event.');
};
const check = (name, work) => {
  try {
    work();
    print(`passed ${name}`);
  } catch (error) {
    print(`failed ${name}: ${String(error.message).split('\n')[0]}`);
  }
};
const when = (possible, reason, name, work) => (possible ? check(name, work) : print(`skipped ${name}: ${reason}`));
const fresh = name => {
  here.getCollection(name).drop();
  here.createCollection(name);
  return here.getCollection(name);
};
const stepDown = () => {
  sleep(1100);
  try {
    db.adminCommand({ replSetStepDown: 1, force: true });
  } catch (error) {
    if (!/not primary|closed|connection/i.test(error.message)) throw error;
  }
};

check('documents are written and read', () => {
  const c = fresh('crud');
  equal(
    c.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: Long('2') },
      { _id: 3, n: Decimal128('3') },
    ]).insertedIds,
    { 0: 1, 1: 2, 2: 3 },
  );
  equal(
    c
      .find({ n: { $gte: 2 } }, { n: 0 })
      .sort({ _id: -1 })
      .toArray(),
    [{ _id: 3 }, { _id: 2 }],
  );
  const updated = c.updateMany({}, { $inc: { n: 1 } });
  equal([updated.matchedCount, updated.modifiedCount], [3, 3]);
  equal(c.findOneAndReplace({ _id: 1 }, { m: 1 }, { returnDocument: 'after' }), { _id: 1, m: 1 });
  equal(c.deleteMany({ _id: { $gt: 1 } }).deletedCount, 2);
  equal(c.countDocuments(), 1);
  equal(thrownBy(() => c.insertOne({ _id: 1 })).code, 11000);
});

check('bulk writes', () => {
  const c = fresh('bulk');
  const bulk = c.initializeUnorderedBulkOp();
  bulk.insert({ _id: 1, n: 1 });
  bulk
    .find({ _id: 2 })
    .upsert()
    .updateOne({ $set: { n: 2 } });
  bulk.find({ n: 1 }).deleteOne();
  const result = bulk.execute();
  equal([result.insertedCount, result.upsertedCount], [1, 1]);
  const error = thrownBy(() =>
    c.bulkWrite([{ insertOne: { document: { _id: 2 } } }, { insertOne: { document: { _id: 3 } } }]),
  );
  equal([error.writeErrors.length, c.countDocuments({ _id: 3 })], [1, 0]);
});

check('cursors, aggregations and explain', () => {
  const c = fresh('cursor');
  c.insertMany(Array.from({ length: 130 }, (_, _id) => ({ _id, kind: _id % 2 ? 'odd' : 'even' })));
  equal(c.find().batchSize(7).toArray().length, 130);
  const grouped = c.aggregate([{ $group: { _id: '$kind', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray();
  equal(grouped, [
    { _id: 'even', n: 65 },
    { _id: 'odd', n: 65 },
  ]);
  if (c.find({ _id: 1 }).explain().queryPlanner === undefined) throw new Error('The reply to explain has no plan.');
});

check('collections, indexes and views', () => {
  const c = fresh('made');
  equal(c.createIndex({ a: 1 }, { unique: true }), 'a_1');
  equal(
    c.getIndexes().map(({ name }) => name),
    ['_id_', 'a_1'],
  );
  here.getCollection('seen').drop();
  here.createView('seen', 'made', [{ $project: { _id: 0 } }]);
  c.insertOne({ _id: 1, a: 1 });
  equal(here.getCollection('seen').findOne(), { a: 1 });
  equal(here.getCollectionNames().includes('made'), true);
  equal(c.stats().count, 1);
  c.renameCollection('renamed', true);
  here.getCollection('seen').drop();
  here.getCollection('renamed').drop();
  if (!show('dbs', 'peers')) throw new Error('The database peers does not exist.');
});

function show(_what, name) {
  return db.adminCommand({ listDatabases: 1, nameOnly: true }).databases.some(each => each.name === name);
}

check('the server reports its version and parameters', () => {
  equal(db.version().split('.').length, 3);
  equal(db.hello().ok, 1);
  equal(db.serverStatus().ok, 1);
  equal(db.adminCommand({ getParameter: 1, featureCompatibilityVersion: 1 }).ok, 1);
});

const uri = process.env.MONGODB_URI;
const anonymous = uri.replace(/\/\/[^@/]*@/, '//').replace(/[?&]authSource=admin/, '');
const as = (name, password, mechanism) =>
  `${anonymous.replace('//', `//${name}:${password}@`)}${anonymous.includes('?') ? '&' : '?'}authSource=admin` +
  (mechanism === undefined ? '' : `&authMechanism=${mechanism}`);
const whoIs = address =>
  new Mongo(address).getDB('admin').runCommand({ connectionStatus: 1 }).authInfo.authenticatedUsers;

for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-1'])
  check(`${mechanism} accepts the right password and rejects a wrong one`, () => {
    const admin = db.getSiblingDB('admin');
    if (admin.getUser('shell') !== null) admin.dropUser('shell');
    admin.createUser({ user: 'shell', pwd: 'secret', roles: ['readWriteAnyDatabase'], mechanisms: [mechanism] });
    equal(admin.getUser('shell').roles, [{ role: 'readWriteAnyDatabase', db: 'admin' }]);
    for (const how of [mechanism, undefined])
      equal(whoIs(as('shell', 'secret', how)), [{ user: 'shell', db: 'admin' }]);
    equal(thrownBy(() => whoIs(as('shell', 'wrong', mechanism))).code, 18);
    admin.dropUser('shell');
  });

when(uri.includes('tls=true'), 'the deployment does not use TLS', 'the server accepts only TLS', () => {
  const soon = '&serverSelectionTimeoutMS=2000';
  const open = uri.replace('tls=true', 'tls=false').replace(/&tls(?:CAFile|CertificateKeyFile)=[^&]*/g, '');
  thrownBy(() => whoIs(open + soon));
  const { message } = thrownBy(() => whoIs(uri.replace(/&tlsCAFile=[^&]*/, '') + soon));
  if (!/certificate|self.signed/.test(message)) throw new Error(`The connection failed for another reason: ${message}`);
  whoIs(uri);
});

print('skipped GridFS stores, renames and deletes a file: the shell has no GridFS');

when(hasLog, noLog, 'a transaction commits and another one aborts', () => {
  fresh('txn');
  const session = db.getMongo().startSession();
  const inside = session.getDatabase('peers').txn;
  session.startTransaction();
  inside.insertOne({ _id: 1 });
  equal(here.txn.countDocuments(), 0);
  session.commitTransaction();
  session.startTransaction();
  inside.insertOne({ _id: 2 });
  session.abortTransaction();
  equal(here.txn.find().toArray(), [{ _id: 1 }]);
  session.endSession();
});

when(isSet, noStepDown, 'a transaction with a step-down is carried out once', () => {
  const c = fresh('failover');
  const session = db.getMongo().startSession();
  let attempts = 0;
  session.withTransaction(() => {
    attempts += 1;
    session.getDatabase('peers').failover.insertOne({ attempt: attempts });
    if (attempts === 1) stepDown();
    session.getDatabase('peers').failover.insertOne({ done: true });
  });
  equal([attempts > 1, c.countDocuments()], [true, 2]);
  session.endSession();
});

when(hasLog, noLog, 'a change stream returns changes and resumes', () => {
  const c = fresh('watched');
  const stream = c.watch();
  stream.tryNext();
  c.insertMany([{ _id: 1 }, { _id: 2 }]);
  const event = nextOf(stream);
  equal([event.operationType, event.fullDocument], ['insert', { _id: 1 }]);
  stream.close();
  const resumed = c.watch([], { resumeAfter: event._id });
  equal(nextOf(resumed).fullDocument, { _id: 2 });
  resumed.close();
});

when(isSet, noStepDown, 'a change stream continues after a step-down', () => {
  const c = fresh('survived');
  const stream = c.watch();
  stream.tryNext();
  c.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
  equal(nextOf(stream).fullDocument, { _id: 1 });
  stepDown();
  c.insertOne({ _id: 2 }, { writeConcern: { w: 'majority' } });
  equal(nextOf(stream).fullDocument, { _id: 2 });
  stream.close();
});

when(isSet, noStepDown, 'the shell shows the status of a replica set', () => {
  const { members } = rs.status();
  equal(members.filter(({ stateStr }) => stateStr === 'PRIMARY').length, 1);
  equal(rs.conf().members.length, members.length);
});

print('done');
