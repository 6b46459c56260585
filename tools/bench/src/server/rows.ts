import { MongoClient } from '@tessera/mongodb';
import type { Db } from '@tessera/mongodb';

/** One thing that servers are measured by. */
export interface Row {
  readonly title: string;
  /** How many operations are asked for at a time; a round asks until its time is over. */
  readonly operations: number;
  /** Performs so many operations. */
  readonly run: (db: Db, operations: number) => Promise<void>;
}

/** How many documents the collections have that rows read. */
export const sizes: { readonly few: number; readonly many: number } = { few: 1_000, many: 100_000 };

interface SmallDocument {
  readonly _id: number;
  readonly group: number;
  readonly value: number;
  readonly name: string;
}

const smallDocument = (i: number): SmallDocument => ({
  _id: i,
  group: i % 100,
  value: (i * 7919) % 10_000,
  name: `name ${i}`,
});

/** So many operations, so many of them under way at once. */
const inFlight = async (width: number, operations: number, perform: (i: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < operations) await perform(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
};

const insertAll = async (db: Db, name: string, count: number): Promise<void> => {
  const collection = db.collection<SmallDocument>(name);
  for (let from = 0; from < count; from += 1_000) {
    await collection.insertMany(
      Array.from({ length: Math.min(1_000, count - from) }, (_, i) => smallDocument(from + i)),
    );
  }
};

/** `few` and `many`, each with an index on `tenth`, of which ten documents share each value. */
export const prepare = async (db: Db): Promise<void> => {
  await insertAll(db, 'plain', sizes.many);
  for (const name of ['few', 'many'] as const) {
    const collection = db.collection<{ _id: number; tenth: number; text: string }>(name);
    for (let from = 0; from < sizes[name]; from += 1_000) {
      await collection.insertMany(
        Array.from({ length: 1_000 }, (_, i) => ({
          _id: from + i,
          tenth: Math.floor((from + i) / 10),
          text: 'ten of us',
        })),
      );
    }
    await collection.createIndex({ tenth: 1 });
  }
};

const findOne = (width: number): Row => ({
  title: `findOne by _id, ${width} in flight`,
  operations: 500,
  run: (db, operations) => {
    const plain = db.collection<{ _id: number }>('plain');
    return inFlight(width, operations, i => plain.findOne({ _id: (i * 7919) % sizes.many }));
  },
});

const findTen = (name: 'few' | 'many'): Row => ({
  title: `find of 10 by an index, of ${sizes[name].toLocaleString('en')}`,
  operations: 50,
  run: (db, operations) => {
    const collection = db.collection<{ tenth: number }>(name);
    return inFlight(16, operations, i => collection.find({ tenth: (i * 7919) % (sizes[name] / 10) }).toArray());
  },
});

export const rows: readonly Row[] = [
  findOne(1),
  findOne(16),
  findOne(128),
  findTen('few'),
  findTen('many'),
  {
    title: 'updateOne by _id, $inc, 16 in flight',
    operations: 500,
    run: (db, operations) => {
      const plain = db.collection<{ _id: number; count: number }>('plain');
      return inFlight(16, operations, i => plain.updateOne({ _id: (i * 7919) % sizes.many }, { $inc: { count: 1 } }));
    },
  },
  {
    title: 'insertMany, small documents, 1,000 a batch',
    operations: 100_000,
    run: async (db, operations) => {
      await insertAll(db, 'inserted', operations);
      await db.collection('inserted').drop();
    },
  },
  {
    title: '$group over 100,000 into 100',
    operations: 1,
    run: async (db, operations) => {
      const plain = db.collection('plain');
      const pipeline = [{ $group: { _id: '$group', n: { $sum: 1 }, mean: { $avg: '$value' } } }];
      for (let i = 0; i < operations; i++) await plain.aggregate(pipeline).toArray();
    },
  },
];

export const connectTo = (uri: string): MongoClient =>
  new MongoClient(uri, { maxPoolSize: 128, monitorCommands: false });
