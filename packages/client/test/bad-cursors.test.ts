/**
 * Servers that send invalid cursors, times, tokens and files: each causes a clear error or the behavior that the
 * specification requires.
 */
import { GridFSBucket } from '@tessera/client';
import type { Document } from 'bson';
import { Binary, Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { ask, member } from './bad-server.js';
import type { Handles, ThrownError } from './bad-server.js';
import type { Respond } from './scripted-server.js';

const open = Long.fromNumber(7);
const find = ({ films }: Handles) => films.find().toArray();
const first = (more: Document = {}): Document => ({
  cursor: { id: Long.ZERO, ns: 'test.films', firstBatch: [], ...more },
});
const next = (more: Document = {}): Document => ({
  cursor: { id: Long.ZERO, ns: 'test.films', nextBatch: [], ...more },
});
/** Returns replies: a first batch with an open cursor, then the given reply. */
const then =
  (more: Document): Respond =>
  command =>
    'getMore' in command ? more : first({ id: open });

const unexpected = (message: string): ThrownError => ({
  ...{ name: 'MongoUnexpectedServerResponseError', message, code: undefined, labels: [] },
});
const noCursor = (batch: string): ThrownError =>
  unexpected(`The server answered without a cursor that has an id and a ${batch}.`);
const noDocument = /^Invalid BSON: a value of type 10 in an array of documents/;

describe('the reply to a find', () => {
  test.each([['x'], [null], [5], [[]], [{ ns: 'test.films', firstBatch: [] }]])('with the cursor %j', async cursor => {
    expect((await ask({ cursor }, find)).error).toEqual(noCursor('firstBatch'));
  });

  test.each([
    [{ id: 'x' }],
    [{ id: null }],
    [{ id: 1.5 }],
    [{ id: NaN }],
    [{ firstBatch: {} }],
    [{ firstBatch: 'x' }],
    [{ firstBatch: null }],
  ])('with the cursor fields %j', async more => {
    expect((await ask(first(more), find)).error).toEqual(noCursor('firstBatch'));
    expect((await ask(first(more), ({ films }) => films.findOne())).error).toEqual(noCursor('firstBatch'));
  });

  test('with batch entries that are not documents, for every method that reads', async () => {
    const reads = [
      find,
      ({ films }: Handles) => films.find().next(),
      ({ films }: Handles) => films.findOne(),
      ({ films }: Handles) => films.countDocuments(),
      ({ films }: Handles) => films.find().forEach(() => undefined),
    ];
    for (const read of reads)
      expect((await ask(first({ firstBatch: [null] }), read)).error).toEqual(
        unexpected(expect.stringMatching(noDocument) as unknown as string),
      );
  });

  test.each([[undefined], [5], ['nodot']])(
    'with the invalid namespace %j: getMore uses the collection of the find',
    async ns => {
      const answer: Respond = command => ('getMore' in command ? next({ ns }) : first({ id: open, ns }));
      const { value, commands } = await ask(answer, find);
      expect([value, commands[1]?.['collection']]).toEqual([[], 'films']);
    },
  );

  test('with a negative cursor id, which is valid', async () => {
    const answer: Respond = command => ('getMore' in command ? next() : first({ id: Long.fromNumber(-5) }));
    const { value, received, commands } = await ask(answer, find);
    expect([value, received, String(commands[1]?.['getMore'])]).toEqual([[], ['find', 'getMore'], '-5']);
  });
});

describe('the reply to a getMore', () => {
  test('with CursorNotFound: the call fails, and later calls report a closed cursor', async () => {
    const lost: Respond = command =>
      'getMore' in command
        ? { ok: 0, code: 43, codeName: 'CursorNotFound', errmsg: 'cursor id 7 not found' }
        : first({ id: open, firstBatch: [{ _id: 1 }] });
    const { value, received } = await ask(lost, async ({ films }) => {
      const cursor = films.find();
      const report = async (step: Promise<unknown>): Promise<unknown> => step.catch((error: Error) => error.name);
      const emitted = [await report(cursor.next()), await report(cursor.next()), await report(cursor.next())];
      return [...emitted, await report(cursor.tryNext()), await cursor.hasNext(), cursor.killed];
    });
    const again = 'MongoCursorExhaustedError';
    expect(value).toEqual([{ _id: 1 }, 'MongoServerError', again, again, false, true]);
    expect(received).toEqual(['find', 'getMore']);
  });

  test('Find, "Behavior of Limit": with an open cursor after the limit is reached ends the iteration without an error', async () => {
    const kept: Respond = command =>
      'getMore' in command
        ? next({ id: open, nextBatch: [{ _id: 2 }, { _id: 3 }] })
        : first({ id: open, firstBatch: [{ _id: 1 }] });
    const { value, received } = await ask(kept, async ({ films }) => {
      const cursor = films.find({}, { limit: 3 });
      const emitted = [await cursor.next(), await cursor.next(), await cursor.next(), await cursor.next()];
      await cursor.close();
      return [...emitted, await cursor.next(), cursor.killed];
    });
    expect(value).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }, null, null, false]);
    expect(received).toEqual(['find', 'getMore', 'killCursors']);
  });

  test.each([[{ id: 'x' }], [{ nextBatch: 'x' }]])('with %j causes an error, after one attempt', async more => {
    const { error, received } = await ask(then(next(more)), find);
    expect([error, received]).toEqual([noCursor('nextBatch'), ['find', 'getMore']]);
  });

  test('with another namespace is accepted', async () => {
    const { value } = await ask(then(next({ ns: 'other.films', nextBatch: [{ title: 'M' }] })), find);
    expect(value).toEqual([{ title: 'M' }]);
  });

  test('with an error kills the cursor on the server before the caller receives the error', async () => {
    const { error, received } = await ask(then({ ok: 0, code: 8000, errmsg: 'no' }), find);
    expect(error).toEqual({ name: 'MongoServerError', message: 'no', code: 8000, labels: [] });
    expect(received).toEqual(['find', 'getMore', 'killCursors']);
    const read = await ask(then({ ok: 0, code: 8000, errmsg: 'no' }), ({ films }) => films.find().next());
    expect([read.error?.code, read.received]).toEqual([8000, ['find', 'getMore', 'killCursors']]);
  });

  test('with an open cursor and an empty batch, repeated forever: the caller can leave the loop, and timeoutMS ends it', async () => {
    const { error, received, lasted } = await ask(then(next({ id: open })), ({ films }) =>
      films.find({}, { timeoutMS: 50 }).toArray(),
    );
    expect([error?.name, lasted]).toEqual(['MongoOperationTimeoutError', 50]);
    expect(received.slice(0, 3)).toEqual(['find', 'getMore', 'getMore']);
    const left = await ask(then(next({ id: open })), async ({ films }) => {
      const cursor = films.find();
      const ended = cursor.next();
      await cursor.close();
      return ended;
    });
    expect([left.value, left.error]).toEqual([null, undefined]);
  });
});

