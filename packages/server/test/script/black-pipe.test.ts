import type { Document } from 'bson';
import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { BlackPipe, BlackPipeOptions } from '../../src/index.js';
import { any, createBlackPipe } from '../../src/index.js';
import type { ManualClock } from '../client.js';
import { Client, msgOf, queryOf, settled, testRuntime, typed } from '../client.js';

interface Stage {
  readonly pipe: BlackPipe;
  readonly clock: ManualClock;
  readonly client: Client;
}

const stage = (options: BlackPipeOptions = {}): Stage => {
  const runtime = testRuntime();
  const pipe = createBlackPipe(runtime, options);
  return { pipe, clock: runtime.clock, client: new Client(pipe) };
};

const failure = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('a request to a scripted server', () => {
  test('gets the scripted reply, with the BSON types of MongoDB', async () => {
    await using pipe = stage().pipe;
    const client = new Client(pipe);
    const answer = client.run({ insert: 'c', documents: [{ _id: 1 }] });
    const request = await pipe.expect('insert', { documents: [{ _id: 1 }] });
    request.ok({ n: 1, topologyVersion: { counter: 3 } }, { labels: ['RetryableWriteError'] });
    expect(typed(await answer)).toBe(
      '{"n":{"$numberInt":"1"},"topologyVersion":{"counter":{"$numberLong":"3"}},' +
        '"errorLabels":["RetryableWriteError"],"ok":{"$numberDouble":"1.0"}}',
    );
    expect({ name: request.name, db: request.db, command: request.command, silent: request.silent }).toEqual({
      name: 'insert',
      db: 'db',
      command: { insert: 'c', documents: [{ _id: 1 }], $db: 'db' },
      silent: false,
    });
  });

  test('has values that JavaScript lacks as Extended JSON, which replies and patterns accept', async () => {
    const { pipe, client } = stage();
    const given = {
      a: new BSONRegExp('^x', 'i'),
      b: new MinKey(),
      c: new MaxKey(),
      d: new ObjectId('65f0c0ffee65f0c0ffee0001'),
    };
    const answer = client.run({ insert: 'c', documents: [given] });
    const plain = {
      a: { $regularExpression: { pattern: '^x', options: 'i' } },
      b: { $minKey: 1 },
      c: { $maxKey: 1 },
      d: { $oid: '65f0c0ffee65f0c0ffee0001' },
    };
    const request = await pipe.expect('insert', { documents: [plain] });
    expect(request.command['documents']).toEqual([plain]);
    request.ok({ seen: plain });
    expect(typed(await answer)).toBe(`{"seen":${typed(given)},"ok":{"$numberDouble":"1.0"}}`);
  });

  test('has a regular expression only if its pattern and options are strings', async () => {
    const { pipe, client } = stage();
    const answer = client.run({ ping: 1 });
    const others = [{ options: 'i' }, { pattern: 1, options: '' }, { pattern: 'a', options: 1 }];
    const request = await pipe.expect('ping');
    request.ok({
      short: { $regularExpression: { pattern: 'a' } },
      others: others.map(fields => ({ $regularExpression: fields })),
    });
    const seen = { short: new BSONRegExp('a', ''), others: others.map(fields => ({ $regularExpression: fields })) };
    expect(typed(await answer)).toBe(typed({ ...seen, ok: new Double(1) }));
  });

  test('fails with a code, its name, labels and further fields', async () => {
    const { pipe, client } = stage();
    const answer = client.plain({ insert: 'c', documents: [] });
    const request = await pipe.expect('insert');
    request.error(91, {
      message: 'bye',
      labels: ['L'],
      fields: { errInfo: { a: 1 } },
      topologyVersion: { counter: 2 },
    });
    expect(await answer).toEqual({
      ok: 0,
      errmsg: 'bye',
      code: 91,
      codeName: 'ShutdownInProgress',
      errInfo: { a: 1 },
      topologyVersion: { counter: 2 },
      errorLabels: ['L'],
    });
  });

  test('gets a batch of its collection, and a getMore the next batch, with an int64 cursor id', async () => {
    const { pipe, client } = stage();
    const found = client.run({ find: 'c' });
    (await pipe.expect('find')).cursor([{ _id: 1 }], { id: 7 });
    expect(typed(await found)).toBe(
      '{"cursor":{"firstBatch":[{"_id":{"$numberInt":"1"}}],"id":{"$numberLong":"7"},"ns":"db.c"},"ok":{"$numberDouble":"1.0"}}',
    );
    const more = client.plain({ getMore: Long.fromInt(7), collection: 'c' });
    (await pipe.expect('getMore', { getMore: 7 })).cursor([]);
    expect(await more).toEqual({ cursor: { nextBatch: [], id: 0, ns: 'db.c' }, ok: 1 });
    const listed = client.plain({ listCollections: 1 });
    (await pipe.expect('listCollections')).cursor([]);
    expect((await listed).cursor.ns).toBe('db.$cmd.listCollections');
  });

  test('gets a delayed reply, by the clock', async () => {
    const { pipe, clock, client } = stage();
    const answer = client.plain({ ping: 1 });
    (await pipe.expect('ping')).after(50).ok();
    await clock.advance(49);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect(await answer).toEqual({ ok: 1 });
    expect(clock.pending).toBe(0);
  });

  test('can get raw bytes as its reply', async () => {
    const { pipe, client } = stage();
    void client.run({ ping: 1 });
    const request = await pipe.expect('ping');
    const frame = request.frame({ ok: 1 });
    request.raw(frame);
    const received = await client.next();
    expect({ ...received, doc: typed(received.doc), bytes: received.bytes.length }).toMatchObject({
      responseTo: request.requestId,
      bytes: frame.length,
      doc: '{"ok":{"$numberDouble":"1.0"}}',
    });
  });

  test.each(['rst', 'fin'] as const)('can be answered by closing the connection with %s', async how => {
    const { pipe, client } = stage();
    const answer = client.plain({ ping: 1 });
    const request = await pipe.expect('ping');
    request.hangUp(how);
    await request.connection.closed;
    expect(await failure(answer)).toBe('The connection was closed');
  });

  test('can get an incomplete reply', async () => {
    const { pipe, client } = stage();
    const pieces: number[] = [];
    const write = client.write.bind(client);
    client.write = bytes => {
      pieces.push(bytes.length);
      return write(bytes);
    };
    client.send(msgOf(1, { ping: 1, $db: 'db' }));
    (await pipe.expect('ping')).hangUp({ afterBytes: 20 });
    expect({ pieces, closed: client.closed }).toEqual({ pieces: [20], closed: true });
  });

  test('can get several replies only if it allows exhaust', async () => {
    const { pipe, client } = stage();
    client.send(msgOf(1, { getMore: Long.fromInt(1), collection: 'c', $db: 'db' }, 0x10000));
    const request = await pipe.expect('getMore');
    request.more({ n: 1 });
    const [first] = [await client.next()];
    request.ok({ n: 2 });
    const second = await client.next();
    expect([first.flags, first.responseTo, second.flags, second.responseTo]).toEqual([2, 1, 0, first.requestId]);
    client.send(msgOf(2, { ping: 1, $db: 'db' }));
    const once = await pipe.expect('ping');
    expect(() => once.more({})).toThrow(/allows only one reply/);
  });

  test('gets at most one reply', async () => {
    const { pipe, client } = stage();
    void client.plain({ ping: 1 });
    const request = await pipe.expect('ping');
    request.ok();
    expect(() => request.error(1)).toThrow(/was answered already/);
    expect(() => request.proceed()).toThrow(/was sent to a black pipe, which cannot execute commands/);
  });

  test('with moreToCome gets no reply, and its connection can still be closed', async () => {
    const { pipe, client } = stage();
    client.send(msgOf(1, { insert: 'c', documents: [], $db: 'db' }, 2));
    const request = await pipe.expect('insert');
    expect(() => request.ok()).toThrow(/expects no answer/);
    request.hangUp();
    expect({ received: client.received, closed: client.closed }).toEqual({ received: [], closed: true });
    await pipe[Symbol.asyncDispose]();
  });
});

