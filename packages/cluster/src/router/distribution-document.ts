import { BinaryValue, DateValue, Doc, ObjectIdValue, isArray, isDoc, show } from '@tessera/mql/engine';
import type { Chunk, Distribution } from './distribution.js';
import { pointDoc } from './distribution.js';
import type { Shard } from './shard.js';
import type { KeyPoint } from './shard-key.js';
import { parseShardKey } from './shard-key.js';

/** Returns the document of a sharded collection in config.collections. */
export const collectionDoc = ({ ns, key, isUnique, uuid, epoch }: Distribution, modified: number): Doc =>
  Doc.of([
    ['_id', ns],
    ['lastmodEpoch', epoch],
    ['lastmod', new DateValue(modified)],
    ...(uuid === undefined ? [] : ([['uuid', uuid]] as const)),
    ['key', key.doc],
    ['unique', isUnique],
    ['dropped', false],
  ]);

/** Returns the documents of its chunks in config.chunks. */
export const chunkDocs = ({ ns, key, uuid, chunks }: Distribution): readonly Doc[] =>
  chunks.map(({ min, max, shard }, i) =>
    Doc.of([
      ['_id', `${ns}-${i}`],
      uuid === undefined ? ['ns', ns] : ['uuid', uuid],
      ['min', pointDoc(key, min)],
      ['max', pointDoc(key, max)],
      ['shard', shard.name],
    ]),
  );

/** Returns a single document with the whole distribution, which is what the catalog stores. */
export const keptDoc = (distribution: Distribution, modified: number): Doc =>
  collectionDoc(distribution, modified).with('chunks', chunkDocs(distribution));

const pointIn = (doc: Doc, name: string): KeyPoint => {
  const point = doc.get(name);
  return isDoc(point) ? point.entries().map(([, value]) => value) : [];
};

const chunkIn = (doc: Doc, ns: string, shards: readonly Shard[]): Chunk => {
  const name = doc.get('shard');
  const shard = shards.find(one => one.name === name);
  if (shard === undefined) {
    throw new RangeError(
      `The collection ${ns} has documents on the shard ${show(name)}, but the cluster only has ${shards.length} shards. Start it with the same number of shards as before.`,
    );
  }
  return { min: pointIn(doc, 'min'), max: pointIn(doc, 'max'), shard };
};

/**
 * Reads a document of {@link keptDoc}. Returns undefined for other documents.
 * @throws RangeError if a shard of the collection does not exist
 */
export const distributionIn = (doc: Doc, shards: readonly Shard[]): Distribution | undefined => {
  const [ns, key, chunks] = [doc.get('_id'), doc.get('key'), doc.get('chunks')];
  const [uuid, epoch] = [doc.get('uuid'), doc.get('lastmodEpoch')];
  if (typeof ns !== 'string' || !isDoc(key) || !isArray(chunks) || !(epoch instanceof ObjectIdValue)) return undefined;
  return {
    ...{ ns, key: parseShardKey(key), isUnique: doc.get('unique') === true, epoch },
    uuid: uuid instanceof BinaryValue ? uuid : undefined,
    chunks: chunks.filter(isDoc).map(chunk => chunkIn(chunk, ns, shards)),
  };
};
