import type { Document, Operation } from '@tessera/contracts';
import { Aggregate } from '@tessera/operations';
import type { OpenCursor, TakeBatch } from '@tessera/operations';
import type { AbstractCursorOptions, PrefetchOptions, Transform } from './cursor-options.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Explainable } from './explain-verbosity.js';
import { ExplainableCursor } from './explainable-cursor.js';
import type { CommandOptions, Handle } from './handle.js';
import { argument, checkArgument, checkPipeline } from './operation-options.js';
import { sortDocument } from './sort.js';
import type { Sort } from './sort.js';
import type { CollationOptions, Hint } from './types/documents.js';

/** Options of `aggregate`. */
export interface AggregateOptions extends AbstractCursorOptions, PrefetchOptions, Explainable {
  /** Lets stages that need more than 100 MB write temporary files. Since MongoDB 6.0, the server does so by default. */
  allowDiskUse?: boolean | undefined;
  /** Lets the stages `$out` and `$merge` write documents that the collection's validator rejects. Default: false. */
  bypassDocumentValidation?: boolean | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The number of documents in the first batch, as `{ batchSize: 100 }`, if the option `batchSize` is not set. */
  cursor?: Document | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** Variables that expressions in the pipeline read as `$$name`. */
  let?: Document | undefined;
  /** The write concern of the stages `$out` and `$merge`. Default: that of the collection or database. */
  writeConcern?: CommandOptions['writeConcern'];
  /** The name of a collection that receives the results. Appends the stage `$out` to the pipeline. */
  out?: string | undefined;
  /** Returns documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/**
 * The cursor of `aggregate`. Call the methods that append a stage before the first read.
 * @throws MongoCursorInUseError if such a method is called after the first read
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
export class AggregationCursor<Schema = any> extends ExplainableCursor<Schema, AggregateOptions> {
  /** The stages of the aggregation. */
  readonly pipeline: Document[];

  /** Use `collection.aggregate` or `db.aggregate` instead. */
  constructor(handle: Handle, pipeline: readonly Document[], options: AggregateOptions) {
    super(handle, options);
    checkPipeline(pipeline);
    this.pipeline = [...pipeline];
    this.#checkTimeoutMode();
  }

  /** The name of the method, for errors. */
  protected override get method(): string {
    return 'aggregate';
  }

  /** Returns the command that opens the cursor. */
  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    this.#checkTimeoutMode();
    return { open: this.openCommand(handle) };
  }

  /** Returns the command `aggregate` with the stages and the options. */
  protected override command<T>(handle: Handle, take: TakeBatch<T>): Operation<T> {
    return new Aggregate(handle, this.#stages, this.options, take);
  }

  /** A change stream waits for documents. */
  protected override get awaits(): boolean {
    return this.pipeline[0] !== undefined && '$changeStream' in this.pipeline[0];
  }

  /**
   * Returns an unused cursor with the same stages and options, without the functions of `map`.
   * @example const again = films.aggregate([{ $match: { year: 1995 } }]).clone();
   */
  override clone(): AggregationCursor<Schema> {
    return new AggregationCursor<Schema>(this.handle, this.pipeline, this.options);
  }

  /**
   * Passes each document through the function. The function must not return null, which marks the end of a cursor.
   * @example const titles = films.aggregate<Film>([{ $limit: 3 }]).map(film => film.title);
   */
  override map<To>(transform: Transform<Schema, To>): AggregationCursor<To> {
    return super.map(transform) as AggregationCursor<To>;
  }

  /**
   * Appends a stage.
   * @example films.aggregate().addStage({ $sample: { size: 10 } });
   */
  addStage(stage: Document): this;
  /**
   * Appends a stage that changes the type of the documents.
   * @example films.aggregate().addStage<{ count: number }>({ $count: 'count' });
   */
  addStage<To = Document>(stage: Document): AggregationCursor<To>;
  addStage(stage: Document): this {
    this.settle('addStage');
    checkArgument('stage', stage, argument.document);
    this.pipeline.push(stage);
    return this;
  }

  /**
   * Appends the stage `$match`, which keeps the documents that match a filter.
   * @example films.aggregate().match({ year: 1995 });
   */
  match($match: Document): this {
    return this.addStage({ $match });
  }

  /**
   * Appends the stage `$project`, which selects and computes fields.
   * @example films.aggregate().project<{ title: string }>({ _id: 0, title: 1 });
   */
  project<To extends object = Document>($project: Document): AggregationCursor<To> {
    return this.addStage<To>({ $project });
  }

  /**
   * Appends the stage `$group`, which combines documents with the same `_id` expression.
   * @example films.aggregate().group<{ _id: number; count: number }>({ _id: '$year', count: { $sum: 1 } });
   */
  group<To = Schema>($group: Document): AggregationCursor<To> {
    return this.addStage<To>({ $group });
  }

  /**
   * Appends the stage `$sort`, which orders the documents.
   * @example films.aggregate().sort({ year: -1 });
   */
  sort($sort: Sort): this {
    // The server rejects an empty sort.
    return this.addStage({ $sort: sortDocument($sort) ?? $sort });
  }

  /**
   * Appends the stage `$limit`, which passes on at most this number of documents.
   * @example films.aggregate().limit(10);
   */
  limit($limit: number): this {
    return this.addStage({ $limit });
  }

  /**
   * Appends the stage `$skip`, which omits this number of documents.
   * @example films.aggregate().skip(20);
   */
  skip($skip: number): this {
    return this.addStage({ $skip });
  }

  /**
   * Appends the stage `$unwind`, which returns one document for each element of an array.
   * @example films.aggregate().unwind('$genres');
   */
  unwind($unwind: Document | string): this {
    return this.addStage({ $unwind });
  }

  /**
   * Appends the stage `$lookup`, which adds matching documents of another collection.
   * @example films.aggregate().lookup({ from: 'reviews', localField: '_id', foreignField: 'film', as: 'reviews' });
   */
  lookup($lookup: Document): this {
    return this.addStage({ $lookup });
  }

  /**
   * Appends the stage `$redact`, which removes documents and embedded documents by an expression.
   * @example films.aggregate().redact({ $cond: [{ $eq: ['$hidden', true] }, '$$PRUNE', '$$DESCEND'] });
   */
  redact($redact: Document): this {
    return this.addStage({ $redact });
  }

  /**
   * Appends the stage `$out`, which replaces a collection with the results.
   * @example await films.aggregate().match({ year: 1995 }).out('films1995').toArray();
   */
  out($out: string | { db: string; coll: string }): this {
    return this.addStage({ $out });
  }

  /**
   * Appends the stage `$geoNear`, which must be the first: it returns documents by their distance from a point.
   * @example films.aggregate().geoNear({ near: { type: 'Point', coordinates: [2, 48] }, distanceField: 'distance' });
   */
  geoNear($geoNear: Document): this {
    return this.addStage({ $geoNear });
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
