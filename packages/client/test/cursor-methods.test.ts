/**
 * The setters of cursors and the options of database and collection methods: the commands that they send and the values
 * that they reject.
 */
import { CursorTimeoutMode, MongoAPIError, MongoCursorInUseError, MongoInvalidArgumentError } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';
import type { Setup } from './with-server.js';

/**
 * Returns the commands that are sent while the function runs, without fields that every command has. Server errors are
 * ignored.
 */
const sentBy = async ({ events }: Pick<Setup, 'events'>, run: () => unknown): Promise<readonly Document[]> => {
  events.length = 0;
  await Promise.resolve(run()).catch(() => undefined);
  return events.flatMap(event => {
    if (event.name !== 'commandStarted') return [];
    const { lsid: _, $db: __, txnNumber: ___, ...command } = event.command;
    return [command];
  });
};

const thrown = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return 'nothing was thrown';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the cursor of a find', () => {
  test('sends the values of its setters', () =>
    withServer(async setup => {
      const { films } = setup;
      const cursor = films.find({ a: 1 }).filter({ b: 2 });
      const set = cursor
        .sort({ a: -1 })
        .project({ a: 1 })
        .limit(5)
        .skip(2)
        .hint('_id_')
        .min({ _id: 0 })
        .max({ _id: 9 });
      set.comment('why').collation({ locale: 'simple' }).allowDiskUse().returnKey(false).showRecordId(true);
      set.batchSize(3).maxTimeMS(1000);
      expect(await sentBy(setup, () => cursor.toArray())).toEqual([
        {
          ...{
            find: 'films',
            filter: { b: 2 },
            sort: { a: -1 },
            projection: { a: 1 },
            limit: 5,
            skip: 2,
            hint: '_id_',
          },
          ...{ min: { _id: 0 }, max: { _id: 9 }, comment: 'why', collation: { locale: 'simple' }, allowDiskUse: true },
          ...{ returnKey: false, showRecordId: true, batchSize: 3, maxTimeMS: 1000 },
        },
      ]);
      expect(await sentBy(setup, () => films.find().sort('a', -1).allowDiskUse(false).toArray())).toEqual([
        { find: 'films', filter: {}, sort: { a: -1 }, allowDiskUse: false },
      ]);
      expect(await sentBy(setup, () => films.find({}, { projection: ['a', 'b'] }).toArray())).toEqual([
        { find: 'films', filter: {}, projection: { a: 1, b: 1 } },
      ]);
    }));

  test('accepts the query modifiers of old servers', () =>
    withServer(async setup => {
      const cursor = setup.films.find();
      const modifiers: Document = {
        ...{ $query: { a: 1 }, $orderby: { a: 1 }, $comment: 'why', $hint: '_id_', $max: { _id: 9 }, $min: { _id: 0 } },
        ...{ $maxTimeMS: 1000, $returnKey: true, $showDiskLoc: true },
      };
      for (const [name, value] of Object.entries(modifiers)) cursor.addQueryModifier(name, value);
      expect(await sentBy(setup, () => cursor.toArray())).toEqual([
        {
          ...{ find: 'films', filter: { a: 1 }, sort: { a: 1 }, comment: 'why', hint: '_id_', max: { _id: 9 } },
          ...{ min: { _id: 0 }, maxTimeMS: 1000, returnKey: true, showRecordId: true },
        },
      ]);
      for (const name of ['$where', 'toString'])
        expect(() => setup.films.find().addQueryModifier(name, 1)).toThrow(
          new MongoInvalidArgumentError(`Unknown query modifier '${name}'. Use the method of the cursor instead.`),
        );
      const [{ $query }] = [{ $query: { a: 1 } }];
      const explained = setup.films.find($query).addQueryModifier('$explain', true);
      expect((await sentBy(setup, () => explained.toArray()))[0]).toMatchObject({ explain: { find: 'films' } });
    }));

  test('has flags, and rejects unknown ones', () =>
    withServer(async setup => {
      const cursor = setup.films.find().addCursorFlag('tailable', true).addCursorFlag('awaitData', true);
      cursor.addCursorFlag('noCursorTimeout', true).maxAwaitTimeMS(5);
      expect((await sentBy(setup, () => cursor.tryNext()))[0]).toEqual({
        ...{ find: 'films', filter: {}, tailable: true, awaitData: true, noCursorTimeout: true },
      });
      await cursor.close();
      const other = setup.films.find().addCursorFlag('oplogReplay', true).addCursorFlag('exhaust', false);
      other.addCursorFlag('partial', true);
      expect((await sentBy(setup, () => other.next()))[0]).toEqual({ find: 'films', filter: {} });
      expect(() => setup.films.find().addCursorFlag('slow' as never, true)).toThrow(
        new MongoInvalidArgumentError(
          'Unknown cursor flag "slow". Use one of tailable, noCursorTimeout, awaitData, oplogReplay, exhaust, partial.',
        ),
      );
      for (const value of [undefined, null, 1])
        expect(() => setup.films.find().addCursorFlag('partial', value as never)).toThrow(MongoInvalidArgumentError);
    }));

  test('rejects a missing number and an invalid read preference when the setter is called', () =>
    withServer(async ({ films }) => {
      for (const setter of ['limit', 'skip', 'batchSize', 'maxTimeMS', 'maxAwaitTimeMS'] as const)
        for (const value of [undefined, null])
          expect(() => films.find()[setter](value as never), setter).toThrow(MongoInvalidArgumentError);
      for (const value of [undefined, null, 'bad', { mode: 'bad' }])
        expect(() => films.find().withReadPreference(value as never)).toThrow(MongoInvalidArgumentError);
    }));

  test('rejects setters after the first read', () =>
    withServer(async ({ films }) => {
      await films.insertOne({ _id: 1 });
      const cursor = films.find();
      await cursor.next();
      const begun = (what: string): MongoCursorInUseError =>
        new MongoCursorInUseError(
          `The cursor on shop.films has started. Set ${what} before the first document is read.`,
        );
      expect(() => cursor.limit(5)).toThrow(begun('limit'));
      expect(() => cursor.filter({})).toThrow(begun('filter'));
      expect(() => cursor.map(document => document)).toThrow(begun('map'));
      expect(() => cursor.withReadConcern('local')).toThrow(begun('readConcern'));
      expect(() => cursor.addCursorFlag('exhaust', false)).toThrow(begun('exhaust'));
      cursor.rewind();
      expect(await cursor.limit(5).toArray()).toEqual([{ _id: 1 }]);
    }));

  test('returns an unused cursor with the same options from clone', () =>
    withServer(async setup => {
      const cursor = setup.films.find({ a: 1 }).sort({ a: 1 }).limit(5);
      const clone = cursor.clone();
      cursor.limit(6);
      expect(await sentBy(setup, () => clone.toArray())).toEqual([
        { find: 'films', filter: { a: 1 }, sort: { a: 1 }, limit: 5 },
      ]);
    }));

  test('counts with its filter and options', () =>
    withServer(async setup => {
      const count = () => setup.films.find({ a: 1 }).skip(2).limit(5).hint('_id_').comment('why').count({ skip: 3 });
      expect(await sentBy(setup, count)).toEqual([
        { count: 'films', query: { a: 1 }, skip: 3, limit: 5, hint: '_id_', comment: 'why' },
      ]);
    }));

  test('exposes its namespace, concerns and state', () =>
    withServer(async ({ films }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const { signal } = new AbortController();
      const cursor = films.find({}, { batchSize: 2, readPreference: 'nearest', readConcern: 'local', signal });
      const state = () => [cursor.id, cursor.closed, cursor.killed, cursor.bufferedCount()];
      expect([state(), cursor.namespace, cursor.readPreference.mode, cursor.readConcern?.level]).toEqual([
        ...[[undefined, false, false, 0], { db: 'shop', collection: 'films' }, 'nearest', 'local'],
      ]);
      expect(cursor.signal).toBe(signal);
      expect(await cursor.next()).toEqual({ _id: 1 });
      expect([state().slice(1), cursor.id?.isZero()]).toEqual([[false, false, 1], false]);
      expect([cursor.readBufferedDocuments(0), cursor.readBufferedDocuments(), cursor.readBufferedDocuments()]).toEqual(
        [...[[], [{ _id: 2 }], []]],
      );
      await cursor.close();
      expect(state().slice(1)).toEqual([true, true, 0]);
      const closed = 'The cursor is closed. Call rewind() or create another cursor to read again.';
      await expect(cursor.next()).rejects.toMatchObject({ name: 'MongoCursorExhaustedError', message: closed });
      await expect(cursor.tryNext()).rejects.toMatchObject({ name: 'MongoCursorExhaustedError', message: closed });
      expect([await cursor.hasNext(), await cursor.toArray()]).toEqual([false, []]);
      const whole = films.find();
      expect([(await whole.toArray()).length, whole.closed, whole.killed, whole.id?.isZero()]).toEqual([
        ...[3, true, false, true],
      ]);
      expect([await whole.next(), await whole.tryNext()]).toEqual([null, null]);
    }));

  test('applies several map functions in order, and rejects null as their result', () =>
    withServer(async ({ films }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }]);
      const mapped = films
        .find()
        .map(({ _id }) => _id * 2)
        .map(twice => `${twice}`);
      expect(await mapped.toArray()).toEqual(['2', '4']);
      mapped.rewind();
      expect([await mapped.next(), mapped.readBufferedDocuments()]).toEqual(['2', ['4']]);
      const refused = new MongoAPIError(
        'The function given to map returned null, which marks the end of a cursor. Return undefined instead.',
      );
      await expect(
        films
          .find()
          .map(() => null)
          .next(),
      ).rejects.toThrow(refused);
      await expect(
        films
          .find()
          .map(() => null)
          .toArray(),
      ).rejects.toThrow(refused);
      expect(
        await films
          .find()
          .map(() => undefined)
          .toArray(),
      ).toEqual([undefined, undefined]);
    }));

  test('emits close once, and again after it was rewound', () =>
    withServer(async ({ films }) => {
      await films.insertOne({ _id: 1 });
      let closings = 0;
      const cursor = films.find().on('close', () => (closings += 1));
      await cursor.toArray();
      await cursor.close();
      const seen = [closings];
      cursor.rewind();
      await cursor.toArray();
      expect([...seen, closings]).toEqual([1, 2]);
    }));

  test('calls the forEach callback until it returns false', () =>
    withServer(async ({ films }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const seen: number[] = [];
      const cursor = films.find();
      await cursor.forEach(({ _id }) => {
        seen.push(_id);
        return _id < 2;
      });
      expect([seen, cursor.closed]).toEqual([[1, 2], true]);
    }));
});

