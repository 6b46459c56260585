import { order } from '../documents/order.js';
import type { Document } from '../documents/varied.js';
import { mixedWrites } from '../null-server/bulk-replies.js';
import type { BulkResult, Client } from '../side.js';
import { textOf } from './outcome.js';
import type { Work } from './work.js';

const { inserts, updates, deletes } = mixedWrites;

/** Mixes the writes: two inserts, two updates and a delete, and so on. */
const mixed = <T>(
  insert: (document: Document) => T,
  update: (filter: Document, update: Document) => T,
  remove: (filter: Document) => T,
  number: number,
): T[] =>
  Array.from({ length: inserts + updates + deletes }, (_, index) => {
    const _id = number * 1000 + index;
    switch (index % 5) {
      case 0:
      case 1:
        return insert({ _id, ...order(_id) });
      case 2:
      case 3:
        return update({ _id }, { $set: { paid: true, total: index / 8 }, $inc: { changes: 1 } });
      default:
        return remove({ _id });
    }
  });

const ofCollection = (number: number): Document[] =>
  mixed<Document>(
    document => ({ insertOne: { document } }),
    (filter, update) => ({ updateOne: { filter, update } }),
    filter => ({ deleteOne: { filter } }),
    number,
  );

const namespace = 'bench.mixed';

const ofClient = (number: number): Document[] =>
  mixed<Document>(
    document => ({ name: 'insertOne', namespace, document }),
    (filter, update) => ({ name: 'updateOne', namespace, filter, update }),
    filter => ({ name: 'deleteOne', namespace, filter }),
    number,
  );

const counts = (result: unknown): BulkResult => {
  const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = result as BulkResult;
  return { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount };
};

const bulk = (
  client: Client,
  making: (number: number) => Document[],
  write: (writes: readonly Document[]) => Promise<BulkResult>,
): Work => ({
  operate: number => write(making(number)),
  making,
  asynchronous: true,
  outcome: counts,
  verify: async () => {
    const database = client.db('bench');
    await database.command({ record: 1 });
    const result = counts(await write(making(1)));
    const { recorded } = await database.command({ recorded: 1 });
    // The drivers write the default of `multi` at different places, or not at all.
    return textOf({ result, recorded: (recorded as string).replaceAll(/,"multi":false|"multi":false,/g, '') });
  },
});

/** Creates the work of bulk writes of a collection and of a client: a thousand writes of all kinds, unordered. */
export const createBulkWorks = (client: Client): ReadonlyMap<string, Work> => {
  const options = { ordered: false };
  const collection = client.db('bench').collection('mixed');
  return new Map([
    ['bulkWrite', bulk(client, ofCollection, writes => collection.bulkWrite(writes, options))],
    ['client-bulkWrite', bulk(client, ofClient, writes => client.bulkWrite(writes, options))],
  ]);
};