test('a reply to another request causes an error, after one attempt', async () => {
  const answer: Respond = (command, peer) => {
    peer['answers'] = -1;
    return 'find' in command ? first() : {};
  };
  const { error, received } = await ask(answer, find);
  expect([error?.name, received]).toEqual(['MongoUnexpectedServerResponseError', ['find']]);
  expect(error?.message).toContain('-1');
});

describe('invalid times', () => {
  /** Runs two reads in one session and returns the session's time afterwards. */
  const twice = async ({ client, films }: Handles, known: 'operationTime' | 'clusterTime'): Promise<unknown> => {
    const session = client.startSession();
    await films.find({}, { session }).toArray();
    await films.find({}, { session }).toArray();
    const value = session[known];
    await session.endSession();
    return value;
  };

  test.each([['x'], [null], [{}], [new Date(5)]])('operationTime %j is ignored', async operationTime => {
    const { value, commands } = await ask({ ...first(), operationTime }, handles => twice(handles, 'operationTime'));
    expect([value, commands[1]?.['readConcern']]).toEqual([undefined, undefined]);
  });

  test.each([['x'], [null], [5], [{}], [[]], [{ clusterTime: 'x' }], [{ clusterTime: null }]])(
    '$clusterTime %j is ignored',
    async $clusterTime => {
      const { value, commands } = await ask({ ...first(), $clusterTime }, handles => twice(handles, 'clusterTime'));
      expect([value, commands[1]?.['$clusterTime']]).toEqual([undefined, undefined]);
    },
  );

  test('cluster and operation times that decrease are ignored', async () => {
    let seconds = 100;
    const at = (t: number): Timestamp => new Timestamp({ t, i: 1 });
    const answer: Respond = () => {
      seconds -= 10;
      const signature = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };
      return { ...first(), operationTime: at(seconds), $clusterTime: { clusterTime: at(seconds), signature } };
    };
    const { value, commands } = await ask(answer, handles => twice(handles, 'operationTime'));
    expect(value).toEqual(at(90));
    expect(commands[1]).toMatchObject({
      $clusterTime: { clusterTime: at(90) },
      readConcern: { afterClusterTime: at(90) },
    });
  });

  test.each([[undefined], ['x'], [null]])(
    'a snapshot session takes no snapshot time from the invalid %j',
    async emitted => {
      const { value, commands } = await ask(
        first(emitted === undefined ? {} : { atClusterTime: emitted }),
        async ({ client, films }) => {
          const session = client.startSession({ snapshot: true });
          for (let reads = 0; reads < 2; reads++) await films.find({}, { session }).toArray();
          await session.endSession();
          return 'read';
        },
      );
      expect([value, commands[1]?.['readConcern']]).toEqual(['read', { level: 'snapshot' }]);
    },
  );
});