describe('Client Side Operations Timeout, "Cursors": timeoutMode', () => {
  test('requires timeoutMS, and must suit the cursor', () =>
    withServer(async ({ films, client }) => {
      const { ITERATION, LIFETIME } = CursorTimeoutMode;
      expect([ITERATION, LIFETIME]).toEqual(['iteration', 'cursorLifetime']);
      const found = (options: object) => () => films.find({}, options);
      const watched = (options: object) => () => films.watch([], options);
      const rows: readonly (readonly [run: () => unknown, message: string])[] = [
        [found({ timeoutMode: 'iteration' }), '"timeoutMode" requires "timeoutMS".'],
        [
          found({ timeoutMode: 'forever', timeoutMS: 5 }),
          `Unknown "timeoutMode" 'forever'. Use one of iteration, cursorLifetime.`,
        ],
        [
          found({ timeoutMS: 5, maxAwaitTimeMS: 5 }),
          '"maxAwaitTimeMS" (5) must be less than "timeoutMS" (5), or every wait would time out.',
        ],
        [
          found({ timeoutMS: 5, timeoutMode: 'cursorLifetime', tailable: true }),
          'The "timeoutMode" of a tailable cursor must be "iteration", because such a cursor has no end.',
        ],
        [
          watched({ timeoutMS: 5, maxAwaitTimeMS: 5 }),
          '"maxAwaitTimeMS" (5) must be less than "timeoutMS" (5), or every call would time out.',
        ],
        ...[[{ $out: 'x' }], [{ $merge: 'x' }]].map(
          pipeline =>
            [
              () => films.aggregate(pipeline, { timeoutMS: 5, timeoutMode: 'iteration' }),
              'The "timeoutMode" of an aggregation with $out or $merge must be "cursorLifetime", because it sends only one command.',
            ] as const,
        ),
        [
          () => films.aggregate([], { out: 'x', timeoutMS: 5, timeoutMode: 'iteration' }),
          'The "timeoutMode" of an aggregation with $out or $merge must be "cursorLifetime", because it sends only one command.',
        ],
      ];
      for (const [run, message] of rows) expect(await thrown(run)).toBe(message);
      for (const run of [
        found({ timeoutMS: 5, maxAwaitTimeMS: 4 }),
        found({ timeoutMS: 0, maxAwaitTimeMS: 5 }),
        found({ timeoutMS: 5, timeoutMode: 'iteration', tailable: true }),
        watched({ timeoutMS: 5, maxAwaitTimeMS: 4 }),
        watched({ timeoutMS: 0, maxAwaitTimeMS: 5 }),
        () => films.aggregate([{ $out: 'x' }], { timeoutMS: 5, timeoutMode: 'cursorLifetime' }),
        () => films.aggregate([{ $match: {} }], { timeoutMS: 5, timeoutMode: 'iteration' }),
      ])
        expect(run).not.toThrow();
      const timed = client.db('shop', { timeoutMS: 5 }).collection('films');
      expect(() => timed.find({}, { timeoutMode: 'iteration' })).not.toThrow();
    }));
});

