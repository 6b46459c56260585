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
import type { CollationOptions, Hint } from './types/documents.js';

/** Writes that are sent in one command, unless the server's limits split it. */
export class Batch<Statement = Document> {
  /** The kind of the writes. */
  batchType: BatchType;
  /** The index of the first write in the whole list. */
  originalZeroIndex: number;
  /** The index of each write in the whole list. */
  originalIndexes: number[] = [];
  /** The statements as the command contains them. */
  operations: Statement[] = [];
  /** The number of writes. */
  size = 0;
  /** Always 0. The driver measures the writes when it sends them. */
  currentIndex = 0;
  /** Always 0. The driver measures the writes when it sends them. */
  sizeBytes = 0;
  /** Always empty. The driver encodes the writes when it sends them. */
  serializedOperations: Uint8Array[] = [];

  /** Creates an empty batch. */
  constructor(batchType: BatchType, originalZeroIndex: number) {
    this.batchType = batchType;
    this.originalZeroIndex = originalZeroIndex;
  }
}

const batchTypes: Readonly<Record<WriteCommand, BatchType>> = {
  insert: BatchType.INSERT,
  update: BatchType.UPDATE,
  delete: BatchType.DELETE,
};

/** Returns the write whose statement a command contains. */
const modelOf = (batchType: BatchType, statement: Document): AnyBulkWriteOperation => {
  if (batchType === BatchType.INSERT) return { insertOne: { document: statement } };
  const {
    q: filter,
    u: update,
    multi,
    limit,
    ...options
  } = statement as {
    readonly q: Document;
    readonly u: Document;
    readonly multi?: boolean;
    readonly limit?: number;
  };
  if (batchType === BatchType.DELETE)
    return limit === 1 ? { deleteOne: { filter, ...options } } : { deleteMany: { filter, ...options } };
  if (multi === true) return { updateMany: { filter, update, ...options } };
  const isUpdate = Array.isArray(update) || Object.keys(update)[0]?.startsWith('$') === true;
  return isUpdate
    ? { updateOne: { filter, update, ...options } }
    : { replaceOne: { filter, replacement: update, ...options } };
};

/** A list of writes that is built step by step and executed once. */
export abstract class BulkOperationBase {
  /** Whether the first error stops the execution. */
  readonly isOrdered: boolean;
  /** Always absent. For compatibility. */
  declare operationId?: number;
  readonly #handle: Handle;
  readonly #options: BulkWriteOptions;
  readonly #models: AnyBulkWriteOperation[] = [];
  #executed = false;

  /** Use `initializeOrderedBulkOp` or `initializeUnorderedBulkOp` of a collection instead. */
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

  /** The options that convert documents to BSON and back, including defaults. */
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#handle.with(this.#options).resolved);
  }

  /** The write concern in the options, else that of the collection. Undefined means the server's default. */
  get writeConcern(): WriteConcern | undefined {
    return WriteConcern.fromOptions(this.#options.writeConcern) ?? this.#handle.resolved.writeConcern;
  }

  /** The writes so far, grouped into commands. */
  get batches(): Batch[] {
    return this.#runs(this.#models).map(({ command, statements, places = [] }) =>
      Object.assign(new Batch(batchTypes[command], places[0] ?? 0), {
        originalIndexes: places,
        operations: statements,
        size: statements.length,
      }),
    );
  }

  /**
   * Adds an insert.
   * @example bulk.insert({ title: 'Heat', year: 1995 });
   */
  insert(document: Document): this {
    return this.raw({ insertOne: { document: checkDocument(document) } });
  }

  /**
   * Selects the documents that the next call updates, replaces or deletes.
   * @example bulk.find({ title: 'Heat' }).updateOne({ $inc: { views: 1 } });
   */
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
   * @example bulk.raw({ deleteMany: { filter: { views: 0 } } });
   */
  raw(model: AnyBulkWriteOperation): this {
    const [run] = this.#runs([model]);
    if (this.addToOperationsList !== BulkOperationBase.prototype.addToOperationsList)
      return this.addToOperationsList(batchTypes[run!.command], run!.statements[0]!);
    this.#models.push(model);
    return this;
  }

  /**
   * Adds a write by its statement, as a command contains it. All other methods call it if a subclass replaces it.
   * @throws MongoInvalidArgumentError for an invalid write
   * @example bulk.addToOperationsList(BatchType.INSERT, { title: 'Alien' });
   */
  addToOperationsList(batchType: BatchType, statement: Document): this {
    const model = modelOf(batchType, statement);
    this.#runs([model]);
    this.#models.push(model);
    return this;
  }

  /**
   * Executes the writes in as few commands as possible.
   * @throws MongoBulkWriteError if a write fails, MongoBatchReExecutionError if it was executed before
   * @example const { insertedCount, modifiedCount } = await bulk.execute();
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
    return toRuns(models, this.isOrdered, this.#handle, this.#options);
  }
}

/** A bulk operation that stops at the first write that fails. */
export class OrderedBulkOperation extends BulkOperationBase {
  /** Use `collection.initializeOrderedBulkOp()` instead. */
  constructor(handle: Handle, options: BulkWriteOptions) {
    super(handle, options, true);
  }
}

