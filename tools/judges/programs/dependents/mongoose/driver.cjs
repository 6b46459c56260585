'use strict';
const { step, thrownBy, uri } = require('../report.cjs');

const kindOf = value => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

module.exports = async mongoose => {
  const { mongo } = mongoose;
  const { connection } = mongoose;
  const client = connection.getClient();

  await step('private members of the client', () => {
    const { s, options, topology } = client;
    return {
      url: s.url === uri,
      hosts: s.options.hosts.map(({ host, port }) => [host, typeof port]),
      host: [
        s.options.hosts[0].constructor.name,
        typeof String(s.options.hosts[0]),
        s.options.hosts[0].isIPv6,
        s.options.hosts[0].socketPath,
      ],
      dbName: s.options.dbName,
      same: s.options === options,
      options: [
        options.autoEncryption,
        options.maxPoolSize,
        options.retryWrites,
        options.heartbeatFrequencyMS,
        options.appName,
        options.srvHost,
        options.monitorCommands,
        options.readPreference?.mode,
        options.driverInfo,
      ],
      topology: [
        topology.constructor.name,
        topology.description.constructor.name,
        topology.s.description === topology.description,
        topology.description.servers.constructor.name,
      ],
      servers: [...topology.description.servers.values()].map(each => [
        each.constructor.name,
        each.type,
        each.address,
        typeof each.roundTripTime,
        each.error,
        each.isWritable,
        each.isReadable,
        each.host,
        typeof each.port,
      ]),
    };
  });
  await step('the driver before and after connect', async () => {
    const fresh = new mongo.MongoClient(`${uri}`);
    const seen = [fresh.topology == null];
    await fresh.connect();
    seen.push(fresh.topology.constructor.name, fresh.topology.isConnected?.());
    await fresh.close();
    seen.push(fresh.topology == null);
    return seen;
  });
  await step('own functions of Collection.prototype', () =>
    Object.getOwnPropertyNames(mongo.Collection.prototype)
      .filter(
        name =>
          !name.startsWith('_') &&
          // Only Tessera has this method.
          name !== 'strict' &&
          typeof Object.getOwnPropertyDescriptor(mongo.Collection.prototype, name).value === 'function',
      )
      .sort(),
  );
  await step('the bson module', () => {
    const bson = require('mongodb/lib/bson');
    return [
      bson.ObjectId === mongo.ObjectId,
      bson.Binary === mongo.Binary,
      bson.ObjectId === mongoose.Types.ObjectId,
      require('bson').ObjectId === mongo.ObjectId,
      kindOf(bson.EJSON),
      kindOf(bson.Int32),
      Object.keys(bson).includes('UUID'),
    ];
  });
  await step('constructed errors', () => {
    const server = new mongo.MongoServerError({
      message: 'made',
      errorLabels: ['TransientTransactionError'],
      code: 112,
      codeName: 'WriteConflict',
    });
    const plain = new mongo.MongoError('plain');
    const network = new mongo.MongoNetworkError('network');
    const concern = new mongo.MongoWriteConcernError({
      ok: 1,
      writeConcernError: {
        code: 64,
        errmsg: 'waiting',
        codeName: 'WriteConcernFailed',
        errInfo: { writeConcern: { w: 3 } },
      },
    });
    return [
      [
        server.name,
        server.message,
        server.code,
        server.codeName,
        server.errorLabels,
        server.hasErrorLabel('TransientTransactionError'),
        server instanceof mongo.MongoError,
        server instanceof Error,
        server.errorResponse,
      ],
      [plain.name, plain.message, plain.errorLabels, plain.code],
      [network.name, network instanceof mongo.MongoError, network.errorLabels],
      [concern.name, concern.message, concern.code, concern.result, concern.errorLabels],
      Object.keys(mongo.MongoErrorLabel).sort(),
    ];
  });
  await step('a constructed bulk result', () => {
    const { BulkWriteResult } = require('mongodb/lib/bulk/common');
    const result = new BulkWriteResult(
      {
        ok: 1,
        writeErrors: [],
        writeConcernErrors: [],
        insertedIds: [],
        nInserted: 0,
        nUpserted: 0,
        nMatched: 0,
        nModified: 0,
        nRemoved: 0,
        upserted: [],
      },
      false,
    );
    return [
      result.constructor.name,
      Object.keys(result),
      result.insertedCount,
      result.insertedIds,
      result.upsertedIds,
      result.isOk(),
      result.result,
    ];
  });
  await step('subclasses', async () => {
    class Client extends mongo.MongoClient {
      extra() {
        return `${this.db().databaseName}!`;
      }
    }
    class Things extends mongo.Collection {
      all() {
        return this.find().toArray();
      }
    }
    const sub = new Client(uri);
    const things = new Things(sub.db('sub'), 'things');
    await things.insertOne({ _id: 1 });
    const result = [sub.extra(), await things.all(), things.namespace, things.constructor.name];
    await sub.db('sub').dropDatabase();
    await sub.close();
    return result;
  });
  await step('wrapped methods', async () => {
    const original = mongo.Collection.prototype.findOne;
    const calls = [];
    mongo.Collection.prototype.findOne = function findOne(...args) {
      calls.push(this.collectionName);
      return original.apply(this, args);
    };
    await connection.db.collection('wrapped').findOne({});
    mongo.Collection.prototype.findOne = original;
    return calls;
  });
  await step('changed prototypes of BSON', () => {
    const id = new mongo.ObjectId('65a1b2c3d4e5f6a7b8c9d0e1');
    return [
      id._id === id,
      `${id}`,
      JSON.stringify({ id }),
      id == id.toHexString(),
      new mongo.Binary(Buffer.from('a')).sub_type,
      mongo.Binary.createFromBase64?.('YQ==').toString('base64'),
    ];
  });
  await step('bson values in both directions', async () => {
    const raw = connection.db.collection('values');
    const {
      Long,
      Double,
      Int32,
      Decimal128,
      Timestamp,
      Code,
      BSONRegExp,
      MinKey,
      MaxKey,
      BSONSymbol,
      DBRef,
      UUID,
      Binary,
      ObjectId,
    } = mongo;
    const values = {
      long: Long.fromString('9007199254740993'),
      safe: Long.fromNumber(5),
      double: new Double(3),
      int: new Int32(4),
      decimal: Decimal128.fromString('1.50'),
      time: new Timestamp({ t: 5, i: 6 }),
      code: new Code('x', { y: 1 }),
      pattern: new BSONRegExp('a', 'i'),
      min: new MinKey(),
      max: new MaxKey(),
      symbol: new BSONSymbol('s'),
      ref: new DBRef('c', new ObjectId('65a1b2c3d4e5f6a7b8c9d0e1')),
      uuid: new UUID('09190f70-3d30-11e5-8814-0f4df9a59c41'),
      binary: new Binary(Buffer.from('abc'), 5),
      regexp: /a/gi,
      date: new Date(0),
      none: undefined,
      nil: null,
      nan: NaN,
      big: 5n,
    };
    await raw.insertOne({ _id: 1, ...values });
    return [
      await raw.findOne({ _id: 1 }),
      await raw.findOne({ _id: 1 }, { promoteValues: false }),
      await raw.findOne({ _id: 1 }, { useBigInt64: true, projection: { long: 1, safe: 1, big: 1 } }),
      await raw.findOne({ _id: 1 }, { promoteBuffers: true, bsonRegExp: true, projection: { binary: 1, regexp: 1 } }),
    ];
  });
  await step('names of mongoose.mongo', () => [
    kindOf(mongo.GridFSBucket),
    kindOf(mongo.ReadPreference),
    mongo.ReadPreference.SECONDARY,
    kindOf(mongo.BSON?.serialize),
    mongo.MongoBulkWriteError.name,
    mongo.MongoServerSelectionError.name,
  ]);
  await step('events made by hand', () => {
    const Class = mongo.ServerHeartbeatSucceededEvent;
    const seen = [];
    client.once('serverHeartbeatSucceeded', event => seen.push(event.constructor.name));
    client.emit('serverHeartbeatSucceeded', new Class('host:1', 5, { ok: 1 }, false));
    return seen;
  });
  await step('an operation after close', async () => {
    const fresh = await mongo.MongoClient.connect(uri);
    const found = fresh.db('x').collection('y');
    await fresh.close();
    return [
      await thrownBy(() => found.findOne()),
      await thrownBy(() => found.find().toArray()),
      await thrownBy(() => found.insertOne({})),
    ];
  });
};
