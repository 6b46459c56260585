/** The properties of sessions and clients, and the calls that they reject. */
import {
  ClientSession,
  MongoClient,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNotConnectedError,
  MongoParseError,
  MongoRuntimeError,
  ReadConcern,
  ReadPreference,
  ServerSession,
  TypedEmitter,
  WriteConcern,
} from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { Binary, Long, Timestamp } from 'bson';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';

const { runtime } = createWorld({ turn: () => Promise.resolve() });
const clientOf = (options: MongoClientOptions = {}, url = 'mongodb://db1,db2:27018/shop'): MongoClient =>
  new MongoClient(url, options, { runtime });

describe('a session', () => {
  test('exposes its options, with their defaults', () => {
    const client = clientOf({ timeoutMS: 100 });
    const at = new Timestamp({ t: 5, i: 1 });
    const emitted = (session: ClientSession): unknown => [
      ...[session.supports, session.snapshotEnabled, session.defaultTransactionOptions, session.timeoutMS],
    ];
    expect([
      emitted(client.startSession()),
      emitted(client.startSession({ causalConsistency: false, defaultTimeoutMS: 5 })),
      emitted(client.startSession({ snapshot: true, defaultTransactionOptions: { maxCommitTimeMS: 5 } })),
    ]).toEqual([
      [{ causalConsistency: true }, false, {}, 100],
      [{ causalConsistency: false }, false, {}, 5],
      [{ causalConsistency: false }, true, { maxCommitTimeMS: 5 }, 100],
    ]);
    const snapshot = client.startSession({ snapshot: true, snapshotTime: at });
    expect([snapshot.snapshotTime, client.startSession({ snapshot: true }).snapshotTime]).toEqual([at, undefined]);
    expect(() => client.startSession().snapshotTime).toThrow(
      new MongoInvalidArgumentError('Only a snapshot session has a snapshotTime. Start one with { snapshot: true }.'),
    );
  });

  test('exposes its client and that it is explicit, and has no times yet', () => {
    const client = clientOf();
    const session = client.startSession();
    const { clusterTime, operationTime, isPinned, hasEnded, explicit } = session;
    expect({
      clusterTime,
      operationTime,
      isPinned,
      hasEnded,
      explicit,
      inTransaction: session.inTransaction(),
    }).toEqual({
      ...{ clusterTime: undefined, operationTime: undefined, isPinned: false, hasEnded: false, explicit: true },
      inTransaction: false,
    });
    expect(session.client).toBe(client);
    expect(session.clientOptions).toBe(client.options);
    expect([session.equals(session), session.equals(client.startSession())]).toEqual([true, false]);
    expect(session.transaction).toEqual({
      ...{ state: 'NO_TRANSACTION', isActive: false, isStarting: false, isCommitted: false, isPinned: false },
    });
  });

  test('has an id, and increments its transaction number', () =>
    withServer(async ({ client }) => {
      const session = client.startSession();
      const { id } = session;
      expect(id).toEqual({ id: expect.objectContaining({ sub_type: 4 }) as unknown });
      expect(session.serverSession).toEqual(new ServerSession(id, 0, 0, false));
      session.incrementTransactionNumber();
      expect(session.serverSession.txnNumber).toBe(1);
      await session.endSession();
    }));

  test('has the time of its last use', () =>
    withServer(async ({ world, client, films }) => {
      const session = client.startSession();
      const { lastUse } = session.serverSession;
      await world.runtime.clock.sleep(5);
      await films.findOne({}, { session });
      expect(session.serverSession.lastUse).toBeGreaterThanOrEqual(lastUse + 5);
      await session.endSession();
    }));

  test('is load balanced if its client is', () => {
    const balanced = clientOf({ loadBalanced: true }, 'mongodb://db1');
    expect([clientOf(), balanced].map(client => client.startSession().loadBalanced)).toEqual([false, true]);
  });

  test('advances to the times of another session, and rejects other values', () =>
    withServer(async ({ client }) => {
      const [session, other] = [client.startSession(), client.startSession()];
      const signature = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };
      const clusterTime = { clusterTime: new Timestamp({ t: 5, i: 1 }), signature };
      session.advanceClusterTime(clusterTime);
      session.advanceOperationTime(clusterTime.clusterTime);
      expect([session.clusterTime, session.operationTime]).toEqual([clusterTime, clusterTime.clusterTime]);
      expect(other.clusterTime).toBeUndefined();
      expect(() => {
        session.advanceClusterTime({ clusterTime: 5 as never });
      }).toThrow(MongoInvalidArgumentError);
      expect(() => {
        session.advanceOperationTime(5 as never);
      }).toThrow('The argument "operationTime" must be a Timestamp, but is 5.');
      await session.endSession();
      await other.endSession();
    }));

  test('ends with its client, and emits ended', () =>
    withServer(async ({ client }) => {
      const session = client.startSession();
      let emitted = 0;
      session.on('ended', () => emitted++);
      await client.db('shop').collection('films').findOne({}, { session });
      await client.close();
      expect([session.hasEnded, emitted]).toEqual([true, 1]);
      await session.endSession();
      expect(emitted).toBe(1);
    }));

  test('ends once, emits ended, and then rejects every call', () =>
    withServer(async ({ client }) => {
      const session = client.startSession();
      const emitted: unknown[] = [];
      session.on('ended', one => emitted.push(one));
      await session.endSession();
      await session.endSession();
      await session[Symbol.asyncDispose]();
      expect([emitted.length, emitted[0] === session, session.hasEnded]).toEqual([1, true, true]);
      const ended = new MongoExpiredSessionError('The session has ended. Start another one with startSession().');
      for (const use of [
        () => session.id,
        () => session.serverSession,
        () => {
          session.startTransaction();
        },
        () => {
          session.advanceOperationTime(new Timestamp(1n));
        },
        () => {
          session.incrementTransactionNumber();
        },
      ])
        expect(use).toThrow(ended);
      await expect(session.commitTransaction()).rejects.toThrow(ended);
      await expect(session.abortTransaction()).rejects.toThrow(ended);
      expect(session.inTransaction()).toBe(false);
    }));

  test('belongs to one client, and cannot be stored in a document', () => {
    const session = clientOf().startSession();
    expect(() => session.use(clientOf())).toThrow(
      new MongoInvalidArgumentError('The session belongs to another client. Start one with this client.'),
    );
    expect(() => session.toBSON()).toThrow(
      new MongoRuntimeError('A session cannot be stored in a document. Pass it as the option { session }.'),
    );
  });

  test('shares the timeout of withTransaction with its operations, which must not set their own', () =>
    withServer(async ({ client, films }) => {
      const session = client.startSession();
      expect([session.sharedDeadline(undefined), session.sharedDeadline(5)]).toEqual([undefined, undefined]);
      const within = await session
        .withTransaction(
          async () => {
            expect(session.sharedDeadline(undefined)).toBe(client.clock.now() + 1000);
            await films.find({}, { session, timeoutMS: 5 }).toArray();
          },
          { timeoutMS: 1000 },
        )
        .catch((error: unknown) => error);
      expect(within).toMatchObject({
        ...{ name: 'MongoInvalidArgumentError' },
        message:
          '"timeoutMS" cannot be set for an operation in withTransaction, because all its operations share one timeout. Remove the option.',
      });
      expect(session.sharedDeadline(5)).toBeUndefined();
      await session.endSession();
    }));

  test('is rejected with contradictory or invalid options', () => {
    const client = clientOf();
    for (const options of [{ snapshot: true, causalConsistency: true }, { defaultTimeoutMS: -1 }, { snapshotTime: 5 }])
      expect(() => client.startSession(options as never)).toThrow(MongoInvalidArgumentError);
  });
});