describe('an expectation', () => {
  test.each([
    [{ a: 1, b: { c: [1, { d: 'x', e: 2 }] } }, { b: { c: [1, { d: 'x' }] } }],
    [{ a: Long.fromInt(5) }, { a: 5 }],
    [{ a: new Double(5) }, { a: Long.fromInt(5) }],
    [{ a: new ObjectId('0123456789abcdef01234567') }, { a: { $oid: '0123456789abcdef01234567' } }],
    [{ a: new ObjectId('0123456789abcdef01234567') }, { a: new ObjectId('0123456789abcdef01234567') }],
    [{ a: new Timestamp({ t: 1, i: 2 }) }, { a: { $timestamp: { t: 1, i: 2 } } }],
    [{ a: Decimal128.fromString('1.50') }, { a: Decimal128.fromString('1.5') }],
    [{ a: new Binary(Uint8Array.of(1, 2)) }, { a: Uint8Array.of(1, 2) }],
    [
      { a: new Date(5), b: null, c: /x/i, d: true },
      { a: new Date(5), b: null, c: /x/i, d: true },
    ],
    [
      { a: 5, $set: {} },
      { a: any.between(1, 5), b: any.absent, $set: any.document },
    ],
  ])('accepts %j if it expects %j', async (given, subset) => {
    const { pipe, client } = stage();
    void client.run({ ping: 1, ...(given as Document) });
    (await pipe.expect('ping', subset)).ok();
  });

  test.each([
    [{ a: 1 }, { a: 2 }, 'a must be 2, but is 1'],
    [{ a: 1 }, { b: any.value }, 'b must be present, but is missing'],
    [{ a: [1] }, { a: [1, 2] }, 'a must be an array of 2, but is [ 1 ]'],
    [{ a: { b: 1 } }, { a: { b: any.long } }, 'a.b must be of type long, but is 1'],
    [{ a: 1 }, { a: { b: 1 } }, 'a must be a document, but is 1'],
  ])('rejects %j if it expects %j: %s', async (given, subset, difference) => {
    const { pipe, client } = stage();
    const answer = client.refusal({ ping: 1, ...(given as Document) });
    const sentence = `The next request does not match: ${difference}`;
    expect((await failure(pipe.expect('ping', subset))).split('\n')[0]).toBe(`${sentence}.`);
    expect(await answer).toBe(`59 ${sentence}`);
  });

  test('applies to the first request, even if the request came before it', async () => {
    const { pipe, client } = stage();
    const early = pipe.expect('find');
    void client.run({ find: 'c' });
    (await early).cursor([]);
    const answer = client.refusal({ insert: 'c' });
    const wrong = failure(pipe.expect('find'));
    expect(await wrong).toMatch(/^The next request does not match: expected find, but got insert\.\n\n/);
    expect(await answer).toMatch(/^59 /);
  });

  test('for one connection takes precedence over one for a lane', async () => {
    const { pipe, client } = stage();
    const other = new Client(pipe);
    void client.run({ ping: 1 });
    const first = await pipe.expect('ping');
    first.ok();
    const ofAnyLane = pipe.expect('count');
    const ofConnection = pipe.expect('find', {}, { lane: first.connection });
    void client.run({ find: 'c' });
    void other.run({ count: 'c' });
    (await ofConnection).cursor([]);
    expect((await ofAnyLane).connection.id).toBe(2);
    (await ofAnyLane).ok({ n: 0 });
    await settled();
    await pipe[Symbol.asyncDispose]();
  });

  test('times out', async () => {
    const { pipe, clock } = stage();
    const late = failure(pipe.expect('find', {}, { within: 100 }));
    await clock.advance(100);
    expect(await late).toBe('No find arrived within 100 ms.\n\n(no messages)');
  });
});

