/** The test plan of OP_MSG: the messages that the server receives for inserts, updates and deletes. */
import type { Collection } from '@tessera/client';
import { expect, test } from 'vitest';
import { messagesIn, receiving } from './received.js';
import type { Received, ReceivedMessage } from './received.js';
import { withServers } from './with-servers.js';

interface Film {
  readonly _id: number;
  readonly a: string;
}

/** Runs the program on an empty collection. Returns every insert, update and delete message. */
const writesOf = async (program: (films: Collection<Film>) => Promise<void>): Promise<readonly ReceivedMessage[]> => {
  const received: Received = [];
  await withServers(
    [{}],
    async ({ open }) => program(open('mongodb://db1/').db('shop').collection<Film>('films')),
    runtime => receiving(runtime, received),
  );
  const messages = messagesIn(received);
  expect(new Set(messages.map(({ opCode }) => opCode))).toEqual(new Set([2013]));
  return messages.filter(({ body }) => ['insert', 'update', 'delete'].includes(Object.keys(body)[0]!));
};

/** Returns the command, its document sequences, and the fields of its writes that are in the body. */
const shown = ({ body, sequences }: ReceivedMessage): unknown => [
  Object.keys(body)[0],
  sequences,
  Object.keys(body).filter(key => ['documents', 'updates', 'deletes'].includes(key)),
];

test('OP_MSG, prose test 1: inserts one document', async () => {
  const writes = await writesOf(async films => {
    await films.insertOne({ _id: 1, a: 'x' });
    expect(await films.find().toArray()).toEqual([{ _id: 1, a: 'x' }]);
  });
  expect(writes.map(({ body }) => body['insert'] as unknown)).toEqual(['films']);
});

test('OP_MSG, prose test 2: inserts two documents as a document sequence', async () => {
  const documents = [
    { _id: 1, a: 'x' },
    { _id: 2, a: 'y' },
  ];
  const writes = await writesOf(async films => {
    await films.insertMany(documents);
    expect(await films.find().sort({ _id: 1 }).toArray()).toEqual(documents);
  });
  expect(writes.map(shown)).toEqual([['insert', { documents }, []]]);
});

test('OP_MSG, prose test 4: sends one update or delete, and two of them as a document sequence', async () => {
  const writes = await writesOf(async films => {
    await films.insertMany([1, 2, 3].map(_id => ({ _id, a: 'x' })));
    await films.updateOne({ _id: 1 }, { $set: { a: 'y' } });
    await films.bulkWrite([2, 3].map(_id => ({ updateOne: { filter: { _id }, update: { $set: { a: 'z' } } } })));
    expect(await films.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, a: 'y' },
      { _id: 2, a: 'z' },
      { _id: 3, a: 'z' },
    ]);
    await films.deleteOne({ _id: 1 });
    expect(await films.countDocuments()).toBe(2);
    await films.bulkWrite([2, 3].map(_id => ({ deleteOne: { filter: { _id } } })));
    expect(await films.countDocuments()).toBe(0);
  });
  expect(writes.map(({ body }) => Object.keys(body)[0])).toEqual(['insert', 'update', 'update', 'delete', 'delete']);
  expect([writes[2], writes[4]].map(write => shown(write!))).toEqual([
    ['update', { updates: [2, 3].map(_id => ({ q: { _id }, u: { $set: { a: 'z' } } })) }, []],
    ['delete', { deletes: [2, 3].map(_id => ({ q: { _id }, limit: 1 })) }, []],
  ]);
});

test('OP_MSG, prose test 5: inserts, updates and deletes a small document and one of 16 MB in one message each', async () => {
  /** Returns a document of 16 MiB; 27 of its bytes are not text. */
  const large = (letter: string): Film => ({ _id: 2, a: letter.repeat(16 * 1024 * 1024 - 27) });
  const counts: unknown[] = [];
  const writes = await writesOf(async films => {
    const inserted = await films.insertMany([{ _id: 1, a: 'x' }, large('x')]);
    const updated = await films.bulkWrite([
      { replaceOne: { filter: { _id: 1 }, replacement: { a: 'y' } } },
      { replaceOne: { filter: { _id: 2 }, replacement: { a: large('y').a } } },
    ]);
    const last = await films.findOne({ _id: 2 });
    const deleted = await films.bulkWrite([1, 2].map(_id => ({ deleteOne: { filter: { _id } } })));
    counts.push(inserted.insertedCount, updated.modifiedCount, last?.a === large('y').a, deleted.deletedCount);
  });
  expect(counts).toEqual([2, 2, true, 2]);
  const lengths = writes.map(({ body, sequences }) => [Object.keys(body)[0], Object.values(sequences)[0]?.length]);
  expect(lengths).toEqual([
    ['insert', 2],
    ['update', 2],
    ['delete', 2],
  ]);
}, 60_000);
