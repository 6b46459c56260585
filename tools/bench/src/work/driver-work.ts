import { EJSON } from 'bson';
import { order } from '../documents/order.js';
import type { Document } from '../documents/varied.js';
import { batchDocuments, bulkDocuments } from '../null-server/replies.js';
import type { Collection, Database } from '../side.js';
import type { Work } from './work.js';

const extended = (value: unknown): string => EJSON.stringify(value, { relaxed: false });

/** The same document with its `_id` first: where a driver puts one that it makes is its own affair. */
const idFirst = ({ _id, ...rest }: Document): Document => ({ _id, ...rest });

/** Ids that were made here are different every time; which of them is the same remains to be seen. */
const withoutIds = (text: string, documents: readonly Document[]): string =>
  documents.reduce<string>((named, { _id }, index) => named.replaceAll(String(_id), `id ${index}`), text);

interface Recorded {
  readonly insert: string;
  readonly documents: readonly Document[];
  readonly $db: string;
}

/** What an insert answers, what it leaves in the documents, and what the server received of it. */
const verifyInsert = async (
  database: Database,
  documents: readonly Document[],
  insert: () => Promise<Document>,
): Promise<string> => {
  await database.command({ record: 1 });
  const result = await insert();
  const { recorded } = await database.command({ recorded: 1 });
  const received = (EJSON.parse(recorded as string, { relaxed: false }) as Recorded[]).map(command => ({
    ...command,
    documents: command.documents.map(idFirst),
  }));
  return withoutIds(extended({ result, documents: documents.map(idFirst), received }), documents);
};

/** An insert's result, its new ids left out: `verify` looks at those. */
const insertText = (result: unknown): string => extended(result).replaceAll(/[0-9a-f]{24}/g, 'id');

const insertOne = (database: Database, collection: Collection): Work => ({
  operate: number => collection.insertOne(order(number)),
  text: insertText,
  verify: () => {
    const document = order(1);
    return verifyInsert(database, [document], () => collection.insertOne(document));
  },
});

const orders = (number: number): Document[] =>
  Array.from({ length: bulkDocuments }, (_, index) => order(number * bulkDocuments + index));

const insertMany = (database: Database, collection: Collection): Work => ({
  operate: number => collection.insertMany(orders(number)),
  text: insertText,
  verify: () => {
    const documents = orders(1);
    return verifyInsert(database, documents, () => collection.insertMany(documents));
  },
});

const batchSize = batchDocuments;

const toArray = (collection: Collection): Work => ({
  operate: (_, options) => collection.find({}, { batchSize, ...options }).toArray(),
  text: extended,
  verify: async () => extended(await collection.find({}, { batchSize }).toArray()),
});

const forAwait = (collection: Collection): Work => ({
  operate: async (_, options) => {
    let count = 0;
    let last: Document | undefined;
    for await (const document of collection.find({}, { batchSize, ...options })) {
      count += 1;
      last = document;
    }
    return { count, last };
  },
  text: extended,
  verify: async () => {
    const all: Document[] = [];
    for await (const document of collection.find({}, { batchSize })) all.push(document);
    return extended(all);
  },
});

/** What applications do most, against the prepared replies of the null server. */
export const createDriverWorks = (database: Database): ReadonlyMap<string, Work> => {
  const one = database.collection('one');
  const findOne = (number: number, options = {}): Promise<Document | null> => one.findOne({ _id: number }, options);
  return new Map<string, Work>([
    [
      'ping',
      {
        operate: () => database.command({ ping: 1 }),
        text: extended,
        verify: async () => extended(await database.command({ ping: 1 })),
      },
    ],
    ['findOne', { operate: findOne, text: extended, verify: async () => extended(await findOne(1)) }],
    ['insertOne', insertOne(database, database.collection('orders'))],
    ['insertMany', insertMany(database, database.collection('bulk'))],
    ['toArray', toArray(database.collection('many'))],
    ['forAwait', forAwait(database.collection('many'))],
  ]);
};
