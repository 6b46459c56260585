/** Members of the official driver's classes other than operations: events, settings of handles, static members. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type * as official from 'mongodb';
import { describe } from 'vitest';
import { same, serveBoth, six } from './both-drivers.js';
import type { Context } from './both-drivers.js';

serveBoth();

describe('events of cursors', () => {
  /** Runs the program and returns the names and arguments of the emitted events. */
  const eventsOf = async (
    context: Context,
    options: official.FindOptions,
    use: (cursor: official.FindCursor, log: unknown[]) => Promise<unknown>,
  ): Promise<unknown[]> => {
    await six(context);
    const log: unknown[] = [];
    const cursor = context.films.find({}, options);
    cursor.on('close', () => log.push('close'));
    await use(cursor, log);
    return log;
  };
  same('after the last document', context =>
    eventsOf(context, { batchSize: 4 }, async (cursor, log) => {
      for (;;) {
        const film = await cursor.next();
        log.push(film?._id);
        if (film === null) return;
      }
    }),
  );
  same('toArray', context => eventsOf(context, {}, cursor => cursor.toArray()));
  same('closed early, twice', context =>
    eventsOf(context, { batchSize: 2 }, async cursor => {
      await cursor.next();
      await cursor.close();
      await cursor.close();
    }),
  );
  same('closed before the first read', context => eventsOf(context, {}, cursor => cursor.close()));
  same('a loop that is left early', context =>
    eventsOf(context, { batchSize: 2 }, async (cursor, log) => {
      for await (const { _id } of cursor) {
        log.push(_id);
        break;
      }
    }),
  );
  same('a cursor that is rewound', context =>
    eventsOf(context, {}, async (cursor, log) => {
      await cursor.toArray();
      cursor.rewind();
      log.push('rewound');
      await cursor.toArray();
    }),
  );
  same('an error of the server', async ({ films }) => {
    const log: string[] = [];
    const cursor = films.find({ $nope: 1 } as never).once('close', () => log.push('close'));
    await cursor.next().catch(() => log.push('failed'));
    return log;
  });
  same('once of node:events', async context => {
    await six(context);
    const cursor = context.films.find();
    const closed = once(cursor, 'close');
    await cursor.toArray();
    return closed;
  });
});

describe('events of sessions', () => {
  same('endSession', async ({ client }) => {
    const session = client.startSession();
    const log: unknown[] = [];
    session.on('ended', ended => log.push(ended === session, ended.hasEnded));
    await session.endSession();
    await session.endSession();
    return log;
  });
});

describe('read preferences and concerns', () => {
  same('constructor arguments', ({ module: { ReadPreference } }) =>
    Promise.resolve([
      new ReadPreference('secondary', [{ dc: 'ny' }], { maxStalenessSeconds: 120 }).toJSON(),
      new ReadPreference('nearest', { maxStalenessSeconds: 90 } as never).toJSON(),
      new ReadPreference('nearest', undefined, { hedge: { enabled: true } }).toJSON(),
      ReadPreference.fromString('primaryPreferred').toJSON(),
      ReadPreference.fromOptions({ readPreference: 'nearest', hedge: { enabled: false } })?.toJSON(),
      ReadPreference.fromOptions({
        readPreference: { mode: 'secondary', tags: [{ dc: 'ny' }], maxStalenessSeconds: 91 },
      })?.toJSON(),
      ReadPreference.fromOptions(),
    ]),
  );
  same('members and JSON', ({ module: { ReadPreference } }) => {
    const nearest = new ReadPreference('nearest');
    return Promise.resolve([
      ...[nearest.preference, nearest.isValid(), nearest.isValid('nope'), ReadPreference.isValid('nope')],
      ...[nearest.secondaryOk(), ReadPreference.primary.secondaryOk()],
      ...[nearest.equals(ReadPreference.nearest), nearest.equals(ReadPreference.secondary)],
    ]);
  });
  same('converted options', ({ module: { ReadPreference } }) => {
    const options = { readPreference: 'secondary' as const };
    const plain = { readPreference: { mode: 'nearest' as const, tags: [{ a: 'b' }] } };
    const translated = ReadPreference.translate(options);
    const [from] = [ReadPreference.translate(plain).readPreference as official.ReadPreference];
    return Promise.resolve([
      ...[translated === options, (translated.readPreference as official.ReadPreference).toJSON(), from.toJSON()],
      ReadPreference.translate({}),
    ]);
  });
  same('hedge with mode primary', ({ module: { ReadPreference } }) =>
    Promise.resolve().then(() => new ReadPreference('primary', undefined, { hedge: { enabled: true } })),
  );
  same('write concerns', ({ module: { WriteConcern } }) => {
    const { w, j, journal, wtimeout, wtimeoutMS } = new WriteConcern('majority', 500, true);
    return Promise.resolve([
      ...[w, j, journal, wtimeout, wtimeoutMS],
      WriteConcern.apply({ insert: 'x' }, new WriteConcern(2, 100, true)),
      WriteConcern.fromOptions({ writeConcern: { w: 3 } })?.w,
      WriteConcern.fromOptions(undefined),
    ]);
  });
  same('read concerns', ({ module: { ReadConcern } }) =>
    Promise.resolve([
      ...[ReadConcern.MAJORITY, ReadConcern.AVAILABLE, ReadConcern.LINEARIZABLE, ReadConcern.SNAPSHOT],
      new ReadConcern('local').toJSON(),
      ReadConcern.fromOptions({ readConcern: { level: 'majority' } })?.level,
      ReadConcern.fromOptions({ level: 'snapshot' })?.level,
    ]),
  );
});

