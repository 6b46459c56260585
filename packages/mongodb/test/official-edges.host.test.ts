/** What programs written for the official driver give it beside what its types say: the same answers, the same errors. */
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { describe, expect, test } from 'vitest';
import { different, same, serveBoth } from './both-drivers.js';
import type { Program, Room } from './both-drivers.js';

serveBoth();

const one = async ({ films }: Room): Promise<unknown> => films.insertOne({ _id: 1, title: 'M', year: 1931 });

/** Of the program: the class of its error, and what is left of the document. */
const left =
  (program: Program): Program =>
  async room => {
    await one(room);
    const said = await program(room).catch((error: unknown) => (error as Error).name);
    return [said, await room.films.find().toArray()];
  };

describe('an update whose operators are all undefined, which ignoreUndefined leaves out', () => {
  const nothing = { $set: undefined } as never;
  const ignoreUndefined = true;
  const filter = { _id: 1 };
  same(
    'updateOne',
    left(({ films }) => films.updateOne(filter, nothing, { ignoreUndefined })),
  );
  same(
    'updateMany',
    left(({ films }) => films.updateMany(filter, nothing, { ignoreUndefined })),
  );
  same(
    'findOneAndUpdate',
    left(({ films }) => films.findOneAndUpdate(filter, nothing, { ignoreUndefined })),
  );
  same(
    'bulkWrite',
    left(({ films }) => films.bulkWrite([{ updateOne: { filter, update: nothing } }], { ignoreUndefined })),
  );
  same(
    'of a client',
    left(({ films }) => films.updateOne(filter, nothing)),
    { ignoreUndefined },
  );
  same(
    'bulkWrite of a client',
    left(({ client, films: { namespace } }) =>
      client.bulkWrite([{ name: 'updateOne', namespace, filter: filter as never, update: nothing }], {
        ignoreUndefined,
      }),
    ),
  );
  same(
    'one of two',
    left(({ films }) =>
      films.updateOne(filter, { $unset: undefined, $set: { year: 1 } } as never, { ignoreUndefined }),
    ),
  );
  same(
    'gathered',
    left(({ films }) => {
      const gathered = films.initializeOrderedBulkOp({ ignoreUndefined });
      gathered.find(filter).updateOne(nothing);
      return gathered.execute();
    }),
  );
});

describe('null for what is not given', () => {
  const none = null as never;
  const filter = { _id: 1 };
  const update = { $set: { year: 2 } };
  const nothing = Object.fromEntries(
    [
      'session',
      'signal',
      'hint',
      'collation',
      'projection',
      'sort',
      'batchSize',
      'readPreference',
      'writeConcern',
      'let',
    ].map(name => [name, null]),
  );
  for (const [what, options] of [
    ['the options', none],
    ['each of them', nothing as never],
  ] as const) {
    same(`${what} of writes`, async room => {
      const { films } = room;
      return [
        await films.insertOne({ _id: 1 }, options),
        await films.insertMany([{ _id: 2 }, { _id: 3 }], options),
        await films.updateOne(filter, update, options),
        await films.updateMany(filter, update, options),
        await films.replaceOne(filter, { year: 3 }, options),
        await films.findOneAndUpdate(filter, update, options),
        await films.findOneAndDelete({ _id: 2 }, options),
        await films.deleteOne(filter, options),
        await films.deleteMany({}, options),
      ];
    });
    same(`${what} of reads`, async room => {
      await one(room);
      const { films, db } = room;
      return [
        await films.find({}, options).toArray(),
        await films.aggregate([], options).toArray(),
        await films.estimatedDocumentCount(options),
        await films.distinct('year', {}, options),
        await db.command({ ping: 1 }, options),
      ];
    });
    same(`${what} of what administers`, async room => {
      await one(room);
      const { films, db } = room;
      return [
        await films.createIndex({ year: 1 }, options),
        await films.createIndexes([{ key: { title: 1 } }], options),
        await films.indexes(options),
        await films.indexInformation(options),
        await films.dropIndexes(options),
        (await db.listCollections({}, options).toArray()).length,
        (await db.createCollection('others', options)).collectionName,
        await db.dropCollection('others', options),
        await films.drop(options),
        await db.dropDatabase(options),
      ];
    });
  }
  same('the options of handles, streams, sessions and transactions', async ({ client, db }) => {
    const session = client.startSession(none);
    await session.endSession();
    await db.collection('films').watch([], none).close();
    return [client.db(none, none).databaseName, db.collection('films', none).collectionName];
  });
  same('the filter of distinct', async room => [await one(room), await room.films.distinct('year', none)]);
  for (const [method, read, result] of [
    ['findOne', ({ films }: Room) => films.findOne({}, none), "{ _id: 1, title: 'M', year: 1931 }"],
    ['countDocuments', ({ films }: Room) => films.countDocuments({}, none), '1'],
  ] as const) {
    different(
      `null as the options of ${method}, on which the official driver throws a TypeError of JavaScript`,
      async room => {
        await one(room);
        return read(room);
      },
      { official: 'throws TypeError undefined', ours: result },
    );
  }
  same('each of them of the reads that reject null as their options', async room => {
    await one(room);
    const { films } = room;
    return [await films.findOne({}, nothing as never), await films.countDocuments({}, nothing)];
  });
});

