/**
 * Input that programs pass to the official driver beyond its documented types: both drivers return the same results and
 * errors.
 */
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { describe, expect, test } from 'vitest';
import { different, same, serveBoth } from './both-drivers.js';
import type { Program, Context } from './both-drivers.js';

serveBoth();

const one = async ({ films }: Context): Promise<unknown> => films.insertOne({ _id: 1, title: 'M', year: 1931 });

/** Returns the class of the program's error, and the document that remains. */
const left =
  (program: Program): Program =>
  async context => {
    await one(context);
    const outcome = await program(context).catch((error: unknown) => (error as Error).name);
    return [outcome, await context.films.find().toArray()];
  };

describe('an update whose operators are all undefined and removed by ignoreUndefined', () => {
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
    'update of MongoClient.bulkWrite',
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
    'one undefined operator of two',
    left(({ films }) =>
      films.updateOne(filter, { $unset: undefined, $set: { year: 1 } } as never, { ignoreUndefined }),
    ),
  );
  same(
    'update of an ordered bulk operation',
    left(({ films }) => {
      const gathered = films.initializeOrderedBulkOp({ ignoreUndefined });
      gathered.find(filter).updateOne(nothing);
      return gathered.execute();
    }),
  );
});

describe('null instead of an option', () => {
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
    ['each option', nothing as never],
  ] as const) {
    same(`${what} of writes`, async context => {
      const { films } = context;
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
    same(`${what} of reads`, async context => {
      await one(context);
      const { films, db } = context;
      return [
        await films.find({}, options).toArray(),
        await films.aggregate([], options).toArray(),
        await films.estimatedDocumentCount(options),
        await films.distinct('year', {}, options),
        await db.command({ ping: 1 }, options),
      ];
    });
    same(`${what} of administration methods`, async context => {
      await one(context);
      const { films, db } = context;
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
  same('the filter of distinct', async context => [await one(context), await context.films.distinct('year', none)]);
  for (const [method, read, result] of [
    ['findOne', ({ films }: Context) => films.findOne({}, none), "{ _id: 1, title: 'M', year: 1931 }"],
    ['countDocuments', ({ films }: Context) => films.countDocuments({}, none), '1'],
  ] as const) {
    different(
      `null as the options of ${method}, for which the official driver throws a TypeError`,
      async context => {
        await one(context);
        return read(context);
      },
      { official: 'throws TypeError undefined', ours: result },
    );
  }
  same('each option of the reads that reject null as their options', async context => {
    await one(context);
    const { films } = context;
    return [await films.findOne({}, nothing as never), await films.countDocuments({}, nothing)];
  });
});

describe('documents that are Maps', () => {
  const film = (): Map<string, unknown> =>
    new Map<string, unknown>([
      ['_id', 1],
      ['title', 'M'],
    ]);
  same('insert', async ({ films }) => {
    await films.insertOne(film() as never);
    await films.insertMany([new Map([['_id', 2]])] as never);
    return films.find().toArray();
  });
  same('insert of MongoClient.bulkWrite', async ({ client, films }) => {
    await client.bulkWrite([{ name: 'insertOne', namespace: films.namespace, document: film() }]);
    return films.find().toArray();
  });
  same('upsert and replace', async ({ films }) => [
    await films.replaceOne(new Map([['_id', 1]]), new Map([['title', 'N']]) as never, { upsert: true }),
    await films.find(new Map([['_id', 1]]) as never).toArray(),
  ]);
});

describe('options that the operation does not have, or in a deprecated form', () => {
  same('an invalid sort', ({ films }) => films.find({}, { sort: 5 as never }).toArray());
  same('a projection given as a list of names', async context => [
    await one(context),
    await context.films.find({}, { projection: ['title'] }).toArray(),
    await context.films.findOne({}, { projection: [] }),
  ]);
  same('findOneAndDelete with options of findOneAndUpdate', async context => [
    await one(context),
    await context.films.findOneAndDelete({ _id: 1 }, {
      ...{ upsert: true, returnDocument: 'after', arrayFilters: [], bypassDocumentValidation: true },
    } as never),
  ]);
  same('updateMany with a sort', async context => [
    await one(context),
    await context.films.updateMany({}, { $set: { year: 1 } }, { sort: { _id: 1 } } as never),
  ]);
  same('a clone of a mapped cursor', async context => {
    await one(context);
    const mapped = [
      context.films.find().map(film => film._id),
      context.films.aggregate().map(film => film['_id'] as number),
    ];
    return Promise.all(mapped.map(cursor => cursor.clone().toArray()));
  });
});

describe('exported names', () => {
  /** Names of client-side encryption, Kerberos, file streams and event classes, which this package does not export. */
  const leftOut =
    /^(MongoCrypt|ClientEncryption|AutoEncryption|GSSAPI|GridFSBucket(Read|Write)|ChangeStreamCursor|CancellationToken|MongoClientAuthProviders)|Event$/;
  test('are those of the official driver, except the listed ones', () => {
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

  test('error classes have the same base classes', () => {
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

  test('MongoErrorLabel has the same labels', () => {
    expect(official.MongoErrorLabel).toMatchObject(ours.MongoErrorLabel);
  });
});
