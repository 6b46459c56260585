import type { Document } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { GridFSCollection } from './database.js';
import type { TimeLimit } from './time-limit.js';

type Keys = Readonly<Record<string, 1>>;

const filesKeys: Keys = { filename: 1, uploadDate: 1 };
const chunksKeys: Keys = { files_id: 1, n: 1 };

/**
 * Whether one of the indexes has exactly these keys. Numbers are compared by value. Rule: GridFS, "Before write
 * operations".
 */
export const hasIndex = (indexes: readonly Document[], keys: Keys): boolean => {
  const wanted = Object.keys(keys);
  return indexes.some(index => {
    const there = Object.entries((index['key'] ?? {}) as Document);
    return (
      there.length === wanted.length && there.every(([name, value], at) => name === wanted[at] && Number(value) === 1)
    );
  });
};

const namespaceNotFound = 26;

const indexesOf = async (collection: GridFSCollection, limit: TimeLimit): Promise<readonly Document[]> => {
  try {
    return await collection.listIndexes(limit.options()).toArray();
  } catch (error) {
    if (MongoError.is(error) && error.code === namespaceNotFound) return [];
    throw error;
  }
};

/** Creates the missing indexes of a bucket if its files collection is empty. */
export const ensureIndexes = async (
  files: GridFSCollection,
  chunks: GridFSCollection,
  limit: TimeLimit,
): Promise<void> => {
  const some = await files.findOne({}, { ...limit.options(), projection: { _id: 1 }, readPreference: 'primary' });
  if (some !== null) return;
  if (!hasIndex(await indexesOf(files, limit), filesKeys)) await files.createIndex(filesKeys, limit.options());
  if (!hasIndex(await indexesOf(chunks, limit), chunksKeys))
    await chunks.createIndex(chunksKeys, { ...limit.options(), unique: true });
};