describe('documents that are Maps', () => {
  const film = (): Map<string, unknown> =>
    new Map<string, unknown>([
      ['_id', 1],
      ['title', 'M'],
    ]);
  same('inserted', async ({ films }) => {
    await films.insertOne(film() as never);
    await films.insertMany([new Map([['_id', 2]])] as never);
    return films.find().toArray();
  });
  same('inserted by a client', async ({ client, films }) => {
    await client.bulkWrite([{ name: 'insertOne', namespace: films.namespace, document: film() }]);
    return films.find().toArray();
  });
  same('upserted and replaced', async ({ films }) => [
    await films.replaceOne(new Map([['_id', 1]]), new Map([['title', 'N']]) as never, { upsert: true }),
    await films.find(new Map([['_id', 1]]) as never).toArray(),
  ]);
});

describe('options that do not belong there, or in an old form', () => {
  same('a sort that is none', ({ films }) => films.find({}, { sort: 5 as never }).toArray());
  same('a projection by names', async room => [
    await one(room),
    await room.films.find({}, { projection: ['title'] }).toArray(),
    await room.films.findOne({}, { projection: [] }),
  ]);
  same('findOneAndDelete with those of findOneAndUpdate', async room => [
    await one(room),
    await room.films.findOneAndDelete({ _id: 1 }, {
      ...{ upsert: true, returnDocument: 'after', arrayFilters: [], bypassDocumentValidation: true },
    } as never),
  ]);
  same('updateMany with a sort', async room => [
    await one(room),
    await room.films.updateMany({}, { $set: { year: 1 } }, { sort: { _id: 1 } } as never),
  ]);
  same('a clone of a cursor that is mapped', async room => {
    await one(room);
    const mapped = [room.films.find().map(film => film._id), room.films.aggregate().map(film => film['_id'] as number)];
    return Promise.all(mapped.map(cursor => cursor.clone().toArray()));
  });
});

describe('names that programs import', () => {
  /** What belongs to client-side encryption, Kerberos, streams of files and classes of events. */
  const leftOut =
    /^(MongoCrypt|ClientEncryption|AutoEncryption|GSSAPI|GridFSBucket(Read|Write)|ChangeStreamCursor|CancellationToken|MongoClientAuthProviders)|Event$/;
  test('are those of the official driver, but for what is named here', () => {
    const missing = Object.keys(official).filter(name => !leftOut.test(name) && !(name in ours));
    expect(missing).toEqual([]);
  });

  test.each([
    'ServerApiVersion',
    'ReturnDocument',
    'BatchType',
    'ReadConcernLevel',
    'ReadPreferenceMode',
    'ProfilingLevel',
    'CursorTimeoutMode',
    'ExplainVerbosity',
    'AuthMechanism',
    'Compressor',
    'CURSOR_FLAGS',
    'MongoLoggableComponent',
    'SeverityLevel',
    'ServerType',
    'TopologyType',
  ] as const)('%s has the same values', name => {
    expect({ ...ours[name] }).toEqual({ ...official[name] });
  });

  test('errors stand below those below which they stand there', () => {
    const above = (side: object, name: string): string[] => {
      const names: string[] = [];
      let type = Reflect.get(side, name) as { readonly name: string } | null;
      while (type !== null && type.name.startsWith('Mongo') && type.name !== 'MongoError') {
        names.push(type.name);
        type = Reflect.getPrototypeOf(type) as typeof type;
      }
      return names;
    };
    const errors = Object.keys(official).filter(name => /^Mongo.*Error$/.test(name) && name in ours);
    expect(errors.map(name => above(ours, name))).toEqual(errors.map(name => above(official, name)));
  });

  test('labels of errors have theirs', () => {
    expect(official.MongoErrorLabel).toMatchObject(ours.MongoErrorLabel);
  });
});
