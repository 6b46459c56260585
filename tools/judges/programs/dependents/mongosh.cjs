// The service provider of MongoDB's shell.
'use strict';
const { EventEmitter } = require('node:events');
const provider = require('@mongosh/service-provider-node-driver');
const { uri, isSet, step, done, thrownBy } = require('./report.cjs');

const { NodeDriverServiceProvider } = provider;

(async () => {
  const shell = await NodeDriverServiceProvider.connect(
    uri,
    { productDocsLink: 'https://example.com', productName: 'program' },
    {},
    new EventEmitter(),
  );
  await shell.dropDatabase('shell');
  await step('crud', async () => [
    (await shell.insertOne('shell', 'c', { _id: 1, a: 1 })).insertedId,
    (await shell.insertMany('shell', 'c', [{ _id: 2 }, { _id: 3 }])).insertedCount,
    await shell.find('shell', 'c', {}, { sort: { _id: 1 } }).toArray(),
    (await shell.updateMany('shell', 'c', {}, { $inc: { a: 1 } })).modifiedCount,
    (await shell.findOneAndUpdate('shell', 'c', { _id: 1 }, { $set: { b: 1 } }, { returnDocument: 'after' })).value,
    await shell.countDocuments('shell', 'c', {}),
    await shell.aggregate('shell', 'c', [{ $match: { _id: 2 } }]).toArray(),
    await shell.distinct('shell', 'c', '_id'),
    (await shell.bulkWrite('shell', 'c', [{ deleteOne: { filter: { _id: 3 } } }], {})).deletedCount,
    (await shell.deleteMany('shell', 'c', {})).deletedCount,
  ]);
  await step('a duplicate', () => shell.insertMany('shell', 'c', [{ _id: 1 }, { _id: 1 }]));
  await step('commands', async () => [
    (await shell.runCommand('shell', { ping: 1 })).ok,
    await thrownBy(() => shell.runCommandWithCheck('shell', { nope: 1 })),
    (await shell.listDatabases('shell', { nameOnly: true })).databases.some(({ name }) => name === 'shell'),
    (await shell.listCollections('shell', {}, { nameOnly: true })).map(({ name }) => name),
    await shell.createIndexes('shell', 'c', [{ key: { a: 1 } }]),
    (await shell.getIndexes('shell', 'c')).map(({ name }) => name),
    await shell.dropCollection('shell', 'c'),
  ]);
  await step('information', async () => {
    const info = await shell.getConnectionInfo();
    return [
      shell.initialDb,
      shell.getURI() === uri,
      typeof info.buildInfo.version,
      shell.getReadPreference().mode,
      shell.getFleOptions(),
    ];
  });
  if (isSet)
    await step('sessions and streams', async () => {
      const session = shell.startSession({});
      session.startTransaction();
      await shell.insertOne('shell', 't', { _id: 1 }, { session });
      await session.abortTransaction();
      await session.endSession();
      const stream = shell.watch([], {}, {}, 'shell', 't');
      const next = stream.tryNext();
      await next;
      await stream.close();
      return shell.countDocuments('shell', 't', {});
    });
  await step('close', async () => {
    await shell.close(true);
    return thrownBy(() => shell.runCommand('shell', { ping: 1 }));
  });
  done();
})();
