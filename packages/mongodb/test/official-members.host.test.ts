/** Members of the official driver's classes that programs use beside the operations: events, handles' own settings, statics. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type * as official from 'mongodb';
import { describe } from 'vitest';
import { same, serveBoth, six } from './both-drivers.js';
import type { Room } from './both-drivers.js';

serveBoth();

describe('cursors as emitters', () => {
  /** What is told while the program goes on. */
  const heard = async (
    room: Room,
    options: official.FindOptions,
    use: (cursor: official.FindCursor, log: unknown[]) => Promise<unknown>,
  ): Promise<unknown[]> => {
    await six(room);
    const log: unknown[] = [];
    const cursor = room.films.find({}, options);
    cursor.on('close', () => log.push('close'));
    await use(cursor, log);
    return log;
  };
  same('the server has told everything', room =>
    heard(room, { batchSize: 4 }, async (cursor, log) => {
      for (;;) {
        const film = await cursor.next();
        log.push(film?._id);
        if (film === null) return;
      }
    }),
  );
  same('all of them at once', room => heard(room, {}, cursor => cursor.toArray()));
  same('closed early, and once more', room =>
    heard(room, { batchSize: 2 }, async cursor => {
      await cursor.next();
      await cursor.close();
      await cursor.close();
    }),
  );
  same('closed before it began', room => heard(room, {}, cursor => cursor.close()));
  same('a loop that is left', room =>
    heard(room, { batchSize: 2 }, async (cursor, log) => {
      for await (const { _id } of cursor) {
        log.push(_id);
        break;
      }
    }),
  );
  same('one that begins anew', room =>
    heard(room, {}, async (cursor, log) => {
      await cursor.toArray();
      cursor.rewind();
      log.push('rewound');
      await cursor.toArray();
    }),
  );
  same('a refusal by the server', async ({ films }) => {
    const log: string[] = [];
    const cursor = films.find({ $nope: 1 } as never).once('close', () => log.push('close'));
    await cursor.next().catch(() => log.push('failed'));
    return log;
  });
  same("Node's own once", async room => {
    await six(room);
    const cursor = room.films.find();
    const closed = once(cursor, 'close');
    await cursor.toArray();
    return closed;
  });
});

describe('sessions as emitters', () => {
  same('ended', async ({ client }) => {
    const session = client.startSession();
    const log: unknown[] = [];
    session.on('ended', ended => log.push(ended === session, ended.hasEnded));
    await session.endSession();
    await session.endSession();
    return log;
  });
});

describe('read preferences and concerns', () => {
  same('what they are made of', ({ module: { ReadPreference } }) =>
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
  same('what they tell', ({ module: { ReadPreference } }) => {
    const nearest = new ReadPreference('nearest');
    return Promise.resolve([
      ...[nearest.preference, nearest.isValid(), nearest.isValid('nope'), ReadPreference.isValid('nope')],
      ...[nearest.secondaryOk(), ReadPreference.primary.secondaryOk()],
      ...[nearest.equals(ReadPreference.nearest), nearest.equals(ReadPreference.secondary)],
    ]);
  });
  same('options that are translated', ({ module: { ReadPreference } }) => {
    const options = { readPreference: 'secondary' as const };
    const plain = { readPreference: { mode: 'nearest' as const, tags: [{ a: 'b' }] } };
    const translated = ReadPreference.translate(options);
    const [from] = [ReadPreference.translate(plain).readPreference as official.ReadPreference];
    return Promise.resolve([
      ...[translated === options, (translated.readPreference as official.ReadPreference).toJSON(), from.toJSON()],
      ReadPreference.translate({}),
    ]);
  });
  same('a hedge of the primary', ({ module: { ReadPreference } }) =>
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
  /** Ids that tell who made them. */
  const ids = (who: string): { createPk(): unknown } => {
    let count = 0;
    return { createPk: () => `${who} ${(count += 1)}` };
  };
  same(
    'each database has ids of its own making, or those of its client',
    async ({ client, db }) => {
      const own = client.db(db.databaseName, { pkFactory: ids('database') });
      await own.collection('notes').insertOne({});
      await own.collection('notes').insertMany([{ a: 1 }, { a: 2 }]);
      await own.collection('notes').bulkWrite([{ insertOne: { document: {} } }]);
      await db.collection('notes').insertOne({});
      return db.collection('notes').find().toArray();
    },
    { pkFactory: { createPk: () => 'client' } },
  );
  same(
    'the option dbName goes before the connection string',
    ({ client }) => Promise.resolve([client.options.dbName, client.db().databaseName, client.db('other').databaseName]),
    { dbName: 'cinema' } as official.MongoClientOptions,
  );
  same('without it', ({ client }) => Promise.resolve([client.options.dbName, client.serverApi]));
  same('the version of the API', ({ client }) => Promise.resolve(client.serverApi), {
    serverApi: { version: '1', strict: true },
  });
  same('the version of the API, by its name', ({ client }) => Promise.resolve(client.serverApi), { serverApi: '1' });
});

describe('what is asked by instanceof', () => {
  same('streams of GridFS', async ({ db, module }) => {
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
