import type { Attempt, BodyWriter, Document, Operation, Reply, Selection } from '@tessera/contracts';
import { writeReadConcern, writeWriteConcern } from './concerns.js';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import { writable, writeOptions } from './target.js';
import type { Target } from './target.js';

export interface AggregateOptions {
  readonly allowDiskUse?: boolean | undefined;
  readonly batchSize?: number | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly comment?: unknown;
  readonly hint?: unknown;
  readonly let?: Document | undefined;
  readonly maxTimeMS?: number | undefined;
}

const plain = ['allowDiskUse', 'bypassDocumentValidation', 'collation', 'comment', 'hint', 'let', 'maxTimeMS'] as const;

const writes = (pipeline: readonly Document[]): boolean => {
  const last = pipeline.at(-1);
  return last !== undefined && ('$out' in last || '$merge' in last);
};

/**
 * `aggregate` on a collection, or on the database when the target names none. A pipeline that ends in `$out` or `$merge`
 * goes to the primary, is not retried, and bears the write concern. Rule: CRUD, "aggregate"; Retryable Reads.
 */
export class Aggregate<T> implements Operation<T> {
  readonly name = 'aggregate';
  readonly kind: 'read' | 'write';
  readonly retryable: boolean;
  readonly answer = 'one';
  readonly db: string;
  readonly selection: Selection;
  readonly #target: Target;
  readonly #pipeline: readonly Document[];
  readonly #options: AggregateOptions;
  readonly #take: TakeBatch<T>;

  constructor(target: Target, pipeline: readonly Document[], options: AggregateOptions, take: TakeBatch<T>) {
    const writing = writes(pipeline);
    this.kind = writing ? 'write' : 'read';
    this.retryable = !writing;
    this.db = target.db;
    this.selection = writing ? writable : target.selection;
    this.#target = target;
    this.#pipeline = pipeline;
    this.#options = options;
    this.#take = take;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const target = this.#target;
    const writing = this.kind === 'write';
    writer.value('aggregate', target.collection === '' ? 1 : target.collection);
    writer.value('pipeline', this.#pipeline, target.arguments);
    writer.open('cursor', 'document');
    if (this.#options.batchSize !== undefined && !writing) writer.value('batchSize', this.#options.batchSize);
    writer.close();
    writeOptions(writer, plain, this.#options as Readonly<Record<string, unknown>>, target.arguments);
    writeReadConcern(writer, target.readConcern, attempt);
    if (writing) writeWriteConcern(writer, target.writeConcern, attempt);
    writer.elements(target.database);
  }

  read(reply: Reply, attempt: Attempt): T {
    return this.#take(readCursor(reply, 'firstBatch'), attempt);
  }
}
