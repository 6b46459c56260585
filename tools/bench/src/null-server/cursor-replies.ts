import { Binary, ObjectId } from 'bson';
import { variedDocuments } from '../documents/varied.js';
import type { Document } from '../documents/varied.js';

/** The number of events that a change stream of the collection `changes` delivers, and of those in each batch. */
export const changeEvents = 10_000;
export const batchEvents = 1000;

/** The number of documents in the collection `pages`, and in each of its batches. */
export const pagesDocuments = 100;
export const pageDocuments = 10;

/** Splits generated documents into batches. */
export const batchesOf = (count: number, size: number): readonly (readonly Document[])[] => {
  const documents = variedDocuments(count);
  return Array.from({ length: count / size }, (_, index) => documents.slice(index * size, (index + 1) * size));
};

/** The events of inserts. Each has a resume token of the usual length. */
export const eventBatches = (): readonly (readonly Document[])[] => {
  const time = new Date(1_700_000_000_000);
  const events = variedDocuments(changeEvents).map((fullDocument, index) => ({
    _id: { _data: `82${index.toString(16).toUpperCase().padStart(120, '0')}` },
    operationType: 'insert',
    wallTime: time,
    fullDocument,
    ns: { db: 'bench', coll: 'changes' },
    documentKey: { _id: fullDocument['_id'] },
  }));
  return Array.from({ length: changeEvents / batchEvents }, (_, index) =>
    events.slice(index * batchEvents, (index + 1) * batchEvents),
  );
};

const chunkBytes = 255 * 1024;
/** The maximum number of chunks in a batch: a server sends at most 16 MB. */
const mostChunks = 60;

export const fileId: ObjectId = new ObjectId('600000000000000000000001');

export interface StoredFile {
  readonly file: Document;
  /** Returns its chunks in batches of this size. */
  readonly batches: (size: number) => readonly (readonly Document[])[];
}

/** A file of this length. All its chunks have the same bytes. */
export const storedFile = (length: number): StoredFile => {
  const data = Buffer.alloc(chunkBytes, 'stored in chunks ');
  const count = Math.ceil(length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, n) => ({
    _id: new ObjectId(`61${n.toString(16).padStart(22, '0')}`),
    files_id: fileId,
    n,
    data: new Binary(n < count - 1 ? data : data.subarray(0, length - n * chunkBytes)),
  }));
  return {
    file: { _id: fileId, length, chunkSize: chunkBytes, uploadDate: new Date(1_700_000_000_000), filename: 'stored' },
    batches: wanted => {
      const size = Math.min(wanted, mostChunks);
      return Array.from({ length: Math.ceil(count / size) }, (_, index) =>
        chunks.slice(index * size, (index + 1) * size),
      );
    },
  };
};
