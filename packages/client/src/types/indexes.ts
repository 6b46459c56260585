import type { Document } from '@tessera/contracts';
import type { CommandOptions } from '../handle.js';

export type IndexDirection = 1 | -1 | '2d' | '2dsphere' | 'text' | 'geoHaystack' | 'hashed' | number;
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

export interface IndexDescription {
  readonly key: Readonly<Record<string, IndexDirection>> | ReadonlyMap<string, IndexDirection>;
  readonly name?: string | undefined;
  readonly background?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly sparse?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly expireAfterSeconds?: number | undefined;
  readonly partialFilterExpression?: Document | undefined;
  readonly wildcardProjection?: Document | undefined;
  readonly collation?: Document | undefined;
  readonly storageEngine?: Document | undefined;
  readonly version?: number | undefined;
  readonly weights?: Document | undefined;
  readonly default_language?: string | undefined;
  readonly language_override?: string | undefined;
  readonly textIndexVersion?: number | undefined;
  readonly '2dsphereIndexVersion'?: number | undefined;
  readonly bits?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly bucketSize?: number | undefined;
}

/** Options of the command that makes indexes. */
export interface CreateIndexOptions extends CommandOptions {
  /** How many members must be ready before the index is; from MongoDB 4.4 on. */
  readonly commitQuorum?: number | string | undefined;
  /** Of the buckets of a time series; from MongoDB 8.2 on. */
  readonly rawData?: boolean | undefined;
}
export interface CreateIndexesOptions extends CreateIndexOptions, Omit<IndexDescription, 'key'> {}
/** Options of one index, those too that are not known here. */
export type IndexOptions = Omit<IndexDescription, 'key'> & Document;

/** Keys and directions of indexes, by their names. */
export type IndexDescriptionCompact = Record<string, [name: string, direction: IndexDirection][]>;

export interface SearchIndexDescription extends Document {
  readonly name?: string;
  readonly definition: Document;
  /** `search` or `vectorSearch` */
  readonly type?: string;
}