describe('the cursor of an aggregation', () => {
  test('sends the stages that its methods add, and uses the settings of its collection', () =>
    withServer(async setup => {
      const { films } = setup;
      const cursor = films.aggregate([{ $match: { a: 1 } }], { out: 'others', allowDiskUse: true, let: { x: 1 } });
      cursor.match({ b: 1 }).project({ b: 1 }).group({ _id: '$b' }).sort({ b: -1 }).limit(5).skip(2).unwind('$b');
      cursor
        .lookup({ from: 'x' })
        .redact({ $cond: 1 })
        .geoNear({ near: 1 })
        .addStage({ $set: { c: 1 } });
      const stages = [
        ...[{ $match: { a: 1 } }, { $match: { b: 1 } }, { $project: { b: 1 } }, { $group: { _id: '$b' } }],
        ...[{ $sort: { b: -1 } }, { $limit: 5 }, { $skip: 2 }, { $unwind: '$b' }, { $lookup: { from: 'x' } }],
        ...[{ $redact: { $cond: 1 } }, { $geoNear: { near: 1 } }, { $set: { c: 1 } }, { $out: 'others' }],
      ];
      expect(await sentBy(setup, () => cursor.clone().toArray())).toEqual([
        { aggregate: 'films', pipeline: stages, cursor: {}, allowDiskUse: true, let: { x: 1 } },
      ]);
      expect(await sentBy(setup, () => films.aggregate().out({ db: 'a', coll: 'b' }).toArray())).toEqual([
        { aggregate: 'films', pipeline: [{ $out: { db: 'a', coll: 'b' } }], cursor: {} },
      ]);
      const begun = films.aggregate([{ $match: {} }]);
      await begun.toArray();
      expect(() => begun.match({})).toThrow(MongoCursorInUseError);
    }));
});

