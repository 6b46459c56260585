/** Details of calls in which programs for the official driver rely on its behavior. */
import { MongoClient, MongoWriteConcernError } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';
import type { Setup } from './with-server.js';

const { runtime } = createWorld({ turn: () => Promise.resolve() });
const clientOf = (options: MongoClientOptions): MongoClient => new MongoClient('mongodb://db1', options, { runtime });

/** Returns the last command with this name. */
const sent = ({ events }: Pick<Setup, 'events'>, name: string): Document | undefined =>
  events
    .flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event.command] : []))
    .at(-1);

describe('a command', () => {
  test('count has the collation of estimatedDocumentCount', () =>
    withServer(async setup => {
      await setup.films.estimatedDocumentCount({ collation: { locale: 'en' } });
      expect(sent(setup, 'count')).toMatchObject({ collation: { locale: 'en' } });
    }));

  test('find has noCursorTimeout if the option timeout is false', () =>
    withServer(async setup => {
      await setup.films.find({}, { timeout: false }).toArray();
      expect(sent(setup, 'find')).toMatchObject({ noCursorTimeout: true });
    }));

  test.each([
    [['title', 'year'], { title: 1, year: 1 }],
    [[], { _id: 1 }],
  ])('find has the fields of the list %j as its projection', async (names, projection) => {
    await withServer(async setup => {
      await setup.films.find({}, { projection: names }).toArray();
      expect(sent(setup, 'find')?.['projection']).toEqual(projection);
    });
  });

  test('explain has the time limit of the call', () =>
    withServer(async setup => {
      await setup.films.find().explain('queryPlanner', { maxTimeMS: 1000 });
      expect(sent(setup, 'explain')).toMatchObject({ verbosity: 'queryPlanner', maxTimeMS: 1000 });
    }));

  test('update has the fields of a statement in a fixed order', () =>
    withServer(async setup => {
      const update = { filter: {}, update: { $set: { a: 1 } }, upsert: true, arrayFilters: [], hint: '_id_' };
      const collation = { locale: 'en' };
      await setup.films.bulkWrite([{ updateMany: { collation, ...update } }]).catch(() => undefined);
      expect(Object.keys((sent(setup, 'update')!['updates'] as Document[])[0]!).join(' ')).toBe(
        'q u upsert multi hint arrayFilters collation',
      );
    }));
});

describe('an argument is rejected before a command is sent', () => {
  test.each([[[{}]], [[null]], [[{ $set: { a: 1 } }, { a: 1 }]]])(
    'an update pipeline with a stage without an operator: %j',
    async update => {
      await withServer(async setup => {
        await expect(setup.films.updateOne({}, update as Document[])).rejects.toMatchObject({
          name: 'MongoInvalidArgumentError',
        });
        expect(setup.events).toEqual([]);
      });
    },
  );

  test('useBigInt64 with promoteLongs or promoteValues set to false, when the client is created', () => {
    for (const name of ['promoteLongs', 'promoteValues'])
      expect(() => clientOf({ useBigInt64: true, [name]: false })).toThrow('reads int64 as bigint');
  });
});

test('the write concern of a client combines writeConcern with journal and wtimeoutMS', () => {
  const { writeConcern } = clientOf({ writeConcern: { w: 'majority' }, journal: true, wtimeoutMS: 5 });
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 5 });
});

test('a bulk operation has the write concern of its collection', () => {
  const films = clientOf({ w: 'majority' }).db('shop').collection('films');
  expect(films.initializeOrderedBulkOp().writeConcern).toMatchObject({ w: 'majority' });
  expect(films.initializeOrderedBulkOp({ writeConcern: { w: 1 } }).writeConcern).toMatchObject({ w: 1 });
});

test('the errorResponse of a failed write concern has its code and message', () => {
  const unsafe = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waited' };
  const { errorResponse } = new MongoWriteConcernError({ ok: 1, n: 1, writeConcernError: unsafe });
  expect(errorResponse).toEqual({ ok: 1, n: 1, ...unsafe, writeConcernError: unsafe });
});

test('the result of an unacknowledged bulk write is ok, but not acknowledged', () =>
  withServer(async ({ films }) => {
    const result = await films.bulkWrite([{ insertOne: { document: { _id: 1 } } }], { writeConcern: { w: 0 } });
    expect([result.ok, result.isOk(), result.acknowledged]).toEqual([1, true, false]);
  }));

test('a session that was used keeps its id when it ends', () =>
  withServer(async ({ client, films }) => {
    const session = client.startSession();
    await films.findOne({}, { session });
    const { id } = session;
    await session.endSession();
    expect([session.id, session.serverSession.id]).toEqual([id, id]);
    const unused = client.startSession();
    await unused.endSession();
    expect(() => unused.id).toThrow('The session has ended.');
  }));