describe('logicalSessionTimeoutMinutes', () => {
  const inSession = async ({ client, films }: Handles): Promise<string> => {
    const session = client.startSession();
    try {
      await films.find({}, { session }).toArray();
      return 'read';
    } finally {
      await session.endSession();
    }
  };

  test.each([[NaN], ['x'], [null]])(
    '%s means that the server does not support sessions',
    async logicalSessionTimeoutMinutes => {
      const hello = { ...member, logicalSessionTimeoutMinutes };
      const { error, received } = await ask(first(), inSession, hello);
      expect([error?.message, received]).toEqual([
        'find cannot use a session, because the server at db1:27017 does not support sessions. Run it without a session.',
        [],
      ]);
      expect((await ask(first(), find, hello)).value).toEqual([]);
    },
  );

  test.each([[-1], [0], [1e300]])('%s enables sessions, and limits how long the pool keeps them', async minutes => {
    const hello = { ...member, logicalSessionTimeoutMinutes: minutes };
    expect((await ask(first(), inSession, hello)).value).toBe('read');
  });
});

describe('change streams', () => {
  const watch = async ({ films }: Handles): Promise<unknown> => {
    const stream = films.watch();
    try {
      return await stream.next();
    } finally {
      await stream.close();
    }
  };

  test.each([[{}], [{ operationType: 'insert' }], [{ _id: null }]])(
    'an event without a usable token (%j) cannot be resumed after',
    async event => {
      const { error, received } = await ask(first({ id: open, firstBatch: [event] }), watch);
      expect(error).toMatchObject({
        name: 'MongoChangeStreamError',
        message: expect.stringMatching(
          /^Cannot provide resume functionality when the resume token is missing/,
        ) as string,
      });
      expect(received).toEqual(['aggregate', 'killCursors']);
    },
  );

  test('an event that is not a document causes an error', async () => {
    const { error } = await ask(first({ id: open, firstBatch: [null] }), watch);
    expect(error).toEqual(unexpected(expect.stringMatching(noDocument) as unknown as string));
  });
});

describe('GridFS files', () => {
  const download = async ({ db }: Handles): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const part of new GridFSBucket(db).download(1)) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const stored =
    (file: Document, chunks: readonly unknown[]): Respond =>
    command =>
      first({ ns: `test.${String(command['find'])}`, firstBatch: command['find'] === 'fs.files' ? [file] : chunks });
  const hello = Buffer.from('hello');
  const file = { _id: 1, length: 5, chunkSize: 5 };
  const wrong = (message: string): ThrownError => ({
    name: 'MongoGridFSChunkError',
    message,
    code: undefined,
    labels: [],
  });

  test.each([
    [{ length: 5 }, 'length 5 and chunkSize undefined'],
    [{ length: 'x', chunkSize: 5 }, 'length x and chunkSize 5'],
    [{ length: 5, chunkSize: 0 }, 'length 5 and chunkSize 0'],
    [{ length: -1, chunkSize: 5 }, 'length -1 and chunkSize 5'],
  ])('whose document is invalid: %j', async (layout, expected) => {
    const { error } = await ask(stored({ _id: 1, ...layout }, []), download);
    expect(error).toEqual(wrong(`Cannot read the file 1: its document has ${expected}.`));
  });

  test.each<readonly [title: string, chunks: readonly unknown[], message: string]>([
    ['none', [], 'ChunkIsMissing: Got no chunk, expected n: 0 of 1 chunks'],
    ['a chunk without a number', [{ data: hello }], 'ChunkIsMissing: Got a chunk without a number, expected n: 0'],
    [
      'a chunk whose number is a string',
      [{ n: 'x', data: hello }],
      'ChunkIsMissing: Got a chunk without a number, expected n: 0',
    ],
    ['a chunk with another number', [{ n: 1, data: hello }], 'ChunkIsMissing: Got unexpected n: 1, expected: 0'],
    ['a chunk without data', [{ n: 0 }], 'ChunkIsWrongSize: Got unexpected length: 0, expected: 5'],
    [
      'a chunk whose data is a string',
      [{ n: 0, data: 'hello' }],
      'ChunkIsWrongSize: Got unexpected length: 0, expected: 5',
    ],
  ])('whose chunks are invalid: %s', async (_, chunks, message) => {
    expect((await ask(stored(file, chunks), download)).error).toEqual(wrong(message));
  });
});
