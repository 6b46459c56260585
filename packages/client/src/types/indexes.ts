import type { Document } from '@tessera/contracts';
import type { CommandOptions } from '../handle.js';
import type { CollationOptions } from './documents.js';

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
  key: Readonly<Record<string, IndexDirection>> | ReadonlyMap<string, IndexDirection>;
  /** The name. Default: the fields and directions, such as `title_1_year_-1`. */
  name?: string | undefined;
  /** Has no effect since MongoDB 4.2, where no index build blocks the collection. */
  background?: boolean | undefined;
  /** Rejects a second document with equal keys. Default: false. */
  unique?: boolean | undefined;
  /** Omits documents without the fields from the index. Prefer `partialFilterExpression`. Default: false. */
  sparse?: boolean | undefined;
  /** Hides the index from the query planner. Default: false. Since MongoDB 4.4. */
  hidden?: boolean | undefined;
  /** The age in seconds at which a document is deleted, measured from the date in the indexed field. Default: never. */
  expireAfterSeconds?: number | undefined;
  /** The filter that a document must match to be indexed. Default: all documents. */
  partialFilterExpression?: Document | undefined;
  /** The fields that a wildcard index includes or excludes. Default: all. */
  wildcardProjection?: Document | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** Options of the storage engine, by its name. */
  storageEngine?: Document | undefined;
  /** The version of the index format. Default: the newest. */
  version?: number | undefined;
  /** The weight of each field of a text index, from 1 to 99,999. Default: 1. */
  weights?: Document | undefined;
  /** The language of a text index, for stop words and stems. Default: `english`. */
  default_language?: string | undefined;
  /** The field with a document's own language, for a text index. Default: `language`. */
  language_override?: string | undefined;
  /** The version of a text index. Default: the newest. */
  textIndexVersion?: number | undefined;
  /** The version of a `2dsphere` index. Default: the newest. */
  '2dsphereIndexVersion'?: number | undefined;
  /** The precision of a `2d` index in bits, from 1 to 32. Default: 26. */
  bits?: number | undefined;
  /** The lower limit of coordinates in a `2d` index. Default: -180. */
  min?: number | undefined;
  /** The upper limit of coordinates in a `2d` index. Default: 180. */
  max?: number | undefined;
  /** The size of a bucket of a `geoHaystack` index. Not supported since MongoDB 5.0. */
  bucketSize?: number | undefined;
}

/** Options of the command that creates indexes. */
export interface CreateIndexOptions extends CommandOptions {
  /**
   * The members that must have built the index before the primary commits it: their number, `majority` or
   * `votingMembers`. Default: `votingMembers`. Since MongoDB 4.4.
   */
  commitQuorum?: number | string | undefined;
  /** Creates the index on a time series' buckets. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}
/** Options of `createIndex` and `createIndexes`: those of the indexes and of the command. */
export interface CreateIndexesOptions extends CreateIndexOptions, Omit<IndexDescription, 'key'> {}
/** Options of one index, including options that are unknown to the driver. */
export type IndexOptions = Omit<IndexDescription, 'key'> & {
  /** Has no effect: use `default_language`. */
  defaultLanguage?: string | undefined;
  /** Has no effect: use `language_override`. */
  languageOverride?: string | undefined;
} & Document;

/** The keys and directions of indexes by name. */
export type IndexDescriptionCompact = Record<string, [name: string, direction: IndexDirection][]>;

/** A search index to create. */
export interface SearchIndexDescription extends Document {
  /** The name. Default: `default`. */
  name?: string;
  /** The definition in the format of MongoDB Search, such as `{ mappings: { dynamic: true } }`. */
  definition: Document;
  /** `search` or `vectorSearch` */
  type?: string;
}

/** The server's description of an index. */
export type IndexInfo = Omit<IndexDescription, 'key' | 'version'> & {
  /** The indexed fields with their directions or types. */
  key: Record<string, IndexDirection>;
  /** The version of the index format. */
  v?: IndexDescription['version'];
} & Document;
