/** Sessions with transactions, under the names that applications use, against scripted servers. */
import {
  MongoClient,
  MongoCompatibilityError,
  MongoInvalidArgumentError,
  ReadConcern,
  ReadPreference,
  WriteConcern,
} from '@tessera/client';
import type { ClientSession, Collection, MongoClientOptions } from '@tessera/client';
import type { Document, Runtime } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { AsyncLocalStorage } from 'node:async_hooks';
import { ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';

interface Scenario {
  readonly client: MongoClient;
  readonly films: Collection;
  readonly session: ClientSession;
  /** The names of the received commands, prefixed with the server if there are several. */
  readonly names: () => readonly string[];
  readonly received: readonly Document[];
  readonly runtime: Runtime;
  /** Functions that return the reply to a command. The first result other than undefined is used. */
  readonly answers: ((command: Document, host: string) => ReturnType<Respond> | undefined)[];
  readonly warnings: string[];
}

const cursor = { id: 0n, ns: 'test.films', firstBatch: [] as Document[] };
const plain = (command: Document): Document => ('find' in command || 'aggregate' in command ? { cursor } : { n: 1 });

const follows = (runtime: Runtime, warnings: string[]): Runtime => ({
  ...runtime,
  host: {
    ...runtime.host,
    warn: sentence => warnings.push(sentence),
    createScope: <T>() => {
      const storage = new AsyncLocalStorage<T>();
      return { run: <R>(value: T, call: () => R) => storage.run(value, call), current: () => storage.getStore() };
    },
  },
});

/** Runs a test with one replica set member, or several mongos. */
const withScript =
  (
    program: (scenario: Scenario) => Promise<void>,
    {
      uri = 'mongodb://db1/?replicaSet=rs',
      hosts = ['db1'],
      options = {},
    }: { readonly uri?: string; readonly hosts?: readonly string[]; readonly options?: MongoClientOptions } = {},
  ) =>
  async (): Promise<void> => {
    const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
    const warnings: string[] = [];
    const runtime = follows(world.runtime, warnings);
    await world.run(async () => {
      const received: Document[] = [];
      const named: string[] = [];
      const answers: Scenario['answers'] = [];
      const kind =
        hosts.length > 1 || uri.includes('loadBalanced')
          ? { msg: 'isdbgrid', ...(uri.includes('loadBalanced') ? { serviceId: new ObjectId() } : {}) }
          : { setName: 'rs', hosts: ['db1:27017'], setVersion: 1, me: 'db1:27017', secondary: false };
      const servers = [];
      for (const host of hosts)
        servers.push(
          await scriptServer(world, `${host}:27017`, command => {
            if (isHello(command)) return { ...HELLO, ...kind };
            const name = Object.keys(command)[0]!;
            if (name === 'endSessions') return {};
            received.push(command);
            named.push(hosts.length > 1 ? `${host} ${name}` : name);
            for (const answer of answers) {
              const expectedText = answer(command, host);
              if (expectedText !== undefined) return expectedText;
            }
            return plain(command);
          }),
        );
      const client = new MongoClient(uri, options, { runtime });
      const session = client.startSession();
      const films = client.db().collection('films');
      try {
        await program({ client, films, session, names: () => named, received, runtime, answers, warnings });
      } finally {
        await session.endSession();
        await client.close();
        for (const server of servers) await server.close();
      }
      await runtime.clock.sleep(2000);
    });
    expect(world.leftovers()).toEqual([]);
  };

const failureOf = async (promise: Promise<unknown>): Promise<Error & { labels?: readonly string[] }> => {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
};
/** Returns an answer that fails the command once. */
const refusing = (name: string, code: number, ...errorLabels: string[]): Scenario['answers'][number] => {
  let isDone = false;
  return command => {
    if (isDone || !(name in command)) return undefined;
    isDone = true;
    return { ok: 0, code, errmsg: 'no', errorLabels };
  };
};

describe('operations in a transaction that are not awaited', () => {
  test(
    'run in the order of the calls, before the commit, with one warning per client',
    withScript(async ({ films, session, received, names, warnings }) => {
      session.startTransaction();
      const inserts = [1, 2, 3].map(_id => films.insertOne({ _id } as Document, { session }));
      const commit = session.commitTransaction();
      await Promise.all([...inserts, commit]);
      expect(names()).toEqual(['insert', 'insert', 'insert', 'commitTransaction']);
      expect(received.map(({ startTransaction }) => startTransaction as unknown)).toEqual([
        true,
        undefined,
        undefined,
        undefined,
      ]);
      expect(warnings).toHaveLength(1);
      const [sentence, underWay, waiting] = warnings[0]!.split('\n');
      expect(sentence).toBe(
        'insert was called while insert of the same transaction was running, so it waits until insert ends. ' +
          'Await each operation of a transaction before the next. ' +
          'Set parallelTransactionOperations to "fail" to reject such calls.',
      );
      expect(underWay).toBe('  running: insert (set NODE_ENV=development to record call sites)');
      expect(waiting).toMatch(/^ {2}waiting: insert at .*transactions\.test\.ts:\d+:\d+\)?$/);
    }),
  );

  test(
    'are part of the transaction in withTransaction, even if the callback returns first',
    withScript(async ({ films, session, names }) => {
      let left: Promise<unknown> | undefined;
      const answer = await session.withTransaction(async () => {
        left = Promise.all([1, 2].map(_id => films.insertOne({ _id } as Document, { session })));
        await films.findOne({}, { session });
        return 'done';
      });
      await left;
      expect(answer).toBe('done');
      expect(names()).toEqual(['insert', 'insert', 'find', 'commitTransaction']);
    }),
  );

  test(
    'are sent before an abort',
    withScript(async ({ films, session, names }) => {
      session.startTransaction();
      const inserts = [1, 2].map(_id => films.insertOne({ _id } as Document, { session }));
      await session.abortTransaction();
      await Promise.all(inserts);
      expect(names()).toEqual(['insert', 'insert', 'abortTransaction']);
    }),
  );

  test(
    'client.bulkWrite is also sent before an abort',
    withScript(async ({ client, session, names }) => {
      session.startTransaction();
      const write = { name: 'insertOne', namespace: 'test.films', document: {} } as const;
      // The scripted server does not return the results of the writes.
      const written = client.bulkWrite([write], { session }).catch(() => undefined);
      await session.abortTransaction();
      await written;
      expect(names()).toEqual(['bulkWrite', 'abortTransaction']);
    }),
  );

  test(
    'are sent before endSession aborts the transaction',
    withScript(async ({ films, session, names }) => {
      session.startTransaction();
      const inserts = [1, 2].map(_id => films.insertOne({ _id } as Document, { session }));
      await session.endSession();
      await Promise.all(inserts);
      expect(names()).toEqual(['insert', 'insert', 'abortTransaction']);
    }),
  );

  test(
    'are rejected with parallelTransactionOperations "fail"',
    withScript(
      async ({ films, session, names, warnings }) => {
        session.startTransaction();
        const first = films.insertOne({ _id: 1 } as Document, { session });
        const second = await failureOf(films.insertOne({ _id: 2 } as Document, { session }));
        expect(second).toBeInstanceOf(MongoInvalidArgumentError);
        expect(second.message).toMatch(/^insert was called while insert of the same transaction was running/);
        await first;
        await session.abortTransaction();
        expect([names(), warnings]).toEqual([['insert', 'abortTransaction'], []]);
      },
      { options: { parallelTransactionOperations: 'fail' } },
    ),
  );

  test(
    'include those of a cursor that is read concurrently',
    withScript(async ({ films, session, names, answers }) => {
      answers.push(({ find, getMore }) => {
        if (find !== undefined) return { cursor: { id: 9n, ns: 'test.films', firstBatch: [{ _id: 1 }] } };
        return getMore === undefined ? undefined : { cursor: { id: 0n, ns: 'test.films', nextBatch: [{ _id: 2 }] } };
      });
      session.startTransaction();
      const all = films.find({}, { session }).toArray();
      await films.insertOne({ _id: 3 } as Document, { session });
      expect(await all).toEqual([{ _id: 1 }, { _id: 2 }]);
      await session.commitTransaction();
      expect(names()).toEqual(['find', 'insert', 'getMore', 'commitTransaction']);
    }),
  );
});

