/** Change streams under the official driver's names, with the whole driver and a scripted primary. */
import type { ChangeStream, ChangeStreamOptions, MongoClient } from '@tessera/client';
import { ObjectId } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { batch, change, last, withScript, passing, refusal, stageOf } from './change-stream-server.js';

const films = (client: MongoClient) => client.db('shop').collection('films');
const CLOSED = 'ChangeStream is closed';

describe('watch', () => {
  test.each<readonly [string, (client: MongoClient) => ChangeStream, Document]>([
    ['a collection', client => films(client).watch(), { aggregate: 'films', $db: 'shop' }],
    ['a database', client => client.db('shop').watch(), { aggregate: 1, $db: 'shop' }],
    ['a deployment', client => client.watch(), { aggregate: 1, $db: 'admin' }],
  ])('Change Streams, "Helper Method": %s', (what, watch, expected) =>
    withScript({ answers: [batch([change('a')])] }, async ({ client, received }) => {
      const stream = watch(client);
      expect(await stream.next()).toEqual(change('a'));
      expect(received[0]).toMatchObject(expected);
      expect(stageOf(received[0])).toEqual(what === 'a deployment' ? { allChangesForCluster: true } : {});
      await stream.close();
    }),
  );

  test('getMore uses the namespace that the server returned', () => {
    const opened = batch([]);
    (opened['cursor'] as Document)['ns'] = 'admin.$cmd.aggregate';
    return withScript({ answers: [opened, batch([change('a')])] }, async ({ client, received }) => {
      const stream = client.watch([], { maxAwaitTimeMS: 30 });
      await stream.next();
      expect(received[1]).toMatchObject({ collection: '$cmd.aggregate', maxTimeMS: 30, $db: 'admin' });
      await stream.close();
    });
  });

  test('exposes its parent, pipeline and options', () =>
    withScript({ answers: [] }, async ({ client }) => {
      const pipeline = [{ $match: {} }];
      const stream = films(client).watch(pipeline, { batchSize: 2 });
      expect([stream.pipeline, stream.options, String(stream.namespace)]).toEqual([
        ...[pipeline, { batchSize: 2 }, 'shop.films'],
      ]);
      expect([client.watch().parent, client.watch().namespace]).toEqual([client, { db: 'admin' }]);
      await stream.close();
    }));

  test('rejects a pipeline that is not an array, and a maxAwaitTimeMS that is not below timeoutMS', () =>
    withScript({ answers: [] }, async ({ client }) => {
      const wrong = (options: ChangeStreamOptions, pipeline: unknown = []) => {
        expect(() => films(client).watch(pipeline as Document[], options)).toThrow(
          expect.objectContaining({ name: 'MongoInvalidArgumentError' }),
        );
      };
      wrong({}, {});
      wrong({ timeoutMS: 5, maxAwaitTimeMS: 5 });
      wrong({ timeoutMS: 5, maxAwaitTimeMS: 10 });
      expect(films(client).watch([], { timeoutMS: 0, maxAwaitTimeMS: 10 }).closed).toBe(false);
      await Promise.resolve();
    }));
});

