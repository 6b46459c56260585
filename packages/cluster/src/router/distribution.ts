import type { BinaryValue, Doc, ObjectIdValue, Value } from '@tessera/mql/engine';
import { Doc as Document, MAX_KEY, MIN_KEY } from '@tessera/mql/engine';
import type { Shard } from './shard.js';
import type { KeyPoint, ShardKey } from './shard-key.js';
import { compareKeys, keyOf, keysFor } from './shard-key.js';

/** A range of shard keys and its shard. */
export interface Chunk {
  /** The first key of the range. */
  readonly min: KeyPoint;
  /** The first key after the range. */
  readonly max: KeyPoint;
  readonly shard: Shard;
}

/** The distribution of a collection's documents. */
export interface Distribution {
  readonly ns: string;
  readonly key: ShardKey;
  readonly isUnique: boolean;
  readonly uuid: BinaryValue | undefined;
  readonly epoch: ObjectIdValue;
  /** The chunks in the order of their keys. They cover all keys. */
  readonly chunks: readonly Chunk[];
}

const all = (key: ShardKey, value: Value): KeyPoint => key.fields.map(() => value);

/**
 * Splits the key space at the points and assigns the chunks to the shards in turn.
 * @param points distinct points in ascending order
 */
export const cutAt = (key: ShardKey, points: readonly KeyPoint[], shards: readonly Shard[]): readonly Chunk[] => {
  const ends = [all(key, MIN_KEY), ...points, all(key, MAX_KEY)];
  return ends.slice(1).map((max, i) => ({ min: ends[i]!, max, shard: shards[i % shards.length]! }));
};

/** Returns points that divide the hashes evenly, or undefined unless the first field is hashed. */
export const evenHashes = (key: ShardKey, count: number): readonly KeyPoint[] | undefined => {
  if (!key.fields[0]!.isHashed) return undefined;
  const step = (1n << 64n) / BigInt(count);
  const lowest = -(1n << 63n);
  return Array.from({ length: count - 1 }, (_, i) =>
    key.fields.map((_field, at): Value => (at === 0 ? lowest + step * BigInt(i + 1) : MIN_KEY)),
  );
};

/** Returns points that divide the documents evenly, as far as their keys are distinct. */
export const evenKeys = (key: ShardKey, docs: readonly Doc[], count: number): readonly KeyPoint[] => {
  const keys = docs.map(doc => keyOf(key, doc)).sort(compareKeys);
  const points: KeyPoint[] = [];
  for (let i = 1; i < count; i++) {
    const point = keys[Math.floor((i * keys.length) / count)];
    if (point !== undefined && compareKeys(point, points.at(-1) ?? keys[0]!) > 0) points.push(point);
  }
  return points;
};

const shardAt = ({ chunks }: Distribution, point: KeyPoint): Shard =>
  (chunks.find(({ max }) => compareKeys(point, max) < 0) ?? chunks.at(-1)!).shard;

/**
 * Returns the shard of a document.
 * @throws CommandError 61 if the document has an array in its key
 */
export const shardFor = (distribution: Distribution, doc: Doc): Shard =>
  shardAt(distribution, keyOf(distribution.key, doc));

export const shardsWith = ({ chunks }: Distribution): readonly Shard[] => [
  ...new Set(chunks.map(({ shard }) => shard)),
];

/** Returns the shards that may store documents matching a query. */
export const shardsFor = (distribution: Distribution, filter: Doc, hasCollation: boolean): readonly Shard[] => {
  // With a collation, equal strings can have different shard keys.
  const points = hasCollation ? undefined : keysFor(distribution.key, filter);
  if (points === undefined) return shardsWith(distribution);
  const found = new Set(points.map(point => shardAt(distribution, point)));
  // A query that cannot match anything is still sent to one shard.
  return found.size === 0 ? shardsWith(distribution).slice(0, 1) : [...found];
};

/** Returns a chunk's boundary as a document of config.chunks. */
export const pointDoc = ({ fields }: ShardKey, point: KeyPoint): Doc =>
  Document.of(fields.map(({ name }, i) => [name, point[i]!]));
