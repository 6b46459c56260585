/** Streams of cursors in a transaction, on real sockets and with the streams of Node.js. */
import type { Readable } from 'node:stream';
import { MongoClient } from '@tessera/mongodb';
import type { Document } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { expect, test } from 'vitest';

/** Copies five films in a transaction with the given reader of the stream, and returns the ids of the copies. */
const copied = async (
  read: (stream: Readable, copy: (film: Document) => Promise<unknown>) => Promise<void>,
): Promise<unknown[]> => {
  const server = await startServer({ replicaSet: 'rs0' });
  const client = new MongoClient(server.uri);
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

test('for await over a stream in a transaction may insert between two documents', async () => {
  const ids = await copied(async (stream, copy) => {
    for await (const film of stream) await copy(film as Document);
  });
  expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a data listener that pauses a stream in a transaction may insert before it resumes', async () => {
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
