'use strict';
const { step, thrownBy, uri } = require('../report.cjs');

const nowhere = 'mongodb://127.0.0.1:1/nowhere';

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const { MongoClient } = mongoose.mongo;
  const note = () => new Schema({ text: String });
  const events = [
    'connecting',
    'connected',
    'open',
    'disconnecting',
    'disconnected',
    'close',
    'reconnected',
    'error',
    'fullsetup',
    'all',
  ];
  const watched = connection => {
    const seen = [];
    for (const event of events) connection.on(event, () => seen.push(event));
    return seen;
  };

  await step('createConnection', async () => {
    const connection = mongoose.createConnection();
    const seen = watched(connection);
    const Note = connection.model('Note', note());
    const waiting = Note.create({ text: 'buffered' });
    const before = [connection.readyState, connection.client, connection.db];
    await connection.openUri(uri, { dbName: 'other' });
    const created = (await waiting).text;
    const opened = [
      connection.readyState,
      connection.name,
      connection.host,
      typeof connection.port,
      connection.user,
      connection.constructor.name,
      connection.client.constructor.name,
      connection.getClient() instanceof MongoClient,
      connection.db.constructor.name,
      connection.db.databaseName,
    ];
    await connection.dropDatabase();
    await connection.close();
    return [before, created, opened, seen, connection.readyState, await thrownBy(() => Note.findOne().maxTimeMS(10))];
  });
  await step('reopen', async () => {
    const connection = await mongoose.createConnection(uri).asPromise();
    const seen = watched(connection);
    await connection.close();
    await connection.openUri(uri);
    const state = connection.readyState;
    const pong = await connection.db.admin().ping();
    await connection.close(true);
    return [state, pong, seen];
  });
  await step('destroy', async () => {
    const connection = await mongoose.createConnection(uri).asPromise();
    const count = mongoose.connections.length;
    await connection.destroy();
    return [mongoose.connections.length - count, await thrownBy(() => connection.openUri(uri))];
  });
  await step('useDb', async () => {
    const one = await mongoose.createConnection(uri, { dbName: 'one' }).asPromise();
    const two = one.useDb('two', { useCache: true });
    const [seenOne, seenTwo] = [watched(one), watched(two)];
    const [A, B] = [one.model('Note', note()), two.model('Note', note())];
    await A.create({ text: 'in one' });
    await B.create({ text: 'in two' });
    const found = [
      (await A.find()).map(({ text }) => text),
      (await B.find()).map(({ text }) => text),
      one.useDb('two', { useCache: true }) === two,
      two.host === one.host,
      two.port === one.port,
      two.name,
      two.client === one.client,
    ];
    await one.dropDatabase();
    await two.dropDatabase();
    await one.close();
    return [found, seenOne, seenTwo, two.readyState];
  });
  await step('setClient', async () => {
    const results = [];
    const client = new MongoClient(uri);
    const early = await thrownBy(async () => mongoose.createConnection().setClient(client));
    results.push(client.topology == null);
    await client.connect();
    const connection = mongoose.createConnection();
    connection.setClient(client);
    results.push([
      connection.readyState,
      connection.getClient() === client,
      connection.name,
      connection.host,
      typeof connection.port,
      client.topology?.constructor.name,
    ]);
    await connection.model('Note', note()).findOne();
    await client.close();
    results.push(connection.readyState, client.topology == null);
    await connection.close();
    return [results, early, await thrownBy(async () => mongoose.createConnection().setClient({}))];
  });
  await step('the state follows events of the client', async () => {
    const connection = await mongoose.createConnection(uri).asPromise();
    const seen = watched(connection);
    const client = connection.getClient();
    const type = client.topology.description.type;
    const server = client.topology.s.description;
    const unknown = { newDescription: { type: 'Unknown' } };
    client.emit('serverDescriptionChanged', unknown);
    client.emit('topologyDescriptionChanged', { newDescription: { type: 'ReplicaSetNoPrimary' } });
    const states = [connection.readyState];
    client.emit('serverDescriptionChanged', { newDescription: { type: 'Standalone' } });
    client.emit('topologyDescriptionChanged', { newDescription: { type: 'ReplicaSetWithPrimary' } });
    client.emit('serverHeartbeatSucceeded', {});
    states.push(connection.readyState);
    await connection.close();
    return [type === server.type, server.constructor.name, typeof server.heartbeatFrequencyMS, states, seen];
  });
  await step('command monitoring', async () => {
    const connection = await mongoose.createConnection(uri, { monitorCommands: true, dbName: 'monitored' }).asPromise();
    const seen = [];
    connection.on('commandStarted', event =>
      seen.push([
        event.constructor.name,
        event.commandName,
        event.databaseName,
        Object.keys(event.command)[0],
        typeof event.requestId,
        typeof event.address,
      ]),
    );
    connection.on('commandSucceeded', event =>
      seen.push([event.constructor.name, event.commandName, typeof event.duration, event.reply.ok]),
    );
    connection.on('commandFailed', event => seen.push([event.constructor.name, event.commandName, event.failure.name]));
    connection.model('Note', note(), undefined, {}).schema.set('autoCreate', false);
    await connection.db.command({ ping: 1 });
    await thrownBy(() => connection.db.command({ nope: 1 }));
    await connection.close();
    return seen.filter(([, name]) => ['ping', 'nope'].includes(name));
  });
  await step('connections that fail', async () => {
    const connection = mongoose.createConnection();
    const seen = watched(connection);
    const error = await connection.openUri(nowhere, { serverSelectionTimeoutMS: 60 }).then(
      () => undefined,
      each => each,
    );
    const [[address, server]] = [...error.reason.servers];
    return [
      error.name,
      error.reason.constructor.name,
      error.reason.type,
      error.reason.servers.constructor.name,
      address,
      [server.type, server.address, server.host, server.port, server.error?.name, server.constructor.name],
      error.cause?.constructor.name,
      seen,
      connection.readyState,
    ];
  });
  await step('invalid arguments', async () => [
    await thrownBy(() => mongoose.createConnection('nonsense').asPromise()),
    await thrownBy(() => mongoose.createConnection('mongodb:///x').asPromise()),
    await thrownBy(() => mongoose.createConnection(uri, { nonsense: 1 }).asPromise()),
    await thrownBy(() => mongoose.createConnection(uri, { maxPoolSize: 'x' }).asPromise()),
    await thrownBy(() => mongoose.createConnection(undefined).asPromise()),
    await thrownBy(() =>
      mongoose.createConnection(uri, { user: 'a', pass: 'b', serverSelectionTimeoutMS: 200 }).asPromise(),
    ),
  ]);
  await step('a model without a connection', async () => {
    const connection = mongoose.createConnection();
    return [
      await thrownBy(() =>
        connection.model('Note', new Schema({}, { bufferTimeoutMS: 20, autoCreate: false })).findOne(),
      ),
      await thrownBy(() =>
        connection.model('Other', new Schema({}, { bufferCommands: false, autoCreate: false })).findOne(),
      ),
    ];
  });
  await step('administration', async () => {
    const { connection } = mongoose;
    const databases = await connection.listDatabases();
    return [
      databases.databases.some(({ name }) => name === 'tour'),
      databases.ok,
      (await connection.listCollections()).length > 3,
      await connection.createCollection('made').then(made => made.collectionName),
      await connection.dropCollection('made'),
      (await connection.db.stats()).db,
      (await connection.db.admin().serverStatus()).ok,
    ];
  });
  await step('client bulkWrite', async () => {
    const First = mongoose.model('BulkFirst', new Schema({ n: Number }));
    const Second = mongoose.model('BulkSecond', new Schema({ m: { type: Number, required: true } }));
    const result = await mongoose.connection.bulkWrite([
      { model: 'BulkFirst', name: 'insertOne', document: { _id: 'a'.repeat(24), n: '1' } },
      { model: Second, name: 'insertOne', document: { _id: 'b'.repeat(24), m: 2 } },
      { model: First, name: 'updateOne', filter: { n: 1 }, update: { n: 5 } },
      { model: Second, name: 'deleteMany', filter: { m: 2 } },
    ]);
    const failed = await mongoose.connection
      .bulkWrite(
        [
          { model: First, name: 'insertOne', document: { _id: 'a'.repeat(24) } },
          { model: Second, name: 'insertOne', document: {} },
          { model: First, name: 'insertOne', document: { n: 3 } },
        ],
        { ordered: false },
      )
      .then(
        value => ({ value }),
        error => ({
          name: error.name,
          writeErrors: error.writeErrors?.constructor.name,
          partial: error.partialResult,
          inner: [...(error.writeErrors ?? [])].map(([index, each]) => [index, each.code]),
        }),
      );
    return [result, failed];
  });
  await step('plugins, events and the debug log', async () => {
    const lines = [];
    mongoose.set('debug', (collection, method, ...args) => lines.push([collection, method, args.length]));
    await mongoose
      .model('Debugged', new Schema({ a: Number }, { autoCreate: false, autoIndex: false }))
      .findOne({ a: 1 });
    await mongoose.model('Debugged').create({ a: 2 });
    mongoose.set('debug', false);
    return lines;
  });
};
