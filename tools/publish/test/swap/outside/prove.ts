/** Functions for all programs: they print the results of a suite, and the results of a client that uses the part. */
import { runCases } from '@tessera/sim';
import type { ContractCase, RunCasesDeps } from '@tessera/sim';
import { startServer } from 'tessera-server';
import { MongoBulkWriteError, MongoClient, MongoServerError } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';

/** Lets the host run pending callbacks, for simulated worlds. */
export const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs every case of a suite and prints the failures. @throws Error if the suite has no cases */
export const prove = async (name: string, cases: readonly ContractCase[]): Promise<void> => {
  if (cases.length === 0) throw new Error(`${name} has no cases.`);
  const failed = (await runCases(cases, { turn, watchRejections })).filter(({ failure }) => failure !== undefined);
  for (const { name: rule, failure } of failed)
    console.log(`${name}: ${rule}: ${failure instanceof Error ? failure.message : String(failure)}`);
  console.log(
    failed.length === 0 ? `${name}: all cases pass` : `${name}: ${failed.length} of ${cases.length} cases fail`,
  );
};

const watchRejections: RunCasesDeps['watchRejections'] = listener => {
  process.on('unhandledRejection', listener);
  return () => process.off('unhandledRejection', listener);
};

interface Item {
  _id: number;
  name: string;
  price: number;
  tags: string[];
}

const items = (): Item[] =>
  Array.from({ length: 25 }, (_, index) => ({
    _id: index,
    name: `item ${index}`,
    price: index * 1.5,
    tags: index % 2 === 0 ? ['even'] : [],
  }));

/**
 * Uses a client: inserts and reads documents, iterates a cursor over several batches, updates, and causes two errors.
 */
export const work = async (client: MongoClient): Promise<void> => {
  const sent = new Map<string, number>();
  const count = ({ commandName }: { readonly commandName: string }): void => {
    sent.set(commandName, (sent.get(commandName) ?? 0) + 1);
  };
  client.on('commandStarted', count);
  const collection = client.db('shop').collection<Item>('items');

  const inserted = await collection.insertMany(items());
  console.log(`inserted ${inserted.insertedCount}`);
  const found = await collection.find({}, { batchSize: 7, sort: { _id: 1 } }).toArray();
  console.log(`found ${found.length}, in order: ${found.every(({ _id }, index) => _id === index)}`);
  const seen: number[] = [];
  for await (const { price } of collection.find({ tags: 'even' }, { batchSize: 5 }).sort({ price: -1 }))
    seen.push(price);
  console.log(`prices of even items: ${seen.join(' ')}`);
  const updated = await collection.updateMany({ _id: { $gte: 20 } }, { $inc: { price: 100 }, $push: { tags: 'dear' } });
  console.log(`updated ${updated.modifiedCount}: ${JSON.stringify(await collection.findOne({ _id: 24 }))}`);
  const twice = collection.insertOne({ _id: 7, name: 'another', price: 0, tags: [] });
  console.log(await twice.catch(describe));
  const stages = [{ $group: { _id: null, sum: { $sum: '$price' } } }];
  console.log(`sum of prices: ${JSON.stringify(await collection.aggregate(stages).toArray())}`);
  console.log(
    await collection
      .aggregate([{ $nonsense: 1 }])
      .toArray()
      .catch(describe),
  );
  console.log(`dropped: ${await collection.drop()}`);

  client.off('commandStarted', count);
  console.log(`commands: ${[...sent].map(([name, times]) => `${name} ${times}`).join(', ')}`);
};

const describe = (error: unknown): string => {
  if (error instanceof MongoBulkWriteError || error instanceof MongoServerError)
    return `${error.name} ${String(error.code)}: ${error.message}`;
  return String(error);
};

/** Starts a server and a client, calls the function, and closes both. */
export const withClient = async (
  options: MongoClientOptions,
  use: (client: MongoClient) => Promise<void>,
): Promise<void> => {
  const server = await startServer();
  const client = new MongoClient(server.uri, { monitorCommands: true, ...options });
  try {
    await use(client);
  } finally {
    await client.close();
    await server.close();
  }
};
