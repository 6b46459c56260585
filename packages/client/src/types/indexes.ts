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

/** Options of the command that creates indexes. */
export interface CreateIndexOptions extends CommandOptions {
  /** The number of members that must have built the index before the primary commits it. Since MongoDB 4.4. */
  readonly commitQuorum?: number | string | undefined;
  /** Creates the index on a time series' buckets. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}
export interface CreateIndexesOptions extends CreateIndexOptions, Omit<IndexDescription, 'key'> {}
/** Options of one index, including options that are unknown to the driver. */
export type IndexOptions = Omit<IndexDescription, 'key'> & Document;

/** The keys and directions of indexes by name. */
export type IndexDescriptionCompact = Record<string, [name: string, direction: IndexDirection][]>;

export interface SearchIndexDescription extends Document {
  readonly name?: string;
  readonly definition: Document;
  /** `search` or `vectorSearch` */
  readonly type?: string;
}
