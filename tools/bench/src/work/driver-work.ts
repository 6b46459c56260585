import { EJSON } from 'bson';
import { order } from '../documents/order.js';
import type { Document } from '../documents/varied.js';
import { batchDocuments, bulkDocuments } from '../null-server/replies.js';
import type { Collection, Database } from '../side.js';
import { textOf } from './outcome.js';
import type { Work } from './work.js';

/** Moves `_id` to the front, because drivers differ in where they add a generated id. */
const idFirst = ({ _id, ...rest }: Document): Document => ({ _id, ...rest });

/** Replaces generated ids by numbers: they differ in each run, but equal ids must stay equal. */
const withoutIds = (value: unknown, documents: readonly Document[]): string => {
  const numbers = new Map(documents.map(({ _id }, index) => [String(_id), `id ${index}`]));
  return textOf(value).replaceAll(/[0-9a-f]{24}/g, id => numbers.get(id) ?? id);
};

interface Recorded {
  readonly insert: string;
  readonly documents: readonly Document[];
  readonly $db: string;
}

/** Returns the result of an insert, the documents afterwards, and the documents that the server received. */
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
  return withoutIds({ result, documents: documents.map(idFirst), received }, documents);
};

/** Returns an insert's result without generated ids, which `verify` compares. */
const insertOutcome = (result: unknown): string => textOf(result).replaceAll(/[0-9a-f]{24}/g, 'id');

const insertOne = (database: Database, collection: Collection): Work => ({
  operate: number => collection.insertOne(order(number)),
  asynchronous: true,
  outcome: insertOutcome,
  verify: () => {
    const document = order(1);
    return verifyInsert(database, [document], () => collection.insertOne(document));
  },
});

const orders = (number: number): Document[] =>
  Array.from({ length: bulkDocuments }, (_, index) => order(number * bulkDocuments + index));

const insertMany = (database: Database, collection: Collection): Work => ({
  operate: number => collection.insertMany(orders(number)),
  making: orders,
  asynchronous: true,
  outcome: insertOutcome,
  verify: () => {
    const documents = orders(1);
    return verifyInsert(database, documents, () => collection.insertMany(documents));
  },
});

/** Creates work whose result is the same each time. */
const reading = (operate: Work['operate'], verify: () => Promise<unknown>): Work => ({
  operate,
  asynchronous: true,
  outcome: result => result,
  verify,
});

const batchSize = batchDocuments;

const toArray = (collection: Collection): Work => {
  const read: Work['operate'] = (_, options) => collection.find({}, { batchSize, ...options }).toArray();
  return reading(read, async () => read(0, {}));
};

const forAwait = (collection: Collection): Work =>
  reading(
    async (_, options) => {
      let count = 0;
      let last: Document | undefined;
      for await (const document of collection.find({}, { batchSize, ...options })) {
        count += 1;
        last = document;
      }
      return { count, last };
    },
    async () => {
      const all: Document[] = [];
      for await (const document of collection.find({}, { batchSize })) all.push(document);
      return all;
    },
  );

const findOne = (collection: Collection): Work => {
  const find: Work['operate'] = (number, options) => collection.findOne({ _id: number }, options);
  return reading(find, async () => find(1, {}));
};

const ping = (database: Database): Work => {
  const command = (): Promise<Document> => database.command({ ping: 1 });
  return reading(command, command);
};

/** The database of the null server over three connections: plain, TLS and compressed. */
export interface Ways {
  readonly plain: Database;
  readonly tls: Database;
  readonly zlib: Database;
}

/** Creates the most common operations of applications, on the null server. */
export const createDriverWorks = ({ plain, tls, zlib }: Ways): ReadonlyMap<string, Work> =>
  new Map<string, Work>([
    ['ping', ping(plain)],
    ['findOne', findOne(plain.collection('one'))],
    ['stack-findOne', findOne(plain.collection('one'))],
    ['socket-floor', findOne(plain.collection('one'))],
    ['insertOne', insertOne(plain, plain.collection('orders'))],
    ['insertMany', insertMany(plain, plain.collection('bulk'))],
    ['toArray', toArray(plain.collection('many'))],
    ['forAwait', forAwait(plain.collection('many'))],
    ['tls-findOne', findOne(tls.collection('one'))],
    ['zlib-toArray', toArray(zlib.collection('many'))],
  ]);
