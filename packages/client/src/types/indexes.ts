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

export interface CreateIndexesOptions extends CommandOptions, Omit<IndexDescription, 'key'> {
  readonly commitQuorum?: number | string | undefined;
}