describe('the cursor of a command', () => {
  test('sends the command unchanged, and applies its setters to getMores', () =>
    withServer(async setup => {
      const { films, client } = setup;
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const command = { find: 'films', batchSize: 1, filter: {} };
      const cursor = client.db().runCursorCommand(command).setBatchSize(1).setComment('why');
      const [first, more] = await sentBy(setup, () => cursor.toArray());
      expect([first, more]).toEqual([
        command,
        { getMore: expect.anything() as unknown, collection: 'films', batchSize: 1, comment: 'why' },
      ]);
      expect([cursor.command, Object.isFrozen(cursor.command)]).toEqual([command, true]);
      const timed = client.db().runCursorCommand(command).setMaxTimeMS(50);
      expect((await sentBy(setup, () => timed.toArray()))[1]).toEqual({
        ...{ getMore: expect.anything() as unknown, collection: 'films', maxTimeMS: 50 },
      });
    }));

  test('rejects setters for options that belong in the command', () =>
    withServer(async ({ client }) => {
      const cursor = client.db().runCursorCommand({ find: 'films' });
      const refused = (what: string): MongoAPIError =>
        new MongoAPIError(
          `The command of this cursor is sent unchanged, so put ${what} into the command. setBatchSize, setComment and setMaxTimeMS apply to its getMores.`,
        );
      expect(() => cursor.withReadConcern()).toThrow(refused('the read concern'));
      expect(() => cursor.addCursorFlag()).toThrow(refused('a flag'));
      expect(() => cursor.maxTimeMS()).toThrow(refused('maxTimeMS'));
      expect(() => cursor.batchSize()).toThrow(refused('batchSize'));
      expect(() => cursor.clone()).toThrow(
        new MongoAPIError('The cursor of a command cannot be cloned. Call db.runCursorCommand again.'),
      );
      expect(() => client.db().runCursorCommand(5 as never)).toThrow('The argument "command" must be a document');
      await cursor.close();
    }));
});

