import { serialize } from 'bson';
import type { Document } from 'bson';
import { changing, frameOf } from './frames.js';
import type { Load, Requests } from './load.js';

/** A workload that is measured on every server. */
export interface Row extends Requests {
  readonly title: string;
  /** The number of requests in flight. */
  readonly width: number;
  /** The number of operations per request. */
  readonly operations: number;
  /** Undoes the requests after each run; not measured. */
  readonly after?: (load: Load) => Promise<unknown>;
}

export const database = 'bench';

/** The number of documents in each collection that rows read. */
export interface Sizes {
  readonly few: number;
  readonly plain: number;
  readonly many: number;
  /** The number of documents that a server keeps in a folder. */
  readonly durable: number;
}

const command = (fields: Document): Document => ({ ...fields, $db: database });

const batchSize = 1_000;

/** The number of different values of the field `value`. */
const values = 10_000;

/** Returns a document of about 60 bytes. */
const small = (i: number): Document => ({ _id: i, group: i % 100, value: (i * 7919) % values, name: `name ${i}` });

/** Returns a document; ten documents share each value of `tenth`. */
const tenfold = (i: number): Document => ({ _id: i, tenth: Math.floor(i / 10), text: 'ten of us' });

/** Returns the average BSON size of a small document in bytes. */
export const meanBytes = (count: number): number => {
  let sum = 0;
  for (let i = 0; i < count; i += 97) sum += serialize(small(i)).length;
  return sum / Math.ceil(count / 97);
};

const batchFrame = (name: string, from: number, document: (i: number) => Document): Buffer =>
  frameOf(command({ insert: name, documents: Array.from({ length: batchSize }, (_, i) => document(from + i)) }));

const fill = async (load: Load, name: string, count: number, document: (i: number) => Document): Promise<void> => {
  for (let from = 0; from < count; from += batchSize) {
    const reply = await load.ask(batchFrame(name, from, document));
    if (reply['n'] !== batchSize) throw new Error(`The server rejected documents of the collection "${name}".`);
  }
};

/** Fills the collection `plain` with small documents. */
export const fillPlain = (load: Load, { plain }: Pick<Sizes, 'plain'>): Promise<void> =>
  fill(load, 'plain', plain, small);

/** Creates the index of the indexed range. */
export const indexPlain = (load: Load): Promise<Document> =>
  load.ask(frameOf(command({ createIndexes: 'plain', indexes: [{ key: { value: 1 }, name: 'value_1' }] })));

/**
 * Inserts and removes documents, so that the server's code is compiled and its first memory is allocated before memory
 * is measured.
 */
export const warmUp = async (load: Load): Promise<void> => {
  await fill(load, 'warm', 20_000, small);
  await load.ask(frameOf(command({ drop: 'warm' })));
};

/** Fills a collection and creates an index on `tenth`. */
export const fillTenfold = async (load: Load, name: 'few' | 'many', sizes: Sizes): Promise<void> => {
  await fill(load, name, sizes[name], tenfold);
  await load.ask(frameOf(command({ createIndexes: name, indexes: [{ key: { tenth: 1 }, name: 'tenth_1' }] })));
};

const firstBatch = (reply: Document): readonly Document[] =>
  (reply['cursor'] as { firstBatch: readonly Document[] } | undefined)?.firstBatch ?? [];

const scattered = (i: number, count: number): number => (i * 7919) % count;

const findOne = (width: number, { plain }: Sizes): Row => {
  const frame = changing(id => command({ find: 'plain', filter: { _id: id }, limit: 1, singleBatch: true }));
  return {
    title: `findOne by _id, ${width} in flight`,
    width,
    operations: 1,
    request: i => frame(scattered(i, plain)),
    check: reply => firstBatch(reply).length === 1,
  };
};

export const findTen = (name: 'few' | 'many', sizes: Sizes): Row => {
  const frame = changing(tenth => command({ find: name, filter: { tenth } }));
  return {
    title: `find of 10 by an index, of ${sizes[name].toLocaleString('en')}`,
    width: 16,
    operations: 1,
    request: i => frame(scattered(i, sizes[name] / 10)),
    check: reply => firstBatch(reply).length === 10,
  };
};