describe('hello', () => {
  test('is answered without a script, under each of its names', async () => {
    const { pipe, client } = stage({ hello: { setName: 'rs', maxWireVersion: 21 } });
    expect(await client.plain({ hello: 1 }, 'admin')).toMatchObject({
      isWritablePrimary: true,
      setName: 'rs',
      maxWireVersion: 21,
      connectionId: 1,
      ok: 1,
    });
    client.send(queryOf(5, 'admin.$cmd', { isMaster: 1, helloOk: true }));
    const { opCode, responseTo } = await client.next();
    expect({ opCode, responseTo }).toEqual({ opCode: 1, responseTo: 5 });
    await pipe[Symbol.asyncDispose]();
  });

  test('can be expected, and does not affect expectations of other commands', async () => {
    const { pipe, client } = stage();
    const taken = pipe.expect('hello');
    const command = pipe.expect('ping');
    const answer = client.plain({ isMaster: 1 }, 'admin');
    (await taken).ok({ ismaster: false });
    expect(await answer).toEqual({ ismaster: false, ok: 1 });
    void client.plain({ ping: 1 });
    (await command).ok();
  });

  test('is left to the script if the option hello is "scripted"', async () => {
    const { pipe, client } = stage({ hello: 'scripted' });
    const answer = client.refusal({ hello: 1 }, 'admin');
    await settled();
    (await pipe.expect('hello')).error(91);
    expect(await answer).toBe('91 Scripted error 91');
  });

  test('with maxAwaitTimeMS is answered when the topology changes, or when its time is up', async () => {
    const version = { processId: new ObjectId('0123456789abcdef01234567'), counter: Long.fromInt(1) };
    const { pipe, clock, client } = stage({ hello: { topologyVersion: version } });
    client.send(msgOf(1, { hello: 1, topologyVersion: version, maxAwaitTimeMS: 500, $db: 'admin' }, 0x10000));
    await clock.advance(499);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    const first = await client.next();
    pipe.become({ isWritablePrimary: false, topologyVersion: { ...version, counter: Long.fromInt(2) } });
    const second = await client.next();
    expect([first.flags, second.flags, second.responseTo]).toEqual([2, 2, first.requestId]);
    expect(second.doc['isWritablePrimary']).toBe(false);
    await pipe[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });
});

describe('disposing of a scripted server', () => {
  test('succeeds if the script is complete, and ignores endSessions', async () => {
    const { pipe, client } = stage();
    expect(await client.plain({ endSessions: [] }, 'admin')).toEqual({ ok: 1 });
    await pipe[Symbol.asyncDispose]();
    expect(client.closed).toBe(true);
  });

  test('reports unanswered requests, unexpected requests and unmet expectations, with a transcript', async () => {
    const { pipe, clock, client } = stage();
    const other = new Client(pipe);
    void client.run({ find: 'c' }).catch(() => undefined);
    await pipe.expect('find');
    await clock.advance(20);
    void other.run({ ping: 1 }).catch(() => undefined);
    void client.run({ hello: 1 }).catch(() => undefined);
    void pipe.expect('insert', {}, { lane: 'monitor' });
    await settled();
    expect(await failure(pipe[Symbol.asyncDispose]())).toBe(
      'The script was not completed: the expected insert never arrived; unexpected request #2 ping { ping: 1, $db: "db" }; ' +
        'no answer to #1 find { find: "c", $db: "db" }.\n\n' +
        '      0 ms  #1  client ──▶ server  find { find: "c", $db: "db" }\n' +
        '     20 ms  #2  client ──▶ server  ping { ping: 1, $db: "db" }',
    );
  });

  test('keeps credentials out of the transcript', async () => {
    const { pipe, client } = stage();
    void client.run({ saslStart: 1, mechanism: 'PLAIN', payload: 'secret' }, 'admin');
    (await pipe.expect('saslStart')).error(18);
    void client.run({ hello: 1, speculativeAuthenticate: { saslStart: 1, payload: 'secret' } }, 'admin');
    await settled();
    expect(pipe.transcript()).not.toContain('secret');
    await pipe[Symbol.asyncDispose]();
  });
});
