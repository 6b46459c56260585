'use strict';
const net = require('node:net');
const { once } = require('node:events');
const { step, thrownBy, uri, isSet } = require('../report.cjs');

/** Starts a proxy in front of a host. Its `cut` closes the port and all connections, as a crash of the server does. */
const proxyOf = async host => {
  const [name, port] = host.split(':');
  const sockets = new Set();
  const server = net.createServer(near => {
    const far = net.connect({ host: name, port: Number(port) });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const listen = at => once(server.listen(at, '127.0.0.1'), 'listening');
  await listen(0);
  const at = server.address().port;
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  return { at, cut, listen: () => listen(at) };
};

const hostOf = text => /\/\/(?:[^@/]*@)?([^/,?]+)/.exec(text)[1];

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const note = options => new Schema({ text: String }, { autoCreate: false, autoIndex: false, ...options });

  await step('a server that goes away and comes back', async () => {
    const proxy = await proxyOf(hostOf(uri));
    const through = `mongodb://127.0.0.1:${proxy.at}/away?directConnection=true`;
    const connection = await mongoose
      .createConnection(through, { heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 300 })
      .asPromise();
    const Note = connection.model('Note', note());
    const seen = [];
    for (const name of ['disconnected', 'reconnected', 'connected', 'close', 'error'])
      connection.on(name, () => seen.push(name));
    await Note.find();
    const lost = once(connection, 'disconnected');
    await proxy.cut();
    await lost;
    const states = [connection.readyState];
    const error = await thrownBy(() => Note.find().setOptions({ bufferCommands: false }));
    const back = once(connection, 'reconnected');
    await proxy.listen();
    await back;
    states.push(connection.readyState, (await Note.find()).length);
    await connection.close();
    await proxy.cut();
    return [seen, states, error];
  });
  await step('asPromise and the states of a connection', async () => {
    const connection = mongoose.createConnection(uri, { dbName: 'states' });
    const states = [connection.readyState, mongoose.STATES[connection.readyState], connection._readyState];
    const resolved = await connection.asPromise();
    states.push(connection.readyState, resolved === connection, mongoose.connections.includes(connection));
    const closing = connection.close();
    states.push(connection.readyState);
    await closing;
    states.push(connection.readyState, mongoose.connections.includes(connection));
    return states;
  });
  await step('asPromise of a connection that fails', async () => {
    const connection = mongoose.createConnection('mongodb://127.0.0.1:1,127.0.0.1:2/x?replicaSet=none', {
      serverSelectionTimeoutMS: 50,
    });
    const errors = [];
    connection.on('error', error => errors.push(error.name));
    const error = await connection.asPromise().then(
      () => undefined,
      each => each,
    );
    return [
      error.name,
      error.constructor.name,
      error instanceof mongoose.Error.MongooseServerSelectionError,
      [error.reason.constructor.name, error.reason.type, error.reason.setName],
      [...error.reason.servers].map(([address, { type, error: reason }]) => [address, type, reason?.name]),
      error.cause?.name,
      errors,
      connection.readyState,
    ];
  });
  await step('connect and disconnect of another instance', async () => {
    const other = new mongoose.Mongoose();
    await other.disconnect();
    const connected = await other.connect(uri, { dbName: 'bare' });
    const state = other.connection.readyState;
    const twice = await thrownBy(() => other.connect('mongodb://127.0.0.1:1/elsewhere').then(() => 'connected'));
    await other.disconnect();
    return [connected === other, state, twice, other.connection.readyState, other.connection.name];
  });
  await step('commands that wait for a connection', async () => {
    const other = new mongoose.Mongoose();
    const Late = other.model('Late', note());
    const waiting = [
      Late.create({ text: 'x' }),
      Late.aggregate([{ $count: 'n' }]),
      Late.find().cursor().next(),
      Late.countDocuments(),
      other.connection.listCollections(),
      other.startSession(),
    ];
    await other.connect(uri, { dbName: 'late' });
    const results = await Promise.allSettled(waiting);
    await results.at(-1).value.endSession();
    await other.connection.dropDatabase();
    await other.disconnect();
    return results.map(({ status }) => status);
  });
  await step('commands that do not wait', async () => {
    const other = new mongoose.Mongoose();
    other.set('bufferCommands', false);
    const Late = other.model('Late', note());
    const early = await thrownBy(() => Late.findOne());
    const connecting = other.connect(uri, { bufferCommands: false });
    const during = await thrownBy(() => Late.findOne().then(() => 'found'));
    await connecting;
    const late = await Late.findOne({ text: 'none' });
    await other.disconnect();
    return [early, during, late];
  });
  await step('bufferTimeoutMS', async () => {
    const other = new mongoose.Mongoose();
    other.set('bufferTimeoutMS', 20);
    const Late = other.model('Late', note());
    return [
      await thrownBy(() => Late.findOne()),
      await thrownBy(() => Late.insertMany([{ text: 'x' }])),
      await thrownBy(() => Late.aggregate([{ $match: {} }])),
      await thrownBy(() => Late.estimatedDocumentCount()),
    ];
  });
  await step('autoCreate and autoIndex', async () => {
    const connection = await mongoose
      .createConnection(uri, { dbName: 'automatic', autoIndex: false, autoCreate: false })
      .asPromise();
    await connection.dropDatabase();
    const schema = () => new Schema({ a: { type: Number, index: true } });
    await connection.model('Neither', schema()).init();
    const none = (await connection.listCollections()).length;
    const both = await mongoose.createConnection(uri, { dbName: 'automatic' }).asPromise();
    const Both = both.model('Both', schema());
    await Both.init();
    const one = (await connection.listCollections()).map(({ name }) => name);
    const indexes = (await Both.listIndexes()).map(({ name }) => name);
    const Only = connection.model('Only', schema());
    await Only.createCollection();
    await Only.ensureIndexes();
    const asked = (await Only.listIndexes()).map(({ name }) => name);
    await connection.dropDatabase();
    await connection.close();
    await both.close();
    return [none, one, indexes, asked, connection.get('autoIndex'), both.get('autoIndex')];
  });
  await step('a connection that reads from secondaries', async () => {
    const connection = await mongoose
      .createConnection(uri, { dbName: 'secondary', readPreference: 'secondaryPreferred' })
      .asPromise();
    const options = [
      connection.get('autoIndex'),
      connection.get('autoCreate'),
      connection.client.readPreference.mode,
      connection.db.readPreference.mode,
    ];
    await connection.close();
    return [
      options,
      await thrownBy(() =>
        mongoose.createConnection(uri, { readPreference: 'secondary', autoIndex: true }).asPromise(),
      ),
    ];
  });
  await step('options of the client', async () => {
    const connection = await mongoose
      .createConnection(uri, {
        dbName: 'options',
        appName: 'tour',
        maxPoolSize: 7,
        minPoolSize: 1,
        retryWrites: false,
        writeConcern: { w: 1, journal: true },
        readConcern: { level: 'local' },
        compressors: 'zlib',
        localThresholdMS: 20,
        family: 4,
      })
      .asPromise();
    const { options, writeConcern, readConcern, readPreference, bsonOptions } = connection.getClient();
    const result = [
      options.appName,
      options.maxPoolSize,
      options.minPoolSize,
      options.retryWrites,
      options.compressors,
      options.localThresholdMS,
      options.family,
      [writeConcern.constructor.name, writeConcern.w, writeConcern.journal],
      [readConcern.constructor.name, readConcern.level],
      [readPreference.constructor.name, readPreference.mode],
      bsonOptions,
    ];
    await connection.close();
    return result;
  });
  await step('names and versions in the handshake', async () => {
    const seen = [];
    const server = net.createServer(socket =>
      socket
        .on('error', () => undefined)
        .once('data', data => {
          seen.push(data);
          socket.destroy();
        }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const at = `mongodb://127.0.0.1:${server.address().port}/x?directConnection=true`;
    const error = await thrownBy(() =>
      mongoose
        .createConnection(at, {
          serverSelectionTimeoutMS: 200,
          appName: 'shake',
          driverInfo: { name: 'lib', version: '9' },
        })
        .asPromise(),
    );
    server.close();
    const text = seen[0].toString('latin1');
    return [
      error.name,
      text.includes('shake'),
      text.includes('|Mongoose') || text.includes('Mongoose'),
      text.includes('lib'),
    ];
  });
  await step('the database of a connection string', async () => {
    const at = `${uri.slice(0, uri.indexOf('/', 10))}/inUri${uri.includes('?') ? uri.slice(uri.indexOf('?')) : ''}`;
    const connection = await mongoose.createConnection(at).asPromise();
    const names = [connection.name, connection.db.databaseName, connection.db.namespace];
    await connection.close();
    const plain = await mongoose.createConnection(uri, { dbName: 'asked' }).asPromise();
    names.push(plain.name, plain.useDb('third').name, plain.useDb('third', { noListener: true }).readyState);
    await plain.close();
    return names;
  });
  await step('databases that share a client', async () => {
    const one = mongoose.createConnection();
    const two = one.useDb('shared');
    const seen = [];
    for (const name of ['connecting', 'connected', 'open', 'disconnecting', 'disconnected', 'close'])
      two.on(name, () => seen.push(name));
    await one.openUri(uri);
    const sets = [two.readyState, one.otherDbs.length, two.client === one.client, one.relatedDbs];
    await one.close();
    await one.openUri(uri);
    sets.push(two.client === one.client, two.readyState);
    await two.close();
    return [seen, sets, one.readyState];
  });
  await step('indexes of all models of a connection', async () => {
    const connection = await mongoose.createConnection(uri, { dbName: 'synced' }).asPromise();
    await connection.dropDatabase();
    connection.model('Plain', new Schema({ name: { type: String, index: true } }, { autoIndex: false }));
    const Doubled = connection.model(
      'Doubled',
      new Schema({ name: { type: String, unique: true } }, { autoIndex: false }),
    );
    await Doubled.insertMany([{ name: 'x' }, { name: 'x' }]);
    const error = await connection.syncIndexes().then(
      () => undefined,
      each => each,
    );
    const result = await connection.syncIndexes({ continueOnError: true });
    await connection.dropDatabase();
    await connection.close();
    return [
      error.name,
      Object.entries(error.errors).map(([name, each]) => [name, each.name, each.code]),
      Object.entries(result).map(([name, each]) => [name, Array.isArray(each) ? each : each.name]),
    ];
  });
  await step('init again after a new connection', async () => {
    const connection = await mongoose.createConnection(uri, { dbName: 'again' }).asPromise();
    const Test = connection.model('Test', new Schema({ name: { type: String, index: true } }));
    await Test.init();
    await connection.db.dropCollection(Test.collection.collectionName);
    const error = await thrownBy(() => Test.collection.listIndexes().toArray());
    await connection.close();
    await connection.openUri(uri, { dbName: 'again' });
    await Test.init();
    const names = (await Test.collection.listIndexes().toArray()).map(({ name }) => name);
    await connection.dropDatabase();
    await connection.close();
    return [error, names];
  });
  await step('the members of a replica set', async () => {
    const connection = await mongoose.createConnection(uri, { dbName: 'members' }).asPromise();
    const { description } = connection.getClient().topology;
    const members = [...description.servers.values()].map(({ type, setName, isDataBearing }) => [
      type,
      setName === description.setName,
      isDataBearing,
    ]);
    const result = [
      isSet,
      description.type,
      members.sort(),
      connection.hosts?.length,
      connection.replica,
      description.commonWireVersion > 20,
      typeof description.logicalSessionTimeoutMinutes,
    ];
    await connection.close();
    return result;
  });
  await step('plugins of the driver', async () => {
    const other = new mongoose.Mongoose();
    const calls = [];
    class Collection extends other.Collection {
      findOne(...args) {
        calls.push(args[0]);
        return super.findOne(...args);
      }
    }
    other.setDriver({ ...require('mongoose/lib/drivers/node-mongodb-native'), Collection });
    await other.connect(uri, { dbName: 'driver' });
    await other.model('Test', note()).findOne({ text: 'x' });
    await other.disconnect();
    return calls;
  });
};
