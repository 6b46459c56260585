import type { Document, Operation } from '@tessera/contracts';
import { Aggregate } from '@tessera/operations';
import type { OpenCursor, TakeBatch } from '@tessera/operations';
import type { AbstractCursorOptions, Transform } from './cursor.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Explainable } from './explain.js';
import { ExplainableCursor } from './explainable-cursor.js';
import type { Handle } from './handle.js';
import { argument, checkArgument, checkPipeline } from './operation-options.js';
import { sortDocument } from './sort.js';
import type { Sort } from './sort.js';

/** Options of `aggregate`. */
export interface AggregateOptions extends AbstractCursorOptions, Explainable {
  readonly allowDiskUse?: boolean | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
  readonly let?: Document | undefined;
  /** The name of a collection that receives the results. Appends the stage `$out` to the pipeline. */
  readonly out?: string | undefined;
  /** Returns documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}

/**
 * The cursor of `aggregate`. Call the methods that append a stage before the first read.
 * @throws MongoCursorInUseError if such a method is called after the first read
 */
export class AggregationCursor<Schema = Document> extends ExplainableCursor<Schema, AggregateOptions> {
  /** The stages of the aggregation. */
  readonly pipeline: Document[];

  constructor(handle: Handle, pipeline: readonly Document[], options: AggregateOptions) {
    super(handle, options);
    checkPipeline(pipeline);
    this.pipeline = [...pipeline];
    this.#checkTimeoutMode();
  }

  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    this.#checkTimeoutMode();
    return { open: this.openCommand(handle) };
  }

  protected override command<T>(handle: Handle, take: TakeBatch<T>): Operation<T> {
    return new Aggregate(handle, this.#stages, this.options, take);
  }

  /** A change stream waits for documents. */
  protected override get awaits(): boolean {
    return this.pipeline[0] !== undefined && '$changeStream' in this.pipeline[0];
  }

  override clone(): AggregationCursor<Schema> {
    return new AggregationCursor<Schema>(this.handle, this.pipeline, this.options);
  }

  override map<To>(transform: Transform<Schema, To>): AggregationCursor<To> {
    return super.map(transform) as AggregationCursor<To>;
  }

  /** Appends a stage. */
  addStage<To = Schema>(stage: Document): AggregationCursor<To> {
    this.settle('addStage');
    checkArgument('stage', stage, argument.document);
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

  get #stages(): readonly Document[] {
    const { out } = this.options;
    return out === undefined ? this.pipeline : [...this.pipeline, { $out: out }];
  }

  /** An aggregation that writes has one command only. Rule: Client Side Operations Timeout, "Non-tailable Cursors". */
  #checkTimeoutMode(): void {
    const last = this.#stages.at(-1);
    if (this.options.timeoutMode !== 'iteration' || last === undefined) return;
    if ('$out' in last || '$merge' in last)
      throw new MongoInvalidArgumentError(
        'The "timeoutMode" of an aggregation with $out or $merge must be "cursorLifetime", because it sends only one command.',
      );
  }
}