describe('the commands of databases and of admin', () => {
  const about = { comment: 'why', maxTimeMS: 1000 };

  test('send their options', () =>
    withServer(async setup => {
      const db = setup.client.db();
      const admin = db.admin();
      const cases: readonly (readonly [run: () => unknown, command: Document])[] = [
        [() => db.stats(), { dbStats: 1 }],
        [() => db.stats({ scale: 1024, ...about }), { dbStats: 1, scale: 1024, ...about }],
        [() => db.dropDatabase(about), { dropDatabase: 1, ...about }],
        [() => db.removeUser('ann', about), { dropUser: 'ann', ...about }],
        [() => admin.removeUser('ann', about), { dropUser: 'ann', ...about }],
        [() => db.profilingLevel(about), { profile: -1, ...about }],
        [() => db.setProfilingLevel('off', about), { profile: 0, ...about }],
        [() => db.setProfilingLevel('slow_only'), { profile: 1 }],
        [() => db.setProfilingLevel('all'), { profile: 2 }],
        [() => admin.buildInfo(), { buildInfo: 1 }],
        [() => admin.serverInfo(), { buildInfo: 1 }],
        [() => admin.serverStatus(), { serverStatus: 1 }],
        [() => admin.ping(), { ping: 1 }],
        [() => admin.replSetGetStatus(), { replSetGetStatus: 1 }],
        [() => admin.listDatabases(), { listDatabases: 1 }],
        [
          () => admin.listDatabases({ filter: { name: 'x' }, nameOnly: true, authorizedDatabases: false, ...about }),
          { listDatabases: 1, filter: { name: 'x' }, nameOnly: true, authorizedDatabases: false, ...about },
        ],
        [() => admin.validateCollection('films'), { validate: 'films' }],
        [
          () => admin.validateCollection('films', { background: false, full: true, ...about }),
          { validate: 'films', background: false, full: true, ...about },
        ],
        [() => db.dropCollection('films', about), { drop: 'films', ...about }],
        [
          () => db.renameCollection('films', 'others', { dropTarget: true, ...about }),
          { renameCollection: 'shop.films', to: 'shop.others', dropTarget: true, ...about },
        ],
        [() => setup.films.rename('others'), { renameCollection: 'shop.films', to: 'shop.others' }],
        [() => setup.films.dropIndex('a_1', about), { dropIndexes: 'films', index: 'a_1', ...about }],
        [() => setup.films.dropIndexes(), { dropIndexes: 'films', index: '*' }],
      ];
      for (const [run, command] of cases) expect(await sentBy(setup, run), String(run)).toEqual([command]);
      const options = {
        ...{ capped: true, size: 5, max: 6, validator: {}, validationLevel: 'off', validationAction: 'warn' },
        ...{ viewOn: 'x', pipeline: [], collation: { locale: 'de' }, timeseries: { timeField: 't' } },
        ...{ clusteredIndex: {}, expireAfterSeconds: 7, changeStreamPreAndPostImages: { enabled: true } },
        ...{ storageEngine: {}, indexOptionDefaults: {}, idIndex: {}, flags: 1, encryptedFields: {}, ...about },
      };
      const created = await sentBy(setup, () => db.createCollection('new', options as never));
      expect(created).toEqual([{ create: 'new', ...options }]);
    }));

  test('return a known profiling level', () =>
    withServer(async ({ client }) => {
      const db = client.db();
      for (const [level, shown] of [
        ['some', '"some"'],
        [1, 'number'],
      ])
        expect(await thrown(() => db.setProfilingLevel(level as never))).toBe(
          `Unknown profiling level ${shown}. Use one of off, slow_only, all.`,
        );
    }));

  test('invalid names are rejected with the kind of name', () =>
    withServer(async ({ client }) => {
      const db = client.db();
      for (const character of [' ', '.', '"', '$', '/', '\\', '\0']) {
        const [name, shown] = [`a${character}b`, JSON.stringify(character)];
        expect(() => client.db(name)).toThrow(
          new MongoInvalidArgumentError(
            `${JSON.stringify(name)} cannot be the name of a database, because it contains ${shown}.`,
          ),
        );
      }
      expect(client.db('$external').databaseName).toBe('$external');
      for (const [name, why] of [
        ['', 'is empty'],
        ['.a', 'starts with "."'],
        ['a..b', 'contains ".."'],
        ['a.', 'ends with "."'],
        ['a\0b', 'contains "\\u0000"'],
        ['$', 'starts with "$"'],
        ['$cmd', 'starts with "$"'],
      ] as const) {
        const refused = new MongoInvalidArgumentError(
          `${JSON.stringify(name)} cannot be the name of a collection, because it ${why}.`,
        );
        expect(() => db.collection(name)).toThrow(refused);
        await expect(db.createCollection(name)).rejects.toThrow(refused);
      }
      expect(() => db.collection(5 as never)).toThrow(
        new MongoInvalidArgumentError('The name of a collection must be a string, but is 5.'),
      );
      for (const name of ['a.b', 'a$b', 'a b']) expect(db.collection(name).collectionName).toBe(name);
    }));
});