describe('clients and databases', () => {
  /** Returns a generator of ids that contain the given name. */
  const idsOf = (creator: string): { createPk(): unknown } => {
    let count = 0;
    return { createPk: () => `${creator} ${(count += 1)}` };
  };
  same(
    'a database uses its own pkFactory, or that of its client',
    async ({ client, db }) => {
      const own = client.db(db.databaseName, { pkFactory: idsOf('database') });
      await own.collection('notes').insertOne({});
      await own.collection('notes').insertMany([{ a: 1 }, { a: 2 }]);
      await own.collection('notes').bulkWrite([{ insertOne: { document: {} } }]);
      await db.collection('notes').insertOne({});
      return db.collection('notes').find().toArray();
    },
    { pkFactory: { createPk: () => 'client' } },
  );
  same(
    'the option dbName takes precedence over the connection string',
    ({ client }) => Promise.resolve([client.options.dbName, client.db().databaseName, client.db('other').databaseName]),
    { dbName: 'cinema' } as official.MongoClientOptions,
  );
  same('without a default database', ({ client }) => Promise.resolve([client.options.dbName, client.serverApi]));
  same('serverApi as an object', ({ client }) => Promise.resolve(client.serverApi), {
    serverApi: { version: '1', strict: true },
  });
  same('serverApi as a version', ({ client }) => Promise.resolve(client.serverApi), { serverApi: '1' });
});

describe('instanceof checks', () => {
  same('GridFS streams', async ({ db, module }) => {
    const { GridFSBucket, GridFSBucketReadStream, GridFSBucketWriteStream } = module;
    const bucket = new GridFSBucket(db);
    const writes = bucket.openUploadStream('a');
    const reads = bucket.openDownloadStreamByName('a');
    await once(writes.end('abc'), 'finish');
    const ended = once(reads, 'close');
    const file = once(reads.resume(), GridFSBucketReadStream.FILE);
    const read = reads instanceof GridFSBucketReadStream && reads instanceof Readable;
    const [{ filename, length }] = (await file) as [official.GridFSFile];
    await ended;
    return [
      ...[read, reads instanceof GridFSBucketWriteStream, (reads as unknown) instanceof module.ObjectId],
      ...[writes instanceof GridFSBucketWriteStream, writes instanceof GridFSBucketReadStream],
      ...[null, 1, {}].map(no => (no as unknown) instanceof GridFSBucketReadStream),
      ...[filename, length],
    ];
  });
  same(
    'events',
    async ({ client, db, module }) => {
      const asked: unknown[] = [];
      const ask = (event: unknown): void => {
        asked.push([
          event instanceof module.CommandStartedEvent,
          event instanceof module.CommandSucceededEvent,
          event instanceof module.ConnectionCheckedInEvent,
        ]);
      };
      await db.command({ ping: 1 });
      client.once('commandStarted', ask).once('commandSucceeded', ask).once('connectionCheckedIn', ask);
      await db.command({ ping: 1 });
      return [asked, (undefined as unknown) instanceof module.CommandFailedEvent];
    },
    { monitorCommands: true },
  );
});