describe('an iterated change stream', () => {
  test('next waits through empty batches, tryNext sends one getMore and returns null', () =>
    withScript({ answers: [batch([]), batch([]), batch([]), batch([change('a')])] }, async ({ client, names }) => {
      const stream = films(client).watch();
      expect(await stream.tryNext()).toBeNull();
      expect(names()).toEqual(['aggregate', 'getMore']);
      expect([await stream.hasNext(), stream.bufferedCount()]).toEqual([true, 1]);
      expect(await stream.tryNext()).toEqual(change('a'));
      await stream.close();
    }));

  test('two concurrent calls share one getMore, and each gets its own change', () =>
    withScript({ answers: [batch([]), batch([change('a'), change('b')])] }, async ({ client, names }) => {
      const stream = films(client).watch();
      expect(await Promise.all([stream.next(), stream.next()])).toEqual([change('a'), change('b')]);
      expect(names()).toEqual(['aggregate', 'getMore']);
      await stream.close();
    }));

  test('leaving a for await loop closes it', () =>
    withScript({ answers: [batch([change('a'), change('b')])] }, async ({ client, names }) => {
      const stream = films(client).watch();
      for await (const one of stream) {
        expect(one).toEqual(change('a'));
        break;
      }
      expect([stream.closed, names()]).toEqual([true, ['aggregate', 'killCursors']]);
      expect(await stream[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    }));

  test('stream() returns the changes, and ends when the server ends them', () =>
    withScript({ answers: [batch([change('a')]), last([change('b')])] }, async ({ client }) => {
      const stream = films(client).watch();
      const given: unknown[] = [];
      for await (const one of stream.stream() as AsyncIterable<unknown>) given.push(one);
      expect([given, stream.closed]).toEqual([[change('a'), change('b')], true]);
    }));

  test('leaving a loop over stream() closes it during a pending getMore', () =>
    withScript({ answers: [batch([])] }, async ({ client, sleep, names }) => {
      const stream = films(client).watch();
      const changes = (stream.stream() as AsyncIterable<unknown>)[Symbol.asyncIterator]();
      const waiting = changes.next();
      await sleep(100);
      await changes.return?.();
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect([stream.closed, names()]).toEqual([true, ['aggregate', 'getMore', 'killCursors']]);
    }));

  test('leaving an await using scope closes it', () =>
    withScript({ answers: [batch([])] }, async ({ client, names }) => {
      const stream = films(client).watch();
      {
        await using scoped = stream;
        await scoped.open();
      }
      expect([stream.closed, names()]).toEqual([true, ['aggregate', 'killCursors']]);
    }));

  test('close fails the pending call at once, and all later calls', () =>
    withScript({ answers: [batch([]), 'silence'] }, async ({ client, sleep, names }) => {
      const stream = films(client).watch();
      const waiting = expect(stream.next()).rejects.toMatchObject({ name: 'MongoAPIError', message: CLOSED });
      await sleep(100);
      await stream.close();
      await waiting;
      await expect(stream.next()).rejects.toMatchObject({ name: 'MongoAPIError', message: CLOSED });
      await expect(stream.tryNext()).rejects.toMatchObject({ name: 'MongoAPIError', message: CLOSED });
      expect(await stream.hasNext()).toBe(false);
      expect(() => stream.stream()).toThrow(CLOSED);
      expect(names()).toEqual(['aggregate', 'getMore', 'killCursors']);
    }));

  test('changes that arrived before the end are returned before next fails', () =>
    withScript({ answers: [batch([]), last([change('a')])] }, async ({ client, names }) => {
      const stream = films(client).watch();
      const emitted: string[] = [];
      stream.on('end', () => emitted.push('end')).on('close', () => emitted.push('close'));
      expect(await stream.next()).toEqual(change('a'));
      expect(await stream.tryNext()).toBeNull();
      await expect(stream.next()).rejects.toMatchObject({ name: 'MongoRuntimeError', message: CLOSED });
      expect([stream.closed, emitted, names()]).toEqual([true, ['end', 'close'], ['aggregate', 'getMore']]);
    }));

  test('a non-resumable error closes it', () =>
    withScript({ answers: [batch([]), refusal(280)] }, async ({ client, names, sleep }) => {
      const stream = films(client).watch();
      await expect(stream.next()).rejects.toMatchObject({ name: 'MongoServerError', code: 280 });
      await sleep(100);
      expect([stream.closed, names()]).toEqual([true, ['aggregate', 'getMore', 'killCursors']]);
    }));

  test.each([
    ['code', 8, refusal(234)],
    ['label', 9, passing()],
  ])('Change Streams, "Resumable Error": the %s is decisive at wire version %d', (_, maxWireVersion, failure) =>
    withScript(
      { answers: [batch([]), failure, batch([change('a')])], hello: { maxWireVersion } },
      async ({ client }) => {
        const stream = films(client).watch();
        expect(await stream.next()).toEqual(change('a'));
        await stream.close();
      },
    ),
  );

  test.each([
    ['label', 8, passing()],
    ['code', 9, refusal(234)],
  ])('Change Streams, "Resumable Error": no %s is decisive at wire version %d', (_, maxWireVersion, failure) =>
    withScript({ answers: [batch([]), failure], hello: { maxWireVersion } }, async ({ client }) => {
      const stream = films(client).watch();
      await expect(stream.next()).rejects.toMatchObject({ code: failure['code'] });
      expect(stream.closed).toBe(true);
    }),
  );

  test('Client Side Operations Timeout, "Change Streams": a call that times out fails, and the next one resumes', () =>
    withScript(
      { answers: [batch([], 'p'), batch([], 'q'), 'silence', batch([change('a')])] },
      async ({ client, received, names }) => {
        const stream = films(client).watch([], { timeoutMS: 100 });
        await expect(stream.next()).rejects.toMatchObject({ name: 'MongoOperationTimeoutError' });
        expect(stream.closed).toBe(false);
        expect(await stream.next()).toEqual(change('a'));
        expect(names()).toEqual(['aggregate', 'getMore', 'getMore', 'killCursors', 'aggregate']);
        expect(stageOf(received[4])).toEqual({ resumeAfter: { _data: 'q' } });
        expect([received[0], received[1], received[4]].map(command => 'maxTimeMS' in command!)).toEqual([
          true,
          false,
          true,
        ]);
        await stream.close();
      },
    ));

  test("a signal closes it with the signal's reason", () =>
    withScript({ answers: [batch([]), 'silence'] }, async ({ client, sleep }) => {
      const controller = new AbortController();
      const stream = films(client).watch([], { signal: controller.signal });
      const waiting = expect(stream.next()).rejects.toBe('enough');
      await sleep(100);
      controller.abort('enough');
      await waiting;
      expect(stream.closed).toBe(true);
    }));

  test('Load Balancers, "Behaviour With Cursors": behind a load balancer it resumes, and checks in every connection', () => {
    const hello = { msg: 'isdbgrid', serviceId: new ObjectId() };
    const answers = [batch([]), passing(), batch([]), 'hang up', batch([]), batch([change('a')])] as const;
    return withScript({ answers, hello, query: 'loadBalanced=true' }, async ({ client, names, sleep }) => {
      let out = 0;
      client.on('connectionCheckedOut', () => out++).on('connectionCheckedIn', () => out--);
      const stream = films(client).watch();
      expect(await stream.next()).toEqual(change('a'));
      expect(names().filter(name => name === 'aggregate')).toHaveLength(3);
      await stream.close();
      await sleep(1000);
      expect(out).toBe(0);
    });
  });

  test('its implicit session returns to the pool, and the next stream uses it again', () =>
    withScript({ answers: [batch([change('a')]), batch([change('b')])] }, async ({ client, received }) => {
      for (const data of ['a', 'b']) {
        const stream = films(client).watch();
        expect(await stream.next()).toEqual(change(data));
        await stream.close();
      }
      expect(received).toHaveLength(4);
      expect(new Set(received.map(command => JSON.stringify(command['lsid']))).size).toBe(1);
    }));

  test("it keeps the caller's session open and uses it to resume", () =>
    withScript({ answers: [batch([]), passing(), batch([change('a')])] }, async ({ client, received }) => {
      const session = client.startSession();
      const stream = films(client).watch([], { session });
      await stream.next();
      await stream.close();
      expect(session.hasEnded).toBe(false);
      expect(new Set(received.map(command => JSON.stringify(command['lsid']))).size).toBe(1);
      await session.endSession();
    }));
});

describe('a change stream whose every getMore fails with a resumable error', () => {
  const forever = Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? batch([], `p${i}`) : passing()));
  const aggregates = (names: readonly string[]): number => names.filter(name => name === 'aggregate').length;

  test('resumes a few times per minute, not per millisecond', () =>
    withScript({ answers: forever }, async ({ client, names, sleep }) => {
      const stream = films(client).watch();
      const ended = stream.next().catch((error: unknown) => (error as Error).name);
      await sleep(60_000);
      expect(aggregates(names())).toBeGreaterThan(10);
      expect(aggregates(names())).toBeLessThan(40);
      await stream.close();
      expect(await ended).toBe('MongoAPIError');
    }));

  const endings: readonly (readonly [string, (ends: Ends) => unknown, string])[] = [
    ['the stream is closed', ({ stream }) => stream.close(), 'MongoAPIError'],
    ['its signal aborts', ({ controller }) => controller.abort(new RangeError('enough')), 'RangeError'],
    ['the client is closed', ({ client }) => client.close(), 'MongoClientClosedError'],
  ];

  interface Ends {
    readonly client: MongoClient;
    readonly stream: ChangeStream;
    readonly controller: AbortController;
  }

  test.each(endings)('stops waiting at once when %s', (_what, end, expected) =>
    withScript({ answers: forever }, async ({ client, sleep, now }) => {
      const controller = new AbortController();
      const stream = films(client).watch([], { signal: controller.signal });
      const failed = stream.next().catch((error: unknown) => (error as Error).name);
      await sleep(60_000);
      const began = now();
      end({ client, stream, controller });
      expect(await failed).toBe(expected);
      expect(now() - began).toBeLessThan(20);
      await stream.close();
    }),
  );

  test('Client Side Operations Timeout: fails with a timeout at the deadline of the call', () =>
    withScript({ answers: forever }, async ({ client, now }) => {
      const stream = films(client).watch([], { timeoutMS: 3_000 });
      const began = now();
      await expect(stream.next()).rejects.toMatchObject({ name: 'MongoOperationTimeoutError' });
      expect(now() - began).toBeGreaterThanOrEqual(2_000);
      expect(now() - began).toBeLessThan(3_020);
      await stream.close();
    }));
});

