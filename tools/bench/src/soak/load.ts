import { MongoClient } from '@tessera/mongodb';
import type { Collection } from '@tessera/mongodb';

interface Row {
  _id: number;
  n: number;
  tags: string[];
  text: string;
}

/** The number of documents, which the load keeps constant. */
const size = 500;
const row = (_id: number, n: number): Row => ({ _id, n, tags: [`t${n % 7}`, `u${n % 11}`], text: 'x'.repeat(n % 500) });

type Step = (rows: Collection<Row>, n: number, client: MongoClient) => Promise<unknown>;

/** The operations of the load. Each returns the collection to its size. */
const steps: readonly Step[] = [
  (rows, n) => rows.findOne({ _id: n % size }),
  (rows, n) => rows.updateOne({ _id: n % size }, { $set: { n, text: 'y'.repeat(n % 500) } }),
  rows => rows.find({ tags: 't3' }, { batchSize: 50 }).toArray(),
  (rows, n) => rows.findOneAndUpdate({ _id: n % size }, { $inc: { n: 1 } }, { returnDocument: 'after' }),
  rows => rows.aggregate([{ $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: '$n' } } }]).toArray(),
  (rows, n) => rows.replaceOne({ _id: n % size }, row(n % size, n), { upsert: true }),
  async (rows, n) => {
    await rows.insertOne(row(size + n, n));
    await rows.deleteOne({ _id: size + n });
  },
  (rows, n) =>
    rows.bulkWrite([
      { updateOne: { filter: { _id: n % size }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: (n + 1) % size }, update: { $set: { tags: row(n, n).tags } } } },
    ]),
  async rows => {
    // A cursor that is closed before its end.
    for await (const { _id } of rows.find({}, { batchSize: 10 })) if (_id > -1) break;
  },
  (rows, n) => rows.insertOne(row(n % size, n)).catch(expected('MongoServerError')),
  (rows, n) => {
    const controller = new AbortController();
    const reading = rows.find({ n: { $gt: n } }, { signal: controller.signal }).toArray();
    controller.abort(new Error('stop'));
    return reading.catch(expected('Error'));
  },
  (rows, n, client) =>
    client.withSession(session =>
      session.withTransaction(async () => {
        await rows.updateOne({ _id: n % size }, { $inc: { n: 1 } }, { session });
        await rows.findOne({ _id: (n + 1) % size }, { session });
      }),
    ),
];

/** The number of kinds of operations. */
export const kinds: number = steps.length;

/** Returns a handler that ignores the error of this name, and throws any other. */
const expected =
  (name: string) =>
  (error: unknown): void => {
    if ((error as Error).name !== name) throw error;
  };

/** A client with a mixed load. */
export interface Load {
  /** Runs operations until the time is over, and waits for the last ones. Returns their number. */
  run(milliseconds: number): Promise<number>;
  close(): Promise<void>;
}

/** Opens a client with a change stream, and fills its collection. */
export const openLoad = async (uri: string, workers: number): Promise<Load> => {
  const client = new MongoClient(uri, { maxPoolSize: workers, minPoolSize: workers });
  const rows = client.db('soak').collection<Row>('rows');
  await rows.insertMany(Array.from({ length: size }, (_, index) => row(index, index)));
  const changes = rows.watch();
  let seen = 0;
  changes.on('change', () => seen++);
  changes.on('error', () => undefined);
  let count = 0;
  return {
    async run(milliseconds) {
      const before = count;
      const end = performance.now() + milliseconds;
      const work = async (): Promise<void> => {
        while (performance.now() < end) {
          const n = count++;
          await steps[n % steps.length]!(rows, n, client);
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
      // A client that is opened and closed must leave nothing behind.
      await using short = new MongoClient(uri);
      await short.db('soak').command({ ping: 1 });
      return count - before;
    },
    async close() {
      await changes.close();
      await client.close();
      if (seen === 0) throw new Error('The change stream returned no change.');
    },
  };
};
