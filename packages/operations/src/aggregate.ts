import { writeConcernError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Document, Elements, Operation, Reply, Selection } from '@tessera/contracts';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import { writeRawData } from './raw-data.js';
import { writeOptions } from './target.js';
import type { Target } from './target.js';

/** The fields of an aggregate command. */
export interface AggregateOptions {
  /** Whether stages may write temporary files when they exceed their memory limit. Default: the setting of the server. */
  readonly allowDiskUse?: boolean | undefined;
  /** The number of documents of a batch. Default: the server decides, 101 for the first batch. */
  readonly batchSize?: number | undefined;
  /** The first batch's size, if `batchSize` is not set. Does not apply to later batches. */
  readonly cursor?: { readonly batchSize?: number | undefined } | undefined;
  /** Whether `$out` and `$merge` may write documents that fail the validation of their collection. */
  readonly bypassDocumentValidation?: boolean | undefined;
  /** The rules for comparing strings. Default: those of the collection. */
  readonly collation?: Document | undefined;
  /** A value for the server's logs and profiler. */
  readonly comment?: unknown;
  /** The index to use: its name or its keys. */
  readonly hint?: unknown;
  /** Variables for the expressions of the pipeline. */
  readonly let?: Document | undefined;
  /** The time limit of the server in milliseconds. */
  readonly maxTimeMS?: number | undefined;
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
}

/** The stages of a pipeline, or a function from the server's wire version to stages. A function must not return $out or $merge. */
export type Pipeline = readonly Document[] | ((wireVersion: number) => readonly Document[]);

const plain: ReadonlySet<string> = new Set([
  'allowDiskUse',
  'bypassDocumentValidation',
  'collation',
  'comment',
  'hint',
  'let',
  'maxTimeMS',
]);

/** Returns whether a pipeline ends in $out or $merge. */
const writes = (pipeline: readonly Document[]): boolean => {
  const last = pipeline.at(-1);
  return last !== undefined && ('$out' in last || '$merge' in last);
};

const writing = new WeakMap<Selection, Selection>();

/** Returns the selection with `writes: true`. Always the same object, because caches use its identity as their key. */
const forWriting = (selection: Selection): Selection => {
  let known = writing.get(selection);
  if (known === undefined) writing.set(selection, (known = { ...selection, writes: true }));
  return known;
};

/**
 * Aggregates a collection, or the database if the target has no collection. A pipeline that ends in `$out` or `$merge` is not
 * retried, has the write concern, and runs on a secondary only if all servers are MongoDB 5.0 or newer.
 * Rule: CRUD, "aggregate", "Read preferences and server selection"; Retryable Reads; Read and Write Concern, "Errors".
 */
export class Aggregate<T> implements Operation<T> {
  readonly name = 'aggregate';
  readonly kind: 'read' | 'write';
  readonly retryable: boolean;
  readonly answer = 'one';
  readonly role = 'opensCursor';
  readonly db: string;
  readonly selection: Selection;
  readonly #target: Target;
  readonly #pipeline: Pipeline;
  readonly #options: AggregateOptions;
  readonly #take: TakeBatch<T>;

  constructor(target: Target, pipeline: Pipeline, options: AggregateOptions, take: TakeBatch<T>) {
    const isWrite = typeof pipeline !== 'function' && writes(pipeline);
    this.kind = isWrite ? 'write' : 'read';
    this.retryable = !isWrite;
    this.db = target.db;
    this.selection = isWrite ? forWriting(target.selection) : target.selection;
    this.#target = target;
    this.#pipeline = pipeline;
    this.#options = options;
    this.#take = take;
  }

  get readConcern(): Document | undefined {
    return this.#target.readConcern;
  }
  get writeConcern(): Document | undefined {
    return this.kind === 'write' ? this.#target.writeConcern : undefined;
  }
  get database(): Elements {
    return this.#target.database;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const target = this.#target;
    const isWrite = this.kind === 'write';
    const pipeline = this.#pipeline;
    const stages = typeof pipeline === 'function' ? pipeline(attempt.connection.hello.maxWireVersion) : pipeline;
    writer.value('aggregate', target.collection === '' ? 1 : target.collection);
    writer.value('pipeline', stages, target.arguments);
    writer.open('cursor', 'document');
    const batchSize = this.#options.batchSize ?? this.#options.cursor?.batchSize ?? undefined;
    if (batchSize !== undefined && !isWrite) writer.value('batchSize', batchSize);
    writer.close();
    writeOptions(writer, plain, this.#options as Readonly<Record<string, unknown>>, target.arguments, attempt);
    writeRawData(writer, this.#options.rawData, attempt);
  }

  read(reply: Reply, attempt: Attempt): T {
    if (this.kind === 'write' && reply.has('writeConcernError')) throw writeConcernError(reply.document());
    return this.#take(readCursor(reply, 'firstBatch'), attempt);
  }
}
