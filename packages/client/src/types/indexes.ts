import type { Document } from '@tessera/contracts';
import type { CommandOptions } from '../handle.js';

/** The direction of an indexed field, or the type of a special index. */
export type IndexDirection = 1 | -1 | '2d' | '2dsphere' | 'text' | 'geoHaystack' | 'hashed' | number;
/** The fields of an index in any form that keeps their order. A name alone means ascending. */
export type IndexSpecification =
  | string
  | readonly [string, IndexDirection]
  | Readonly<Record<string, IndexDirection>>
  | ReadonlyMap<string, IndexDirection>
  | readonly (
      | string
      | readonly [string, IndexDirection]
      | Readonly<Record<string, IndexDirection>>
      | ReadonlyMap<string, IndexDirection>
    )[];

/** An index to create. Absent options have the server's defaults. */
export interface IndexDescription {
  /** The fields to index, with their directions or types. */
  readonly key: Readonly<Record<string, IndexDirection>> | ReadonlyMap<string, IndexDirection>;
  /** The name. Default: the fields and directions, such as `title_1_year_-1`. */
  readonly name?: string | undefined;
  /** Has no effect since MongoDB 4.2, where no index build blocks the collection. */
  readonly background?: boolean | undefined;
  /** Rejects a second document with equal keys. Default: false. */
  readonly unique?: boolean | undefined;
  /** Omits documents without the fields from the index. Prefer `partialFilterExpression`. Default: false. */
  readonly sparse?: boolean | undefined;
  /** Hides the index from the query planner. Default: false. Since MongoDB 4.4. */
  readonly hidden?: boolean | undefined;
  /** The age in seconds at which a document is deleted, measured from the date in the indexed field. Default: never. */
  readonly expireAfterSeconds?: number | undefined;
  /** The filter that a document must match to be indexed. Default: all documents. */
  readonly partialFilterExpression?: Document | undefined;
  /** The fields that a wildcard index includes or excludes. Default: all. */
  readonly wildcardProjection?: Document | undefined;
  /** The language's rules that compare strings. Default: that of the collection. */
  readonly collation?: Document | undefined;
  /** Options of the storage engine, by its name. */
  readonly storageEngine?: Document | undefined;
  /** The version of the index format. Default: the newest. */
  readonly version?: number | undefined;
  /** The weight of each field of a text index, from 1 to 99,999. Default: 1. */
  readonly weights?: Document | undefined;
  /** The language of a text index, for stop words and stems. Default: `english`. */
  readonly default_language?: string | undefined;
  /** The field with a document's own language, for a text index. Default: `language`. */
  readonly language_override?: string | undefined;
  /** The version of a text index. Default: the newest. */
  readonly textIndexVersion?: number | undefined;
  /** The version of a `2dsphere` index. Default: the newest. */
  readonly '2dsphereIndexVersion'?: number | undefined;
  /** The precision of a `2d` index in bits, from 1 to 32. Default: 26. */
  readonly bits?: number | undefined;
  /** The lower limit of coordinates in a `2d` index. Default: -180. */
  readonly min?: number | undefined;
  /** The upper limit of coordinates in a `2d` index. Default: 180. */
  readonly max?: number | undefined;
  /** The size of a bucket of a `geoHaystack` index. Not supported since MongoDB 5.0. */
  readonly bucketSize?: number | undefined;
}

/** Options of the command that creates indexes. */
export interface CreateIndexOptions extends CommandOptions {
  /** The number of members that must have built the index before the primary commits it. Since MongoDB 4.4. */
  readonly commitQuorum?: number | string | undefined;
  /** Creates the index on a time series' buckets. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}
/** Options of `createIndex` and `createIndexes`: those of the indexes and of the command. */
export interface CreateIndexesOptions extends CreateIndexOptions, Omit<IndexDescription, 'key'> {}
/** Options of one index, including options that are unknown to the driver. */
export type IndexOptions = Omit<IndexDescription, 'key'> & Document;

/** The keys and directions of indexes by name. */
export type IndexDescriptionCompact = Record<string, [name: string, direction: IndexDirection][]>;

/** A search index to create. */
export interface SearchIndexDescription extends Document {
  /** The name. Default: `default`. */
  readonly name?: string;
  /** The definition in the format of MongoDB Search, such as `{ mappings: { dynamic: true } }`. */
  readonly definition: Document;
  /** `search` or `vectorSearch` */
  readonly type?: string;
}