describe('a change stream with listeners', () => {
  const listen = (stream: ChangeStream): unknown[] => {
    const emitted: unknown[] = [];
    stream.on('change', one => emitted.push(one._id));
    stream.on('error', error => emitted.push(error.name));
    stream.on('end', () => emitted.push('end'));
    stream.on('close', () => emitted.push('close'));
    return emitted;
  };

  test('emits batch after batch, through resumable errors', () =>
    withScript(
      { answers: [batch([change('a')]), batch([change('b')]), passing(), batch([change('c')]), 'hang up', last([])] },
      async ({ client, sleep }) => {
        const emitted = listen(films(client).watch());
        await sleep(5000);
        expect(emitted).toEqual([{ _data: 'a' }, { _data: 'b' }, { _data: 'c' }, 'end', 'close']);
      },
    ));

  test('starts with any way of adding a listener', () =>
    withScript({ answers: [batch([change('a')]), last([])] }, async ({ client, sleep }) => {
      const emitted: unknown[] = [];
      films(client)
        .watch()
        .prependOnceListener('change', one => emitted.push(one._id));
      await sleep(1000);
      expect(emitted).toEqual([{ _data: 'a' }]);
    }));

  test('emits a non-resumable error and closes', () =>
    withScript({ answers: [batch([]), refusal(280)] }, async ({ client, sleep }) => {
      const emitted = listen(films(client).watch());
      await sleep(1000);
      expect(emitted).toEqual(['MongoServerError', 'close']);
    }));

  test('emits a timeout, and closes only if it cannot reopen its cursor', () =>
    withScript(
      { answers: [batch([]), 'silence', batch([change('a')]), 'silence', 'silence'] },
      async ({ client, sleep }) => {
        const emitted = listen(films(client).watch([], { timeoutMS: 100 }));
        await sleep(5000);
        const late = 'MongoOperationTimeoutError';
        expect(emitted).toEqual([late, { _data: 'a' }, late, late, 'close']);
      },
    ));

  test('stays open while no change comes and each getMore times out, because it can reopen its cursor', () =>
    withScript(
      { answers: [batch([]), 'silence', batch([]), 'silence', batch([]), 'silence', batch([change('a')])] },
      async ({ client, sleep }) => {
        const emitted = listen(films(client).watch([], { timeoutMS: 100 }));
        await sleep(350);
        const late = 'MongoOperationTimeoutError';
        expect(emitted).toEqual([late, late, late, { _data: 'a' }]);
      },
    ));

  test('emits an exception of a change listener as an error, and continues', () =>
    withScript({ answers: [batch([change('a'), change('b')]), last([])] }, async ({ client, sleep }) => {
      const stream = films(client).watch();
      const emitted: unknown[] = [];
      stream.on('change', one => {
        emitted.push(one._id);
        throw new RangeError('mistaken');
      });
      stream.on('error', error => emitted.push(error.name));
      await sleep(1000);
      expect(emitted).toEqual([{ _data: 'a' }, 'RangeError', { _data: 'b' }, 'RangeError']);
    }));

  test('throws an exception of a change listener as uncaught without an error listener, and continues', () =>
    withScript({ answers: [batch([change('a'), change('b')]), last([])] }, async ({ client, sleep, uncaught }) => {
      const mistake = new RangeError('mistaken');
      const emitted: unknown[] = [];
      films(client)
        .watch()
        .on('change', one => {
          emitted.push(one._id);
          throw mistake;
        });
      await sleep(1000);
      expect(emitted).toEqual([{ _data: 'a' }, { _data: 'b' }]);
      expect(uncaught.splice(0)).toEqual([mistake, mistake]);
    }));

  test('throws a server error as uncaught without an error listener, and closes', () =>
    withScript({ answers: [batch([]), refusal(280)] }, async ({ client, sleep, uncaught }) => {
      const stream = films(client).watch();
      stream.on('change', () => undefined);
      await sleep(1000);
      expect(stream.closed).toBe(true);
      expect(uncaught.splice(0)).toEqual([expect.objectContaining({ name: 'MongoServerError', code: 280 })]);
    }));

  test('throws an error as uncaught also if the client closes before the stream begins', () =>
    withScript({ answers: [] }, async ({ client, sleep, uncaught }) => {
      await client.close();
      films(client)
        .watch()
        .on('change', () => undefined);
      await sleep(1000);
      expect(uncaught.splice(0)).toEqual([expect.objectContaining({ name: 'MongoNotConnectedError' })]);
    }));

  test('connect(), close() and endSession() succeed even if listeners of open, close and ended throw', () =>
    withScript({ answers: [] }, async ({ client, sleep, uncaught }) => {
      const fail = (name: string) => (): never => {
        throw new RangeError(name);
      };
      client.on('open', fail('open')).on('close', fail('close'));
      await expect(client.connect()).resolves.toBe(client);
      const session = client.startSession();
      session.on('ended', fail('ended'));
      await session.endSession();
      await client.close();
      await sleep(1);
      expect(uncaught.splice(0)).toEqual([new RangeError('open'), new RangeError('ended'), new RangeError('close')]);
    }));

  test('sends no getMore without listeners, and keeps received changes', () =>
    withScript({ answers: [batch([change('a'), change('b')]), last([])] }, async ({ client, sleep, names }) => {
      const stream = films(client).watch();
      const emitted: unknown[] = [];
      stream.once('change', one => emitted.push(one._id));
      await sleep(1000);
      expect([emitted, stream.bufferedCount(), names()]).toEqual([[{ _data: 'a' }], 1, ['aggregate']]);
      stream.on('change', one => emitted.push(one._id));
      await sleep(1000);
      expect([emitted.length, stream.closed]).toEqual([2, true]);
    }));

  test('close ends a pending getMore, and only end and close are emitted after it', () =>
    withScript({ answers: [batch([]), 'silence'] }, async ({ client, sleep }) => {
      const stream = films(client).watch();
      const emitted = listen(stream);
      await sleep(100);
      await stream.close();
      await sleep(5000);
      expect(emitted).toEqual(['close']);
    }));

  test('ends without an error when the client closes', () =>
    withScript({ answers: [batch([]), 'silence'] }, async ({ client, sleep }) => {
      const emitted = listen(films(client).watch());
      await sleep(100);
      await client.close();
      await sleep(1000);
      expect(emitted).toEqual(['close']);
    }));

  test("init, more and response contain the server's replies, and resumeTokenChanged every token", () =>
    withScript({ answers: [batch([], 'p'), batch([change('a')], 'q'), last([])] }, async ({ client, sleep }) => {
      const stream = films(client).watch();
      const emitted: unknown[] = [];
      const batchOf = (name: string) => (response: Document) =>
        emitted.push([name, (response['cursor'] as Document)['nextBatch']]);
      stream.on('init', batchOf('init')).on('more', batchOf('more'));
      stream.on('response', () => emitted.push('response'));
      stream.on('resumeTokenChanged', token => emitted.push(token));
      stream.on('change', one => emitted.push(one));
      await sleep(1000);
      expect(emitted).toEqual([
        ...[{ _data: 'p' }, ['init', []], 'response'],
        ...[['more', [change('a')]], 'response', { _data: 'q' }, change('a')],
      ]);
    }));

  test('cannot be iterated', () =>
    withScript({ answers: [] }, async ({ client }) => {
      const stream = films(client).watch();
      stream.on('change', () => undefined);
      const message = 'ChangeStream cannot be used as an iterator after being used as an EventEmitter';
      await expect(stream.next()).rejects.toMatchObject({ name: 'MongoAPIError', message });
      expect(stream.closed).toBe(false);
      await stream.close();
    }));

  test('cannot get listeners after it was iterated', () =>
    withScript({ answers: [batch([change('a')])] }, async ({ client }) => {
      const stream = films(client).watch();
      await stream.next();
      const message = 'ChangeStream cannot be used as an EventEmitter after being used as an iterator';
      expect(() => stream.on('change', () => undefined)).toThrow(message);
      expect(() => stream.once('change', () => undefined)).toThrow(message);
      expect(stream.listenerCount('change')).toBe(0);
      await stream.close();
    }));
});