describe('a transaction', () => {
  test(
    'contains the operations of its session between start and commit',
    withScript(async ({ films, session, received, names }) => {
      session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
      expect(session.transaction).toEqual({
        ...{ state: 'STARTING_TRANSACTION', isActive: true, isStarting: true },
        ...{ isCommitted: false, isPinned: false },
      });
      expect(session.transaction.options).toEqual({
        readConcern: new ReadConcern('snapshot'),
        writeConcern: WriteConcern.fromOptions({ w: 'majority' }),
        readPreference: ReadPreference.primary,
      });
      await films.insertOne({ _id: 1 } as Document, { session });
      await films.findOne({}, { session });
      expect([session.inTransaction(), session.transaction.state]).toEqual([true, 'TRANSACTION_IN_PROGRESS']);
      await session.commitTransaction();
      expect([session.inTransaction(), session.transaction.state]).toEqual([false, 'TRANSACTION_COMMITTED']);
      await session.endSession();
      expect(session.transaction.state).toBe('TRANSACTION_COMMITTED');
      expect(names()).toEqual(['insert', 'find', 'commitTransaction']);
      const { lsid, txnNumber, autocommit } = received[0]!;
      for (const command of received) expect(command).toMatchObject({ lsid, txnNumber, autocommit });
      expect(received.map(({ startTransaction }) => startTransaction as unknown)).toEqual([true, undefined, undefined]);
      expect(received.map(({ readConcern }) => readConcern as unknown)).toEqual([
        { level: 'snapshot' },
        undefined,
        undefined,
      ]);
      expect(received.map(({ writeConcern }) => writeConcern as unknown)).toEqual([
        undefined,
        undefined,
        { w: 'majority' },
      ]);
    }),
  );

  test(
    'inherits each option from its session, else from the client',
    withScript(
      async ({ client, films, received }) => {
        const session = client.startSession({
          defaultTransactionOptions: { readConcern: { level: 'majority' }, maxCommitTimeMS: 70 },
        });
        session.startTransaction();
        await films.insertOne({}, { session });
        await session.commitTransaction();
        session.startTransaction({ readConcern: { level: 'local' }, writeConcern: { w: 2 }, maxCommitTimeMS: 90 });
        await films.insertOne({}, { session });
        await session.commitTransaction();
        expect(
          received.map(({ readConcern, writeConcern, maxTimeMS }) => [readConcern, writeConcern, maxTimeMS]),
        ).toEqual([
          [{ level: 'majority' }, undefined, undefined],
          [undefined, { w: 3 }, 70],
          [{ level: 'local' }, undefined, undefined],
          [undefined, { w: 2 }, 90],
        ]);
        await session.endSession();
      },
      { options: { w: 3, readConcernLevel: 'available' } },
    ),
  );

  test(
    'rejects an unacknowledged write concern, and ignores that of a collection',
    withScript(async ({ client, films, session, received }) => {
      expect(() => {
        session.startTransaction({ writeConcern: { w: 0 } });
      }).toThrow(/Transactions do not support unacknowledged write concerns/);
      session.startTransaction();
      const silent = client.db().collection('silent', { writeConcern: { w: 0 } });
      expect(await silent.insertOne({}, { session })).toMatchObject({ acknowledged: true });
      await films.insertOne({}, { session });
      expect(received.map(({ writeConcern }) => writeConcern as unknown)).toEqual([undefined, undefined]);
      await session.abortTransaction();
      await expect(silent.insertOne({}, { session })).rejects.toThrow(/unacknowledged/);
    }),
  );

  test(
    'rejects concerns of its operations',
    withScript(async ({ client, films, session, names }) => {
      session.startTransaction();
      const readConcern = { level: 'local' } as const;
      const read = 'Cannot set read concern after starting a transaction.';
      for (const run of [
        () => films.findOne({}, { session, readConcern }),
        () => films.find({}, { session, readConcern }).toArray(),
        () => films.countDocuments({}, { session, readConcern }),
        () => client.db().command({ ping: 1 }, { session, readConcern }),
      ])
        expect(await failureOf(run())).toMatchObject({ name: 'MongoTransactionError', message: read });
      expect(await failureOf(films.insertOne({}, { session, writeConcern: { w: 1 } }))).toMatchObject({
        name: 'MongoTransactionError',
        message: 'Cannot set write concern after starting a transaction.',
      });
      expect([names(), session.transaction.state]).toEqual([[], 'STARTING_TRANSACTION']);
    }),
  );

  test(
    'reads from the primary, and ignores the read preference of the collection',
    withScript(async ({ client, session, names }) => {
      const rejected = {
        name: 'MongoTransactionError',
        message: 'Read preference in a transaction must be primary, not: secondary',
      };
      const films = client.db().collection('films', { readPreference: 'secondary' });
      session.startTransaction();
      await films.findOne({}, { session });
      expect(await failureOf(films.findOne({}, { session, readPreference: 'secondary' }))).toMatchObject(rejected);
      await session.abortTransaction();
      session.startTransaction({ readPreference: 'secondary' });
      await films.insertOne({}, { session });
      expect(await failureOf(films.findOne({}, { session }))).toMatchObject(rejected);
      expect(await failureOf(client.db().command({ ping: 1 }, { session }))).toMatchObject(rejected);
      await session.abortTransaction();
      expect(names()).toEqual(['find', 'abortTransaction', 'insert', 'abortTransaction']);
    }),
  );

  test(
    'may begin with a command of the application',
    withScript(async ({ client, session, received }) => {
      session.startTransaction({ readConcern: { level: 'majority' } });
      await client.db().command({ insert: 'films', documents: [{}] }, { session });
      await session.abortTransaction();
      expect(received[0]).toMatchObject({
        startTransaction: true,
        autocommit: false,
        readConcern: { level: 'majority' },
      });
    }),
  );

  test(
    'has the states and errors of the official driver',
    withScript(async ({ films, session }) => {
      const emitted = async (run: () => Promise<unknown>) => {
        const { name, message } = await failureOf(run());
        expect(name).toBe('MongoTransactionError');
        return message;
      };
      expect(await emitted(() => session.commitTransaction())).toMatch(/^No transaction started/);
      expect(await emitted(() => session.abortTransaction())).toMatch(/^No transaction started/);
      session.startTransaction();
      expect(() => {
        session.startTransaction();
      }).toThrow(/^Transaction already in progress/);
      await films.insertOne({}, { session });
      await session.abortTransaction();
      expect(await emitted(() => session.abortTransaction())).toMatch(/^Cannot call abortTransaction twice/);
      expect(await emitted(() => session.commitTransaction())).toMatch(
        /^Cannot call commitTransaction after calling abort/,
      );
      session.startTransaction();
      await session.commitTransaction();
      expect(await emitted(() => session.abortTransaction())).toMatch(
        /^Cannot call abortTransaction after calling commit/,
      );
    }),
  );

  test(
    'ignores a failed abort, and throws a failed commit with its labels',
    withScript(async ({ films, session, answers, names }) => {
      answers.push(refusing('abortTransaction', 251), refusing('commitTransaction', 50));
      session.startTransaction();
      await films.insertOne({}, { session });
      await session.abortTransaction();
      session.startTransaction();
      await films.insertOne({}, { session });
      const error = await failureOf(session.commitTransaction());
      expect(error).toMatchObject({ name: 'MongoServerError', code: 50, labels: ['UnknownTransactionCommitResult'] });
      await session.commitTransaction();
      expect(names()).toEqual([
        ...['insert', 'abortTransaction'],
        ...['insert', 'commitTransaction', 'commitTransaction'],
      ]);
    }),
  );

  test(
    'is aborted when its session ends, after running operations',
    withScript(async ({ client, films, names }) => {
      await client.withSession(async session => {
        session.startTransaction();
        void films.insertOne({}, { session });
      });
      expect(names()).toEqual(['insert', 'abortTransaction']);
    }),
  );

  test(
    'rejects concurrent operations, and reports where both were called after the first occurrence',
    withScript(
      async ({ films, session }) => {
        session.startTransaction();
        const first = films.insertOne({}, { session });
        const error = await failureOf(films.findOne({}, { session }));
        expect(error.message).toMatch(/running: insert \(.*\n {2}rejected: find .*transactions\.test\.ts:\d+/);
        await first;
        const second = films.insertOne({}, { session });
        const { message } = await failureOf(films.findOne({}, { session }));
        expect(message).toMatch(/running: insert .*transactions\.test\.ts:\d+/);
        expect(message).toMatch(/rejected: find .*transactions\.test\.ts:\d+/);
        await second;
        await session.abortTransaction();
      },
      { options: { parallelTransactionOperations: 'fail' } },
    ),
  );
});

describe('withTransaction', () => {
  test(
    "runs the callback, commits, and returns the callback's value",
    withScript(async ({ films, session, names, answers }) => {
      answers.push(refusing('insert', 112, 'TransientTransactionError'));
      const answer = await session.withTransaction(
        async inner => {
          expect(inner).toBe(session);
          await films.insertOne({}, { session });
          return 'answer';
        },
        { writeConcern: { w: 'majority' } },
      );
      expect(answer).toBe('answer');
      expect(names()).toEqual(['insert', 'abortTransaction', 'insert', 'commitTransaction']);
    }),
  );

  test(
    'shares its timeout with its operations, which must not set their own',
    withScript(async ({ films, session, answers, names }) => {
      answers.push(command => ('find' in command ? 'silence' : undefined));
      const error = await failureOf(
        session.withTransaction(
          async () => {
            const own = await failureOf(films.insertOne({}, { session, timeoutMS: 5 }));
            expect(own.message).toMatch(/^"timeoutMS" cannot be set for an operation in withTransaction/);
            await films.insertOne({}, { session });
            await films.findOne({}, { session });
          },
          { timeoutMS: 200 },
        ),
      );
      expect(error.name).toBe('MongoOperationTimeoutError');
      expect(names()).toEqual(['insert', 'find', 'abortTransaction']);
      expect(
        await failureOf(
          films.insertOne({}, { session, timeoutMS: 5000 }).then(() => Promise.reject(new Error('free'))),
        ),
      ).toMatchObject({ message: 'free' });
    }),
  );

  test(
    'rejects an operation without the session',
    withScript(
      async ({ films, session, warnings }) => {
        await session.withTransaction(async () => {
          await films.insertOne({});
          await films.find({}).toArray();
          await films.insertOne({}, { session });
        });
        await films.insertOne({});
        expect(warnings).toHaveLength(2);
        expect(warnings[0]).toMatch(
          /^insert in database test was called within withTransaction without its session.*\n {2}at .*transactions\.test\.ts:\d+/,
        );
        expect(warnings[1]).toMatch(/^find in database test/);
      },
      { options: { detectForgottenSession: 'warn' } },
    ),
  );
});

describe('Transactions, mongos', () => {
  const hosts = ['db1', 'db2'];
  const sharded = { hosts, uri: 'mongodb://db1,db2/?localThresholdMS=1000' };
  const finds = (names: readonly string[]): Set<string | undefined> =>
    new Set(names.filter(name => name.endsWith(' find')).map(name => name.split(' ')[0]));

  test(
    'Transactions, prose test 1: the next transaction of a pinned session may use another mongos',
    withScript(async ({ films, session, names }) => {
      for (let n = 0; n < 50; n++)
        await session.withTransaction(async () => {
          await films.findOne({}, { session });
          const [at] = names().at(-1)!.split(' ');
          await films.findOne({}, { session });
          expect(names().at(-1)).toBe(`${at!} find`);
          expect(session.isPinned).toBe(true);
        });
      expect(finds(names())).toEqual(new Set(hosts));
    }, sharded),
  );

  test(
    'Transactions, prose test 2: an operation without a transaction unpins the session',
    withScript(async ({ films, session, names }) => {
      await session.withTransaction(() => films.insertOne({}, { session }));
      expect(session.isPinned).toBe(true);
      for (let n = 0; n < 50; n++) await films.findOne({}, { session });
      expect(session.isPinned).toBe(false);
      expect(finds(names())).toEqual(new Set(hosts));
    }, sharded),
  );
});

describe('Load Balancers, "Connection Pinning"', () => {
  const balanced = { uri: 'mongodb://db1/?loadBalanced=true' };
  const watch = (client: MongoClient): string[] => {
    const log: string[] = [];
    client.on('connectionCheckedOut', ({ connectionId }) => log.push(`out ${connectionId}`));
    client.on('connectionCheckedIn', ({ connectionId }) => log.push(`in ${connectionId}`));
    client.on('connectionClosed', ({ connectionId }) => log.push(`closed ${connectionId}`));
    return log;
  };

  test(
    'a transaction and its commits use one connection, until another operation runs',
    withScript(async ({ client, films, session, names }) => {
      const log = watch(client);
      session.startTransaction();
      await films.insertOne({}, { session });
      await films.find({}, { session }).toArray();
      await session.commitTransaction();
      await session.commitTransaction();
      expect([log, session.isPinned]).toEqual([['out 1'], true]);
      await films.findOne({}, { session });
      expect([log, session.isPinned]).toEqual([['out 1', 'in 1', 'out 1', 'in 1'], false]);
      expect(names()).toEqual(['insert', 'find', 'commitTransaction', 'commitTransaction', 'find']);
    }, balanced),
  );

  test(
    'an abort checks the connection in, and so does the end of the session',
    withScript(async ({ client, films }) => {
      const log = watch(client);
      await client.withSession(async session => {
        session.startTransaction();
        await films.insertOne({}, { session });
        await session.abortTransaction();
        expect([log, session.isPinned]).toEqual([['out 1', 'in 1'], false]);
        session.startTransaction();
        await films.insertOne({}, { session });
        await session.commitTransaction();
      });
      expect(log).toEqual(['out 1', 'in 1', 'out 1', 'in 1']);
    }, balanced),
  );

  test(
    'a lost connection is unpinned, and the abort uses another',
    withScript(async ({ client, films, session, answers, names }) => {
      const log = watch(client);
      answers.push(command => ('find' in command ? 'hang up' : undefined));
      session.startTransaction();
      await films.insertOne({}, { session });
      expect(await failureOf(films.findOne({}, { session }))).toMatchObject({ labels: ['TransientTransactionError'] });
      expect(session.isPinned).toBe(false);
      await session.abortTransaction();
      expect(log).toEqual(['out 1', 'in 1', 'closed 1', 'out 2', 'in 2']);
      expect(names()).toEqual(['insert', 'find', 'abortTransaction']);
    }, balanced),
  );

  test(
    'a connection with a pending reply is checked in when the reply has arrived',
    withScript(async ({ client, films, session, answers }) => {
      const log = watch(client);
      answers.push(command => ('find' in command ? 'silence' : undefined));
      session.startTransaction();
      await films.insertOne({}, { session });
      const error = await failureOf(films.findOne({}, { session, timeoutMS: 50 }));
      expect(error).toMatchObject({ name: 'MongoOperationTimeoutError', labels: ['TransientTransactionError'] });
      await session.abortTransaction();
      expect([session.isPinned, log.slice(0, 3)]).toEqual([false, ['out 1', 'out 2', 'in 2']]);
    }, balanced),
  );
});

test(
  'Transactions, prose test 3: an operation whose pool was cleared fails with TransientTransactionError',
  withScript(
    async ({ client, films, answers, session }) => {
      await client.connect();
      answers.push(command => ('ping' in command ? 'hang up' : undefined));
      session.startTransaction();
      const lost = failureOf(client.db().command({ ping: 1 }));
      const error = await failureOf(films.insertOne({}, { session }));
      expect([error.name, error.labels]).toEqual(['MongoPoolClearedError', ['TransientTransactionError']]);
      expect((await lost).name).toBe('MongoNetworkError');
      await session.abortTransaction();
    },
    { uri: 'mongodb://db1/?replicaSet=rs&maxPoolSize=1&retryWrites=false' },
  ),
);

describe('snapshot sessions', () => {
  test(
    'Driver Sessions, prose tests 1, 21: contradictory session options are rejected',
    withScript(async ({ client }) => {
      const snapshotTime = new Timestamp({ t: 1, i: 1 });
      expect(() => client.startSession({ snapshot: true, causalConsistency: true })).toThrow(/mutually exclusive/);
      expect(() => client.startSession({ snapshot: false, snapshotTime })).toThrow(/requires a snapshot session/);
      expect(() => client.startSession({ snapshotTime })).toThrow(/requires a snapshot session/);
    }),
  );

  test(
    'Driver Sessions, prose tests 22, 23: only a snapshot session has a snapshotTime, and it is read-only',
    withScript(async ({ client, session, films, answers, received }) => {
      expect(() => session.snapshotTime).toThrow(/Only a snapshot session has a snapshotTime/);
      const first = client.startSession({ snapshot: true });
      expect([first.snapshotEnabled, first.snapshotTime, first.supports]).toEqual([
        true,
        undefined,
        { causalConsistency: false },
      ]);
      const atClusterTime = new Timestamp({ t: 5, i: 1 });
      answers.push(command => ('find' in command ? { cursor: { ...cursor, atClusterTime } } : undefined));
      await films.findOne({}, { session: first });
      expect(first.snapshotTime).toEqual(atClusterTime);
      expect(() => {
        (first as { snapshotTime: unknown }).snapshotTime = new Timestamp({ t: 9, i: 1 });
      }).toThrow(TypeError);
      const second = client.startSession({ snapshot: true, snapshotTime: first.snapshotTime });
      expect(second.snapshotTime).toEqual(atClusterTime);
      await films.findOne({}, { session: second });
      expect(received.map(({ readConcern }) => readConcern as unknown)).toEqual([
        { level: 'snapshot' },
        { level: 'snapshot', atClusterTime },
      ]);
      expect(() => {
        second.startTransaction();
      }).toThrow(
        new MongoCompatibilityError(
          'Transactions are not supported in snapshot sessions. Start a session without snapshot.',
        ),
      );
      await first.endSession();
      await second.endSession();
    }),
  );
});
