import type { BsonOptions, Document } from '@tessera/contracts';
import type { WriteCommand } from '@tessera/operations';
import { MongoBatchReExecutionError } from './bulk-errors.js';
import { bulkWrite, toRuns } from './bulk-write.js';
import type { BulkWriteOptions, Run } from './bulk-write.js';
import type { BulkWriteResult } from './bulk-write-result.js';
import { WriteConcern } from './concerns.js';
import { MongoInvalidArgumentError } from './errors.js';
import { resolvedBson } from './resolved-options.js';
import type { Handle } from './handle.js';
import { BatchType } from './named-values.js';
import { checkOptions } from './operation-options.js';
import { asPromise } from './stack-trace.js';
import { checkDocument, checkFilter, checkReplacement } from './statements.js';
import type { AnyBulkWriteOperation } from './types/bulk.js';

/** Writes that are sent in one command, unless the server's limits split it. */
export interface Batch {
  readonly batchType: BatchType;
  readonly originalZeroIndex: number;
  readonly originalIndexes: readonly number[];
  readonly operations: readonly Document[];
  readonly size: number;
}

const batchTypes: Readonly<Record<WriteCommand, BatchType>> = {
  insert: BatchType.INSERT,
  update: BatchType.UPDATE,
  delete: BatchType.DELETE,
};

/** A list of writes that is built step by step and executed once. */
export abstract class BulkOperationBase {
  readonly isOrdered: boolean;
  readonly #handle: Handle;
  readonly #options: BulkWriteOptions;
  readonly #models: AnyBulkWriteOperation[] = [];
  #executed = false;

  constructor(handle: Handle, options: BulkWriteOptions, isOrdered: boolean) {
    checkOptions(options);
    this.#handle = handle;
    this.#options = { ...options, ordered: isOrdered };
    this.isOrdered = isOrdered;
  }

  /** The number of writes in the list. */
  get length(): number {
    return this.#models.length;
  }

  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#handle.with(this.#options).resolved);
  }

  get writeConcern(): WriteConcern | undefined {
    return WriteConcern.fromOptions(this.#options.writeConcern);
  }

  get batches(): readonly Batch[] {
    return this.#runs(this.#models).map(({ command, statements, places = [] }) => ({
      batchType: batchTypes[command],
      originalZeroIndex: places[0] ?? 0,
      originalIndexes: places,
      operations: statements,
      size: statements.length,
    }));
  }

  insert(document: Document): this {
    return this.raw({ insertOne: { document: checkDocument(document) } });
  }

  /** Selects the documents that the next call updates, replaces or deletes. */
  find(selector: Document): FindOperators {
    if ((selector as Document | undefined) === undefined)
      throw new MongoInvalidArgumentError(
        'The find method of a bulk operation needs a filter. Use {} to select all documents.',
      );
    return new FindOperators(this, checkFilter(selector));
  }

  /**
   * Adds a write in the form that `Collection.bulkWrite` takes.
   * @throws MongoInvalidArgumentError for an invalid write
   */
  raw(model: AnyBulkWriteOperation): this {
    this.#runs([model]);
    this.#models.push(model);
    return this;
  }

  /**
   * Executes the writes.
   * @throws MongoBulkWriteError if a write fails, MongoBatchReExecutionError if it was executed before
   */
  execute(options?: BulkWriteOptions | null): Promise<BulkWriteResult> {
    return asPromise(() => {
      checkOptions(options);
      if (this.#executed)
        throw new MongoBatchReExecutionError(
          'A bulk operation can be executed only once. Create another one for further writes.',
        );
      if (this.#models.length === 0)
        throw new MongoInvalidArgumentError('The bulk operation is empty. Add at least one write before execute().');
      this.#executed = true;
      const all = { ...this.#options, ...options, ordered: this.isOrdered };
      return bulkWrite(this.#handle, this.#runs(this.#models), all);
    });
  }

  #runs(models: readonly AnyBulkWriteOperation[]): readonly Run[] {
    return toRuns(models, this.isOrdered, this.#handle.ignoresUndefined(this.#options));
  }
}

/** A bulk operation that stops at the first write that fails. */
export class OrderedBulkOperation extends BulkOperationBase {
  constructor(handle: Handle, options: BulkWriteOptions) {
    super(handle, options, true);
  }
}

/** A bulk operation that continues after writes that fail, and may reorder writes. */
export class UnorderedBulkOperation extends BulkOperationBase {
  constructor(handle: Handle, options: BulkWriteOptions) {
    super(handle, options, false);
  }
}

/** A selection of a bulk operation. Its methods add a write for the selected documents. */
export class FindOperators {
  readonly bulkOperation: BulkOperationBase;
  readonly #filter: Document;
  readonly #options: Document = {};

  constructor(bulkOperation: BulkOperationBase, filter: Document) {
    this.bulkOperation = bulkOperation;
    this.#filter = filter;
  }

  update(update: Document | readonly Document[]): BulkOperationBase {
    return this.#add({ updateMany: { ...this.#selected(), update } });
  }

  updateOne(update: Document | readonly Document[]): BulkOperationBase {
    return this.#add({ updateOne: { ...this.#selected(), update } });
  }

  replaceOne(replacement: Document): BulkOperationBase {
    return this.#add({ replaceOne: { ...this.#selected(), replacement: checkReplacement(replacement) } });
  }

  deleteOne(): BulkOperationBase {
    return this.#add({ deleteOne: this.#selected() });
  }

  delete(): BulkOperationBase {
    return this.#add({ deleteMany: this.#selected() });
  }

  upsert(): this {
    return this.#set('upsert', true);
  }

  collation(collation: Document): this {
    return this.#set('collation', collation);
  }

  arrayFilters(arrayFilters: readonly Document[]): this {
    return this.#set('arrayFilters', arrayFilters);
  }

  hint(hint: unknown): this {
    return this.#set('hint', hint);
  }

  #selected(): { readonly filter: Document } {
    return { filter: this.#filter, ...this.#options };
  }

  #add(model: AnyBulkWriteOperation): BulkOperationBase {
    return this.bulkOperation.raw(model);
  }

  #set(name: string, value: unknown): this {
    this.#options[name] = value;
    return this;
  }
}