/** A bulk operation that continues after writes that fail, and may reorder writes. */
export class UnorderedBulkOperation extends BulkOperationBase {
  /** Use `collection.initializeUnorderedBulkOp()` instead. */
  constructor(handle: Handle, options: BulkWriteOptions) {
    super(handle, options, false);
  }
}

/** A selection of a bulk operation. Its methods add a write for the selected documents. */
export class FindOperators {
  /** The bulk operation that receives the writes. */
  readonly bulkOperation: BulkOperationBase;
  readonly #filter: Document;
  readonly #options: Document = {};

  /** Use the method `find` of a bulk operation instead. */
  constructor(bulkOperation: BulkOperationBase, filter: Document) {
    this.bulkOperation = bulkOperation;
    this.#filter = filter;
  }

  /**
   * Adds an update of all selected documents.
   * @example bulk.find({ year: 1995 }).update({ $inc: { views: 1 } });
   */
  update(update: Document | readonly Document[]): BulkOperationBase {
    return this.#add({ updateMany: { ...this.#selected(), update } });
  }

  /**
   * Adds an update of the first selected document.
   * @example bulk.find({ title: 'Heat' }).updateOne({ $inc: { views: 1 } });
   */
  updateOne(update: Document | readonly Document[]): BulkOperationBase {
    return this.#add({ updateOne: { ...this.#selected(), update } });
  }

  /**
   * Adds a replacement of the first selected document.
   * @example bulk.find({ title: 'Heat' }).replaceOne({ title: 'Heat', year: 1995 });
   */
  replaceOne(replacement: Document): BulkOperationBase {
    return this.#add({ replaceOne: { ...this.#selected(), replacement: checkReplacement(replacement) } });
  }

  /**
   * Adds a deletion of the first selected document.
   * @example bulk.find({ title: 'Heat' }).deleteOne();
   */
  deleteOne(): BulkOperationBase {
    return this.#add({ deleteOne: this.#selected() });
  }

  /**
   * Adds a deletion of all selected documents.
   * @example bulk.find({ views: 0 }).delete();
   */
  delete(): BulkOperationBase {
    return this.#add({ deleteMany: this.#selected() });
  }

  /**
   * Inserts a document if the selection is empty.
   * @example bulk.find({ title: 'Heat' }).upsert().updateOne({ $inc: { views: 1 } });
   */
  upsert(): this {
    return this.#set('upsert', true);
  }

  /**
   * Sets the collation: language-specific rules for comparing strings.
   * @example bulk.find({ title: 'heat' }).collation({ locale: 'en', strength: 2 }).deleteOne();
   */
  collation(collation: CollationOptions): this {
    return this.#set('collation', collation);
  }

  /**
   * Sets the filters that select array elements to update.
   * @example bulk.find({}).arrayFilters([{ name: 'noir' }]).update({ $set: { 'genres.$[name]': 'film noir' } });
   */
  arrayFilters(arrayFilters: readonly Document[]): this {
    return this.#set('arrayFilters', arrayFilters);
  }

  /**
   * Sets the index to use, by its name or keys.
   * @example bulk.find({ title: 'Heat' }).hint('title_1').deleteOne();
   */
  hint(hint: Hint): this {
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