test('arguments that must be a list or document are rejected with the expected type', () =>
  withServer(async ({ client, films, events }) => {
    const rows: readonly (readonly [run: () => unknown, message: string])[] = [
      [() => films.insertMany({} as never), 'The argument of insertMany must be an array of documents.'],
      [() => films.insertMany([]), 'A bulk write needs at least one operation, but the list is empty.'],
      [() => films.bulkWrite([]), 'A bulk write needs at least one operation, but the list is empty.'],
      [() => films.bulkWrite({} as never), 'The argument of bulkWrite must be an array of operations.'],
      [() => films.dropIndex('*'), "'*' selects all indexes. Use dropIndexes to drop them."],
      [() => client.bulkWrite([]), 'MongoClient.bulkWrite needs at least one write, but the list is empty.'],
      [() => client.bulkWrite({} as never), 'The argument "models" must be an array, but is an object.'],
      ...[undefined, 'films', 5].map(
        namespace =>
          [
            () => client.bulkWrite([{ name: 'insertOne', namespace, document: {} } as never]),
            `Each write of MongoClient.bulkWrite needs a "namespace" such as 'db.collection'.`,
          ] as const,
      ),
      [
        () => client.bulkWrite([{ name: 'remove', namespace: 'shop.films' } as never]),
        "Unknown bulk write operation 'remove'. Use insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.",
      ],
      [
        () =>
          client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: {} }], {
            ...{ writeConcern: { w: 0 }, verboseResults: true, ordered: false },
          }),
        'Cannot request unacknowledged write concern and verbose results.',
      ],
      [
        () =>
          client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: {} }], { writeConcern: { w: 0 } }),
        'Cannot request unacknowledged write concern and ordered writes.',
      ],
    ];
    for (const [run, message] of rows) expect(await thrown(run)).toBe(message);
    expect(events).toEqual([]);
    expect(await thrown(() => client.db().collection('none').options())).toBe(
      'The collection shop.none does not exist.',
    );
  }));
