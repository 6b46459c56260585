/** timeoutMS from its options to its errors, with the whole driver in virtual time. */
import {
  MongoBulkWriteError,
  MongoClient,
  MongoInvalidArgumentError,
  MongoOperationTimeoutError,
} from '@tessera/client';
import type { AnyBulkWriteOperation, Collection, FindOptions, MongoClientOptions } from '@tessera/client';
import type { Document, Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';
import { withServers } from './with-servers.js';

interface Film extends Document {
  _id?: number;
}

interface Scenario {
  readonly client: MongoClient;
  readonly films: Collection<Film>;
  /** Returns the received commands without those of handshakes and monitors. */
  received(): readonly Document[];
  now(): Millis;
  sleep(duration: Millis): Promise<void>;
}

/** Runs a test with a scripted server. `later` returns a reply after a delay. */
const withScript = async (
  query: string,
  options: MongoClientOptions,
  respond: (command: Document, later: (after: Millis, reply: Document) => Promise<Document>) => ReturnType<Respond>,
  program: (scenario: Scenario) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 5 });
  const { clock } = world.runtime;
  await world.run(async () => {
    const later = (after: Millis, reply: Document): Promise<Document> => clock.sleep(after).then(() => reply);
    const server = await scriptServer(world, 'db1:27017', command =>
      isHello(command) ? HELLO : 'endSessions' in command ? {} : respond(command, later),
    );
    const uri = `mongodb://db1/?directConnection=true&heartbeatFrequencyMS=100000${query}`;
    const client = new MongoClient(uri, options, { runtime: world.runtime });
    await program({
      client,
      films: client.db('shop').collection<Film>('films'),
      received: () => server.received.filter(command => !isHello(command)),
      now: () => clock.now(),
      sleep: duration => clock.sleep(duration),
    });
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

const thrownBy = (run: () => Promise<unknown>): Promise<unknown> =>
  run().then(
    () => undefined,
    (error: unknown) => error,
  );

const cursor = (id: bigint, batch: readonly Document[], kind: 'firstBatch' | 'nextBatch' = 'firstBatch'): Document => ({
  cursor: { id, ns: 'shop.films', [kind]: batch },
});

describe('Client Side Operations Timeout, "timeoutMS"', () => {
  test('is inherited by client, database, collection and operation', () =>
    withScript(
      '&timeoutMS=100',
      {},
      () => 'silence',
      async ({ client, now }) => {
        const took = async (run: () => Promise<unknown>): Promise<Millis> => {
          const began = now();
          expect(await thrownBy(run)).toBeInstanceOf(MongoOperationTimeoutError);
          return now() - began;
        };
        const db = client.db('shop', { timeoutMS: 200 });
        const films = db.collection('films', { timeoutMS: 300 });
        expect(await took(() => client.db('shop').command({ ping: 1 }))).toBe(100);
        expect(await took(() => db.command({ ping: 1 }))).toBe(200);
        expect(await took(() => db.collection('films').findOne())).toBe(200);
        expect(await took(() => films.findOne())).toBe(300);
        expect(await took(() => films.findOne({}, { timeoutMS: 400 }))).toBe(400);
      },
    ));

  test.each<readonly [title: string, timeoutMS: unknown, expected: string]>([
    ['negative', -1, '-1'],
    ['a fraction', 1.5, '1.5'],
    ['no number', NaN, 'NaN'],
    ['infinity', Infinity, 'Infinity'],
    ['a string', '5', 'of the type string'],
    ['null', null, 'null'],
  ])('cannot be %s', async (_, given, expected) => {
    await withScript(
      '',
      {},
      () => ({}),
      async ({ client, films, received }) => {
        const timeoutMS = given as number;
        const message = `"timeoutMS" must be a whole number of milliseconds, or 0 for no limit, but is ${expected}.`;
        const wrong = expect.objectContaining({ name: 'MongoInvalidArgumentError', message }) as Error;
        expect(() => client.db('shop', { timeoutMS })).toThrow(wrong);
        expect(() => client.db('shop').collection('films', { timeoutMS })).toThrow(wrong);
        expect(() => client.startSession({ defaultTimeoutMS: timeoutMS })).toThrow(wrong);
        expect(await thrownBy(() => films.findOne({}, { timeoutMS }))).toEqual(wrong);
        expect(await thrownBy(() => films.insertMany([{}], { timeoutMS }))).toEqual(wrong);
        expect(await thrownBy(() => films.find({}, { timeoutMS }).toArray())).toEqual(wrong);
        expect(await thrownBy(() => client.db('shop').command({ ping: 1 }, { timeoutMS }))).toEqual(wrong);
        expect(received()).toEqual([]);
      },
    );
    const opened = () => new MongoClient('mongodb://db1', { timeoutMS: given as number }, {} as never).timeoutMS;
    // A client option may also be a string, for example from the environment.
    if (typeof given === 'string') expect(opened()).toBe(Number(given));
    else if (given === null) expect(opened()).toBe(undefined);
    else expect(opened).toThrow('timeoutMS');
  });

  test('0 means no limit, also with deprecated timeout options', () =>
    withScript(
      '&timeoutMS=0&socketTimeoutMS=50&wTimeoutMS=7&w=1',
      {},
      (command, later) => later(1000, 'insert' in command ? { n: 1 } : cursor(0n, [{ _id: 1 }])),
      async ({ films, received, now }) => {
        const began = now();
        await films.insertOne({ _id: 1 }, { maxTimeMS: 5 });
        expect(await films.findOne({}, { maxTimeMS: 5 })).toEqual({ _id: 1 });
        expect(now() - began).toBeGreaterThanOrEqual(2000);
        for (const command of received()) expect(command).not.toHaveProperty('maxTimeMS');
        expect(received()[0]).toMatchObject({ writeConcern: { w: 1 } });
      },
    ));

  test('0 for one operation removes the inherited limit', () =>
    withScript(
      '&timeoutMS=100',
      {},
      (_, later) => later(500, cursor(0n, [{ _id: 1 }])),
      async ({ films }) => {
        expect(await films.findOne({}, { timeoutMS: 0 })).toEqual({ _id: 1 });
      },
    ));
});

describe('Client Side Operations Timeout, "Validation and Overrides"', () => {
  test('timeoutMS replaces waitQueueTimeoutMS and also limits the wait queue', () =>
    withScript(
      '&maxPoolSize=1&waitQueueTimeoutMS=20',
      {},
      (_, later) => later(100, {}),
      async ({ client, now }) => {
        const db = client.db('shop');
        await db.command({ ping: 1 });
        const first = db.command({ ping: 1 });
        const began = now();
        const error = await thrownBy(() => db.command({ ping: 1 }, { timeoutMS: 50 }));
        expect(error).toMatchObject({ name: 'MongoOperationTimeoutError', phase: 'checkout', elapsedMS: 50 });
        expect((error as Error).cause).toMatchObject({ name: 'MongoWaitQueueTimeoutError' });
        expect(now() - began).toBe(50);
        expect(await thrownBy(() => db.command({ ping: 1 }))).toMatchObject({ name: 'MongoWaitQueueTimeoutError' });
        expect(await db.command({ ping: 1 }, { timeoutMS: 500 })).toEqual({ ok: 1 });
        await first;
      },
    ));

  test('server selection and checkout share serverSelectionTimeoutMS if it is lower', () =>
    withScript(
      '&maxPoolSize=1&serverSelectionTimeoutMS=30',
      {},
      (_, later) => later(100, {}),
      async ({ client, now }) => {
        const db = client.db('shop');
        await db.command({ ping: 1 });
        const first = db.command({ ping: 1 });
        const began = now();
        const error = await thrownBy(() => db.command({ ping: 1 }, { timeoutMS: 500 }));
        expect(error).toMatchObject({ name: 'MongoOperationTimeoutError', phase: 'checkout' });
        expect(now() - began).toBe(30);
        await first;
      },
    ));
});

describe('Client Side Operations Timeout, "Errors": the timeout error', () => {
  test('contains the phase, the duration and the attempts', () =>
    withScript(
      '',
      {},
      () => 'silence',
      async ({ films }) => {
        const error = await thrownBy(() => films.findOne({}, { timeoutMS: 80 }));
        expect(error).toMatchObject({
          name: 'MongoOperationTimeoutError',
          kind: 'timeout',
          phase: 'command',
          elapsedMS: 80,
        });
        const { message, cause } = error as Error;
        expect(message).toMatch(/^Timed out after 80 ms \(timeoutMS: 80\), in the phase command: /);
        expect(cause).toMatchObject({ name: 'MongoNetworkTimeoutError' });
        expect(message).toContain((cause as Error).message);
      },
    ));

  test.each<readonly [place: string, reply: Document]>([
    ['as the answer', { ok: 0, code: 50, errmsg: 'too long' }],
    ['for a statement', { n: 0, writeErrors: [{ index: 0, code: 50, errmsg: 'too long' }] }],
    ['for the write concern', { n: 1, writeConcernError: { code: 50, errmsg: 'too long' } }],
  ])('is created from MaxTimeMSExpired %s, with any codeName', (_, reply) =>
    withScript(
      '&retryWrites=false',
      {},
      () => reply,
      async ({ films }) => {
        const writes: readonly (() => Promise<unknown>)[] = [
          () => films.insertOne({}, { timeoutMS: 500 }),
          () => films.insertMany([{}], { timeoutMS: 500 }),
          () => films.bulkWrite([{ deleteOne: { filter: {} } }], { timeoutMS: 500 }),
        ];
        for (const write of writes) {
          const error = await thrownBy(write);
          expect(error).toMatchObject({ name: 'MongoOperationTimeoutError', kind: 'timeout', code: 50 });
          expect((error as Error).message).toContain('too long');
          expect((error as Error).cause).toMatchObject({ code: 50 });
        }
        expect(await thrownBy(() => films.insertOne({}))).not.toBeInstanceOf(MongoOperationTimeoutError);
      },
    ),
  );

  test('after many writes contains the partial result as its cause', () =>
    withScript(
      '',
      {},
      command => ('delete' in command ? 'silence' : { n: 1 }),
      async ({ films }) => {
        const models: AnyBulkWriteOperation<Film>[] = [
          { insertOne: { document: { _id: 1 } } },
          { deleteOne: { filter: {} } },
        ];
        const error = await thrownBy(() => films.bulkWrite(models, { timeoutMS: 90 }));
        expect(error).toMatchObject({ name: 'MongoOperationTimeoutError', elapsedMS: 90 });
        const { cause } = error as Error;
        expect(cause).toBeInstanceOf(MongoBulkWriteError);
        expect((cause as MongoBulkWriteError).result).toMatchObject({ insertedCount: 1, deletedCount: 0 });
      },
    ));

  test('after retries contains all attempts, and the last reply as its cause', () =>
    withScript(
      '',
      {},
      (_, later) => later(30, { ok: 0, code: 91, errmsg: 'going down' }),
      async ({ films, received }) => {
        const error = await thrownBy(() => films.findOne({}, { timeoutMS: 100 }));
        expect(error).toMatchObject({ name: 'MongoOperationTimeoutError' });
        const { attempts, message, cause } = error as MongoOperationTimeoutError;
        expect(attempts.map(({ phase }) => phase)).toEqual(['command', 'select']);
        expect(message).toMatch(/^Timed out after 100 ms \(timeoutMS: 100\).*going down/);
        expect(cause).toMatchObject({ name: 'MongoServerError', code: 91 });
        expect(received()).toHaveLength(1);
      },
    ));
});

describe('Client Side Operations Timeout, "Cursors"', () => {
  const options = (given: FindOptions): FindOptions => given;

  test.each<readonly [title: string, given: FindOptions, expectedText: string]>([
    ['timeoutMode requires timeoutMS', { timeoutMode: 'iteration' }, '"timeoutMode" requires "timeoutMS".'],
    [
      'a tailable cursor with timeoutMode cursorLifetime',
      { timeoutMS: 5, tailable: true, timeoutMode: 'cursorLifetime' },
      'The "timeoutMode" of a tailable cursor must be "iteration"',
    ],
    [
      'maxAwaitTimeMS that is not below timeoutMS',
      { timeoutMS: 5, maxAwaitTimeMS: 5, tailable: true, awaitData: true },
      '"maxAwaitTimeMS" (5) must be less than "timeoutMS" (5)',
    ],
    ['an unknown timeoutMode', { timeoutMS: 5, timeoutMode: 'never' as never }, `Unknown "timeoutMode" 'never'`],
  ])('%s', (_, given, expectedText) =>
    withScript(
      '',
      {},
      () => ({}),
      ({ films }) => {
        expect(() => films.find({}, options(given))).toThrow(MongoInvalidArgumentError);
        expect(() => films.find({}, options(given))).toThrow(expectedText);
        return Promise.resolve();
      },
    ),
  );

  test.each(['$out', '$merge'])('an aggregation with %s rejects timeoutMode iteration', setup =>
    withScript(
      '',
      {},
      () => ({}),
      async ({ films }) => {
        const given = { timeoutMS: 5, timeoutMode: 'iteration' } as const;
        expect(() => films.aggregate([{ [setup]: 'x' }], given)).toThrow(
          'must be "cursorLifetime", because it sends only one command.',
        );
        const late = films.aggregate([], given).addStage({ [setup]: 'x' });
        expect(await thrownBy(() => late.toArray())).toMatchObject({ name: 'MongoInvalidArgumentError' });
      },
    ),
  );

  test('documents that arrived in time are returned later, and no further getMore is sent', () =>
    withScript(
      '',
      {},
      () => cursor(7n, [{ _id: 1 }, { _id: 2 }]),
      async ({ films, received, sleep }) => {
        const found = films.find({}, { timeoutMS: 50 });
        expect(await found.next()).toEqual({ _id: 1 });
        await sleep(100);
        expect(await found.next()).toEqual({ _id: 2 });
        expect(await thrownBy(() => found.next())).toBeInstanceOf(MongoOperationTimeoutError);
        await found.close();
        const [find, kill] = received();
        expect(find).toMatchObject({ find: 'films', maxTimeMS: expect.any(Number) as number });
        expect(kill).toMatchObject({ killCursors: 'films', maxTimeMS: 50 });
      },
    ));

  test.each<[what: string, open: (client: MongoClient) => { toArray: () => Promise<unknown> }]>([
    ['a find', client => client.db().collection('films').find({}, { timeoutMS: 50, timeoutMode: 'iteration' })],
    [
      'a command of the application',
      client => client.db().runCursorCommand({ find: 'films' }, { timeoutMS: 50, timeoutMode: 'iteration' }),
    ],
  ])('with timeoutMode iteration each call has the full timeoutMS, and no command sends maxTimeMS: %s', (_, open) =>
    withScript(
      '',
      {},
      (command, later) =>
        'find' in command ? later(40, cursor(7n, [{ _id: 1 }])) : later(40, cursor(0n, [{ _id: 2 }], 'nextBatch')),
      async ({ client, received }) => {
        await client.connect();
        expect(await open(client).toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
        for (const command of received()) expect(command).not.toHaveProperty('maxTimeMS');
      },
    ),
  );

  test('an awaitData cursor sends the lower of maxAwaitTimeMS and the remaining time', () =>
    withScript(
      '',
      {},
      (command, later) => ('find' in command ? cursor(7n, [{ _id: 1 }]) : later(60, cursor(7n, [], 'nextBatch'))),
      async ({ films, received }) => {
        const given = { tailable: true, awaitData: true, timeoutMS: 100, maxAwaitTimeMS: 60 };
        const found = films.find({}, given);
        expect(await found.next()).toEqual({ _id: 1 });
        expect(await thrownBy(() => found.next())).toBeInstanceOf(MongoOperationTimeoutError);
        const mores = received().filter(command => 'getMore' in command);
        expect(mores.map(({ maxTimeMS }) => maxTimeMS as number)).toEqual([60, 38]);
      },
    ));
});

test(
  'Client Side Operations Timeout, prose test 11: the commands of MongoClient.bulkWrite share one timeoutMS',
  () =>
    withServers([{}], async ({ open, failPoint, events, now }) => {
      await failPoint('db1', { times: 2 }, { failCommands: ['bulkWrite'], blockConnection: true, blockTimeMS: 1010 });
      const client = open('mongodb://db1/?timeoutMS=2000');
      const { maxBsonObjectSize, maxMessageSizeBytes } = (await client.db('admin').command({ hello: 1 })) as {
        maxBsonObjectSize: number;
        maxMessageSizeBytes: number;
      };
      const document = { a: 'b'.repeat(maxBsonObjectSize - 500) };
      const most = Math.floor(maxMessageSizeBytes / maxBsonObjectSize) + 1;
      const models = Array.from({ length: most }, () => ({
        ...{ name: 'insertOne' as const, namespace: 'db.coll', document: { ...document } },
      }));
      const began = now();
      expect(await thrownBy(() => client.bulkWrite(models))).toBeInstanceOf(MongoOperationTimeoutError);
      expect(now() - began).toBe(2000);
      const sent = events.filter(event => event.name === 'commandStarted' && event.commandName === 'bulkWrite');
      expect(sent).toHaveLength(2);
    }),
  60_000,
);

test('killing the cursor after a failed getMore is limited by the remaining time and the signal', () =>
  withServers([{}], async ({ world, open, failPoint, now }) => {
    const films = open('mongodb://db1/').db('shop').collection<{ _id: number }>('films');
    await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    const fail = (): Promise<void> =>
      failPoint(
        'db1',
        { times: 2 },
        { failCommands: ['getMore', 'killCursors'], errorCode: 7, blockConnection: true, blockTimeMS: 300 },
      );

    await fail();
    let began = now();
    expect(await thrownBy(() => films.find({}, { batchSize: 1, timeoutMS: 400 }).toArray())).toMatchObject({ code: 7 });
    expect(now() - began).toBe(400);

    await fail();
    const controller = new AbortController();
    began = now();
    world.runtime.clock.startTimer(350, () => {
      controller.abort('enough');
    });
    const { signal } = controller;
    expect(await thrownBy(() => films.find({}, { batchSize: 1, signal }).toArray())).toMatchObject({ code: 7 });
    expect(now() - began).toBe(350);
  }));