describe('a client', () => {
  test('exposes its options, with their defaults', () => {
    const plain = clientOf();
    const { readConcern, writeConcern, serverApi, timeoutMS } = plain;
    expect({ readConcern, writeConcern, serverApi, timeoutMS }).toEqual({
      ...{ readConcern: undefined, writeConcern: undefined, serverApi: undefined, timeoutMS: undefined },
    });
    expect(plain.readPreference).toBe(ReadPreference.primary);
    const client = clientOf({
      ...{ readPreference: 'nearest', readConcernLevel: 'majority', w: 2, wtimeoutMS: 5, journal: true },
      ...{ serverApi: '1', timeoutMS: 7, promoteLongs: false },
    });
    expect([client.readPreference, client.readConcern, client.writeConcern]).toEqual([
      new ReadPreference('nearest'),
      new ReadConcern('majority'),
      new WriteConcern(2, 5, true),
    ]);
    expect([client.serverApi, client.timeoutMS, client.bsonOptions.promoteLongs]).toEqual([{ version: '1' }, 7, false]);
    expect([client.options.serverApi, plain.options.serverApi]).toEqual([{ version: '1' }, undefined]);
    expect(clientOf({ writeConcern: { w: 3 }, w: 2 }).writeConcern).toEqual(new WriteConcern(3));
    const api = { version: '1', strict: true } as const;
    const stated = clientOf({ serverApi: api }).serverApi;
    expect(stated).toEqual(api);
    expect(stated).not.toBe(api);
  });

  test('uses the database of its connection string, test without one, or the given one', () => {
    const client = clientOf();
    const plain = clientOf({}, 'mongodb://db1');
    expect(
      [client.db(), client.db(null), client.db(''), client.db('other'), plain.db()].map(db => db.databaseName),
    ).toEqual(['shop', 'shop', 'shop', 'other', 'test']);
  });

  test('has an inspected form with its hosts and state', async () => {
    const client = clientOf();
    const printed = [inspect(client), inspect(clientOf({}, 'mongodb+srv://db.example.com/shop'))];
    await client.close();
    expect([...printed, inspect(client)]).toEqual([
      'MongoClient { mongodb://db1:27017,db2:27018/shop, new }',
      'MongoClient { mongodb+srv://db.example.com/shop, new }',
      'MongoClient { mongodb://db1:27017,db2:27018/shop, closed }',
    ]);
    expect(() => client.driver).toThrow(
      new MongoNotConnectedError(
        'The client is closed. Create a new MongoClient, or call connect() to open this one again.',
      ),
    );
  });

  test('rejects an invalid connection string and invalid options', () => {
    expect(() => clientOf({}, 'http://db1')).toThrow(MongoParseError);
    expect(() => clientOf({ maxPoolSize: -1 })).toThrow(MongoParseError);
    expect(() => {
      clientOf().appendMetadata({ name: 'a|b' });
    }).toThrow(MongoInvalidArgumentError);
  });

  test('withSession ends its session when the callback ends, also by an error', async () => {
    const client = clientOf();
    const sessions: ClientSession[] = [];
    const use = (answer: () => unknown) => async (session: ClientSession) => {
      sessions.push(session);
      return Promise.resolve(answer());
    };
    const failing = (): never => {
      throw new Error('mine');
    };
    expect(await client.withSession(use(() => 5))).toBe(5);
    expect(
      await client.withSession(
        { causalConsistency: false },
        use(() => 6),
      ),
    ).toBe(6);
    await expect(client.withSession(use(failing))).rejects.toThrow('mine');
    expect(sessions.map(({ hasEnded, supports }) => [hasEnded, supports.causalConsistency])).toEqual([
      [true, true],
      [true, false],
      [true, true],
    ]);
  });
});

