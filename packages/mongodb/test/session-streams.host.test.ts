/** Streams of cursors and change streams in a session, over TCP with Node.js streams. */
import type { Readable } from 'node:stream';
import { MongoClient } from '@tessera/mongodb';
import type { ClientSession, Collection, Document } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { expect, test } from 'vitest';

/** Copies five films in a transaction with the given reader of the stream. Returns the ids of the copies. */
const copied = async (
  read: (stream: Readable, copy: (film: Document) => Promise<unknown>) => Promise<void>,
): Promise<unknown[]> => {
  const server = await startServer({ replicaSet: 'rs0' });
  // The default would hide a stream that reads ahead, because concurrent operations wait for one another.
  const client = new MongoClient(server.uri, { parallelTransactionOperations: 'fail' });
  try {
    const [films, copies] = [client.db('shop').collection('films'), client.db('shop').collection('copies')];
    await films.insertMany([1, 2, 3, 4, 5].map(_id => ({ _id }) as never));
    await copies.insertOne({ _id: 0 } as never);
    await client.withSession(session =>
      session.withTransaction(async () => {
        const stream = films.find({}, { session, batchSize: 1 }).stream() as Readable;
        await read(stream, film => copies.insertOne(film, { session }));
      }),
    );
    return (await copies.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id as unknown);
  } finally {
    await client.close();
    await server.close();
  }
};

test('a for await loop over a stream in a transaction can insert between two documents', async () => {
  const ids = await copied(async (stream, copy) => {
    for await (const film of stream) await copy(film as Document);
  });
  expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a data listener that pauses a stream in a transaction can insert before it resumes', async () => {
  const ids = await copied(
    (stream, copy) =>
      new Promise((resolve, reject) => {
        stream.on('error', reject).on('end', resolve);
        stream.on('data', (film: Document) => {
          stream.pause();
          copy(film).then(
            () => stream.resume(),
            (error: unknown) => stream.destroy(error as Error),
          );
        });
      }),
  );
  expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
});

/** Returns a change stream with a session, and the list of commands sent for it. */
const watching = async (
  program: (given: { stream: Readable; session: ClientSession; films: Collection; sent: string[] }) => Promise<void>,
): Promise<void> => {
  const server = await startServer({ replicaSet: 'rs0' });
  const client = new MongoClient(server.uri, { monitorCommands: true });
  const sent: string[] = [];
  client.on('commandStarted', ({ commandName }) => {
    if (['aggregate', 'getMore'].includes(commandName)) sent.push(commandName);
  });
  try {
    const films = client.db('shop').collection('films');
    await films.insertOne({ _id: 0 } as never);
    await client.withSession(async session => {
      const changes = films.watch([], { session, batchSize: 1, maxAwaitTimeMS: 10_000 });
      await program({ stream: changes.stream() as Readable, session, films, sent });
      await changes.close();
    });
  } finally {
    await client.close();
    await server.close();
  }
};

test('stream() of a change stream with a session sends no getMore before the reader asks for data', () =>
  watching(async ({ stream, session, films, sent }) => {
    const changes = stream[Symbol.asyncIterator]();
    const first = changes.next();
    while (sent.length < 2) await new Promise(resolve => setImmediate(resolve));
    await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }] as never[], { session });
    expect(await first).toMatchObject({ value: { documentKey: { _id: 1 } } });
    // A stream that reads ahead would have sent another getMore before the reply to this command.
    expect(await films.countDocuments({}, { session })).toBe(4);
    expect(sent.filter(name => name === 'getMore')).toEqual(['getMore']);
    expect(await changes.next()).toMatchObject({ value: { documentKey: { _id: 2 } } });
    stream.destroy();
  }));

test("stream() of a change stream in a transaction sends nothing until it is read, then fails with the server's error", () =>
  watching(async ({ stream, session, films, sent }) => {
    await session.withTransaction(async () => {
      await films.insertOne({ _id: 1 } as never, { session });
      await films.insertOne({ _id: 2 } as never, { session });
    });
    expect(sent).toEqual([]);
    session.startTransaction();
    await films.insertOne({ _id: 3 } as never, { session });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 263 });
    await session.abortTransaction();
    expect(sent).toEqual(['aggregate']);
    expect((await films.find().toArray()).map(({ _id }) => _id as unknown)).toEqual([0, 1, 2]);
  }));
