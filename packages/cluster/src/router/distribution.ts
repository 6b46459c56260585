import type { BinaryValue, Doc, ObjectIdValue, Value } from '@tessera/mql/engine';
import { Doc as Document, MAX_KEY, MIN_KEY } from '@tessera/mql/engine';
import type { Shard } from './shard.js';
import type { KeyPoint, ShardKey } from './shard-key.js';
import { compareKeys, keyOf, keysFor } from './shard-key.js';

/** A range of keys, and where its documents are. */
export interface Chunk {
  /** Its first key. */
  readonly min: KeyPoint;
  /** The first key that is not in it any more. */
  readonly max: KeyPoint;
  readonly shard: Shard;
}

/** How the documents of one collection are distributed. */
export interface Distribution {
  readonly ns: string;
  readonly key: ShardKey;
  readonly isUnique: boolean;
  readonly uuid: BinaryValue | undefined;
  readonly epoch: ObjectIdValue;
  /** In the order of their keys; together they have every key. */
  readonly chunks: readonly Chunk[];
}

const all = (key: ShardKey, value: Value): KeyPoint => key.fields.map(() => value);

/** Chunks with a boundary at each of the points, dealt to the shards in turn. @param points in order, each once */
export const cutAt = (key: ShardKey, points: readonly KeyPoint[], shards: readonly Shard[]): readonly Chunk[] => {
  const ends = [all(key, MIN_KEY), ...points, all(key, MAX_KEY)];
  return ends.slice(1).map((max, i) => ({ min: ends[i]!, max, shard: shards[i % shards.length]! }));
};

/** The hashes are as many on either side of each boundary. Undefined unless the hashed field is the first. */
export const evenHashes = (key: ShardKey, count: number): readonly KeyPoint[] | undefined => {
  if (!key.fields[0]!.isHashed) return undefined;
  const step = (1n << 64n) / BigInt(count);
  const lowest = -(1n << 63n);
  return Array.from({ length: count - 1 }, (_, i) =>
    key.fields.map((_field, at): Value => (at === 0 ? lowest + step * BigInt(i + 1) : MIN_KEY)),
  );
};

/** Boundaries between as many documents each, as far as keys are different. */
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

/** @throws CommandError 61 if the document has an array in its key */
export const shardFor = (distribution: Distribution, doc: Doc): Shard =>
  shardAt(distribution, keyOf(distribution.key, doc));

export const shardsWith = ({ chunks }: Distribution): readonly Shard[] => [
  ...new Set(chunks.map(({ shard }) => shard)),
];

/** Where documents may be that fit the query. */
export const shardsFor = (distribution: Distribution, filter: Doc, hasCollation: boolean): readonly Shard[] => {
  // Strings that count as equal may have different places.
  const points = hasCollation ? undefined : keysFor(distribution.key, filter);
  if (points === undefined) return shardsWith(distribution);
  const found = new Set(points.map(point => shardAt(distribution, point)));
  // A query that nothing fits is asked somewhere all the same.
  return found.size === 0 ? shardsWith(distribution).slice(0, 1) : [...found];
};

/** A boundary as config.chunks has it. */
export const pointDoc = ({ fields }: ShardKey, point: KeyPoint): Doc =>
  Document.of(fields.map(({ name }, i) => [name, point[i]!]));
