import type { Document } from '@tessera/contracts';
import { Aggregate } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorOptions, Transform } from './cursor.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Handle } from './handle.js';
import { sortDocument } from './sort.js';
import type { Sort } from './sort.js';

export interface AggregateOptions extends AbstractCursorOptions {
  readonly allowDiskUse?: boolean | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
  readonly let?: Document | undefined;
}

export class AggregationCursor<Schema = Document> extends AbstractCursor<Schema, AggregateOptions> {
  readonly pipeline: Document[];

  constructor(handle: Handle, pipeline: readonly Document[], options: AggregateOptions) {
    super(handle, options);
    if (!Array.isArray(pipeline)) throw new MongoInvalidArgumentError('A pipeline is an array of stages.');
    this.pipeline = [...(pipeline as readonly Document[])];
  }

  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    const { pipeline, options } = this;
    return { open: take => new Aggregate(handle.target, pipeline, options, take) };
  }

  /** A change stream is one that waits for documents. */
  protected override get awaits(): boolean {
    return this.pipeline[0] !== undefined && '$changeStream' in this.pipeline[0];
  }

  override clone(): AggregationCursor<Schema> {
    const clone = new AggregationCursor<Schema>(this.handle, this.pipeline, this.options);
    clone.transform = this.transform;
    return clone;
  }

  override map<To>(transform: Transform<Schema, To>): AggregationCursor<To> {
    return super.map(transform) as AggregationCursor<To>;
  }

  addStage<To = Schema>(stage: Document): AggregationCursor<To> {
    this.settle('addStage');
    this.pipeline.push(stage);
    return this as unknown as AggregationCursor<To>;
  }

  match($match: Document): this {
    return this.addStage({ $match }) as this;
  }

  project<To = Document>($project: Document): AggregationCursor<To> {
    return this.addStage<To>({ $project });
  }

  group<To = Document>($group: Document): AggregationCursor<To> {
    return this.addStage<To>({ $group });
  }

  sort($sort: Sort): this {
    return this.addStage({ $sort: sortDocument($sort) }) as this;
  }

  limit($limit: number): this {
    return this.addStage({ $limit }) as this;
  }

  skip($skip: number): this {
    return this.addStage({ $skip }) as this;
  }

  unwind($unwind: Document | string): this {
    return this.addStage({ $unwind }) as this;
  }

  lookup($lookup: Document): this {
    return this.addStage({ $lookup }) as this;
  }

  redact($redact: Document): this {
    return this.addStage({ $redact }) as this;
  }

  out($out: string | { readonly db: string; readonly coll: string }): this {
    return this.addStage({ $out }) as this;
  }

  geoNear($geoNear: Document): this {
    return this.addStage({ $geoNear }) as this;
  }
}