describe("an emitter with the methods of Node.js's EventEmitter", () => {
  type Events = {
    readonly said: (word: string) => void;
    readonly done: () => void;
  };

  test('counts, names and removes its listeners', () => {
    const emitter = new TypedEmitter<Events>();
    const listener = (): void => undefined;
    expect([emitter.listenerCount('said'), emitter.listeners('said'), emitter.eventNames()]).toEqual([0, [], []]);
    expect(emitter.removeAllListeners('said').removeAllListeners().off('said', listener)).toBe(emitter);
    emitter.addListener('said', listener).on('said', listener).on('done', listener).setMaxListeners(5);
    expect([emitter.listenerCount('said'), emitter.listenerCount('done'), emitter.eventNames()]).toEqual([
      ...[2, 1, ['said', 'done']],
    ]);
    expect(emitter.removeListener('said', listener).listenerCount('said')).toBe(1);
    emitter.off('said', () => undefined);
    expect(emitter.listenerCount('said')).toBe(1);
    expect(emitter.removeAllListeners('said').eventNames()).toEqual(['done']);
    expect(emitter.removeAllListeners().eventNames()).toEqual([]);
  });

  test('emit returns whether there was a listener, and calls the listeners present at its start', () => {
    const emitter = new TypedEmitter<Events>();
    const recorded: string[] = [];
    emitter.on('said', word => {
      recorded.push(word);
      emitter.on('said', later => recorded.push(`later ${later}`));
    });
    expect([emitter.emit('done'), emitter.emit('said', 'a'), recorded]).toEqual([false, true, ['a']]);
    emitter.emit('said', 'b');
    expect(recorded).toEqual(['a', 'b', 'later b']);
  });
});