/** Limits the ids to int32. No round has that many batches. */
const mostBatches = 2_000_000;

/** Inserts documents of equal length, so that only their ids must be written for each request. */
const insertMany = (): Row => {
  const documents = Array.from({ length: batchSize }, (_, i) => ({ ...small(i), name: `name ${1_000_000 + i}` }));
  const frame = frameOf(command({ insert: 'inserted', documents }));
  const length = serialize(documents[0]!).length;
  const id = Buffer.from('\x10_id\0', 'latin1');
  const places: number[] = [];
  for (let at = frame.indexOf(id); at !== -1; at = frame.indexOf(id, at + length)) places.push(at + id.length);
  const dropped = frameOf(command({ drop: 'inserted' }));
  return {
    title: `insertMany, small documents, ${batchSize.toLocaleString('en')} a batch`,
    width: 1,
    operations: batchSize,
    request: i => {
      const copy = Buffer.from(frame);
      places.forEach((at, k) => copy.writeInt32LE((i % mostBatches) * batchSize + k, at));
      return copy;
    },
    check: reply => reply['n'] === batchSize && !('writeErrors' in reply),
    after: load => load.ask(dropped),
  };
};

const updateOne = (width: number, { plain }: Sizes): Row => {
  const frame = changing(id => command({ update: 'plain', updates: [{ q: { _id: id }, u: { $inc: { count: 1 } } }] }));
  return {
    title: `updateOne by _id, $inc, ${width} in flight`,
    width,
    operations: 1,
    request: i => frame(scattered(i, plain)),
    check: reply => reply['n'] === 1,
  };
};

const findRange = ({ plain }: Sizes): Row => {
  const frame = changing(from =>
    command({ find: 'plain', filter: { value: { $gte: from } }, sort: { value: 1 }, limit: 100, singleBatch: true }),
  );
  // The last values have 100 documents together.
  const starts = values - (100 * values) / plain;
  return {
    title: 'find of 100 by an indexed range',
    width: 1,
    operations: 1,
    request: i => frame(scattered(i, starts)),
    check: reply => firstBatch(reply).length === 100,
  };
};

/** Creates and drops an index in turn. It is unique, because mongo-java-server only lists other indexes. */
const createIndex = ({ plain }: Sizes): Row => {
  const created = frameOf(
    command({ createIndexes: 'plain', indexes: [{ key: { name: 1 }, name: 'name_1', unique: true }] }),
  );
  const dropped = frameOf(command({ dropIndexes: 'plain', index: 'name_1' }));
  return {
    title: `createIndex and dropIndex, of ${plain.toLocaleString('en')}`,
    width: 1,
    operations: 0.5,
    request: i => (i % 2 === 0 ? created : dropped),
    check: reply => reply['ok'] === 1,
    // The last request may have created the index.
    after: load => load.ask(dropped),
  };
};

/** Skips nearly all documents, so that no server can sort only the first ones. */
const sortAll = ({ plain }: Sizes): Row => {
  const frame = frameOf(command({ find: 'plain', sort: { group: 1, name: -1 }, skip: plain - 100 }));
  return {
    title: `sort of ${plain.toLocaleString('en')} without an index`,
    width: 1,
    operations: 1,
    request: () => frame,
    check: reply => firstBatch(reply).length === 100,
  };
};

/** Rows for every server. */
export const rowsFor = (sizes: Sizes): readonly Row[] => {
  const { plain } = sizes;
  const pipeline = [{ $group: { _id: '$group', n: { $sum: 1 }, mean: { $avg: '$value' } } }];
  const group = frameOf(command({ aggregate: 'plain', pipeline, cursor: {} }));
  return [
    findOne(1, sizes),
    findOne(16, sizes),
    findOne(64, sizes),
    updateOne(1, sizes),
    updateOne(16, sizes),
    insertMany(),
    findTen('few', sizes),
    findRange(sizes),
    {
      title: `$group over ${plain.toLocaleString('en')} into 100`,
      width: 1,
      operations: 1,
      request: () => group,
      check: reply => firstBatch(reply).length === 100,
    },
    sortAll(sizes),
    createIndex(sizes),
  ];
};
