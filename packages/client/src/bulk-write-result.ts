import type { Document } from '@tessera/contracts';

// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: ids without a schema
type Ids = Record<number, any>;

/** A write concern error as a plain object. */
export interface WriteConcernErrorData {
  /** The server's code, such as 64 for a timeout. */
  code: number;
  /** The server's message. */
  errmsg: string;
  /** Details of the server, such as the write concern. */
  errInfo?: Document | undefined;
}

/** The server applied the writes, but did not satisfy their write concern. */
export class WriteConcernError {
  readonly #data: WriteConcernErrorData;

  /** Creates an error of a reply. Applications create errors only in tests. */
  constructor(data: WriteConcernErrorData) {
    this.#data = data;
  }

  /** The server's code, such as 64 for a timeout. */
  get code(): number | undefined {
    return this.#data.code;
  }
  /** The server's message. */
  get errmsg(): string | undefined {
    return this.#data.errmsg;
  }
  /** Details of the server, such as the write concern. */
  get errInfo(): Document | undefined {
    return this.#data.errInfo;
  }

  /** Returns the error as a plain object. */
  toJSON(): WriteConcernErrorData {
    return this.#data;
  }

  /** Returns the message with the name of the class. */
  toString(): string {
    return `WriteConcernError(${this.#data.errmsg})`;
  }
}

/** The fields of a {@link WriteError}. */
export interface BulkWriteOperationError {
  /** The index of the write in the given list. Libraries that filter the list before they send it correct the index. */
  index: number;
  /** The server's code, such as 11000 for a duplicate key. */
  readonly code: number;
  /** The server's message. */
  readonly errmsg: string;
  /** Details of the server, such as the failed rules of a validator. */
  readonly errInfo: Document | undefined;
  /** The statement as it was sent. */
  readonly op: Document;
}

/** An error of the server for one write of a bulk write. */
export class WriteError {
  /** The fields of the error. */
  readonly err: BulkWriteOperationError;

  /** Creates an error of a reply. Applications create errors only in tests. */
  constructor(err: BulkWriteOperationError) {
    this.err = err;
  }

  /** The server's code, such as 11000 for a duplicate key. */
  get code(): number {
    return this.err.code;
  }
  /** The index of the write in the given list. */
  get index(): number {
    return this.err.index;
  }
  /** The server's message. */
  get errmsg(): string {
    return this.err.errmsg;
  }
  /** Details of the server, such as the failed rules of a validator. */
  get errInfo(): Document | undefined {
    return this.err.errInfo;
  }

  /** Returns the statement as it was sent. */
  getOperation(): Document {
    return this.err.op;
  }

  /** Returns the error as a plain object. */
  toJSON(): { code: number; index: number; errmsg?: string; op: Document } {
    const { code, index, errmsg, op } = this.err;
    return { code, index, errmsg, op };
  }

  /** Returns the error as JSON with the name of the class. */
  toString(): string {
    return `WriteError(${JSON.stringify(this.toJSON())})`;
  }
}

/** The combined outcome of all commands of a bulk write, under the server's names. */
export interface BulkResult {
  /** Always 1 in results of this driver. */
  readonly ok: number;
  /** The errors of writes that failed. */
  readonly writeErrors: readonly WriteError[];
  /** One error for each command whose write concern was not satisfied. */
  readonly writeConcernErrors: readonly WriteConcernError[];
  /** The `_id` of each inserted document, with its index in the given list. */
  readonly insertedIds: readonly { readonly index: number; readonly _id: unknown }[];
  /** The number of inserted documents. */
  readonly nInserted: number;
  /** The number of documents that upserts inserted. */
  readonly nUpserted: number;
  /** The number of documents that updates matched. */
  readonly nMatched: number;
  /** The number of documents that updates changed. */
  readonly nModified: number;
  /** The number of deleted documents. */
  readonly nRemoved: number;
  /** The `_id` of each upserted document, with its index in the given list. */
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
}

/** The outcome with ids by index. The lists of the server's form are created only when they are read. */
export interface BulkOutcome extends Omit<BulkResult, 'insertedIds' | 'upserted' | 'nUpserted'> {
  /** Default: whether `ok` is 1. */
  readonly acknowledged?: boolean;
  readonly insertedIds: Ids;
  readonly upsertedIds: Ids;
}

const listed = (ids: Ids): BulkResult['insertedIds'] =>
  Object.entries<unknown>(ids).map(([index, _id]) => ({ index: Number(index), _id }));

const reported = (outcome: BulkOutcome): BulkResult => {
  const { ok, writeErrors, writeConcernErrors, nInserted, nMatched, nModified, nRemoved } = outcome;
  const [insertedIds, upserted] = [listed(outcome.insertedIds), listed(outcome.upsertedIds)];
  const errors = { writeErrors, writeConcernErrors };
  return { ok, ...errors, insertedIds, nInserted, nUpserted: upserted.length, nMatched, nModified, nRemoved, upserted };
};

const byIndex = (ids: BulkResult['insertedIds']): Ids => Object.fromEntries(ids.map(({ index, _id }) => [index, _id]));

/** Returns the ids by index. An insert with an error, and every insert after it if ordered, inserted nothing. */
const outcomeOf = (result: BulkResult, isOrdered: boolean): BulkOutcome => {
  const { insertedIds, upserted, writeErrors } = result;
  const [first] = writeErrors;
  const failed = (index: number): boolean =>
    isOrdered && first !== undefined ? index >= first.index : writeErrors.some(error => error.index === index);
  return {
    ...result,
    insertedIds: byIndex(insertedIds.filter(({ index }) => !failed(index))),
    upsertedIds: byIndex(upserted),
  };
};

/**
 * The result of a bulk write. Its own enumerable properties are those of the official driver. Rule: CRUD, "Bulk write
 * results".
 */
export class BulkWriteResult {
  /** The number of inserted documents. */
  readonly insertedCount: number;
  /** The number of documents that updates matched. */
  readonly matchedCount: number;
  /** The number of documents that updates changed. */
  readonly modifiedCount: number;
  /** The number of deleted documents. */
  readonly deletedCount: number;
  /** The number of documents that upserts inserted. */
  readonly upsertedCount: number;
  /** The `_id` of each upserted document by its index in the given list. */
  readonly upsertedIds: Ids;
  /** The `_id` of each inserted document by its index in the given list. Undefined if the server generated it. */
  readonly insertedIds: Ids;
  readonly #outcome: BulkOutcome;
  #result: BulkResult | undefined;

  /**
   * Creates a result, as the official driver does, from an outcome under the server's names.
   * @param isOrdered whether no write was executed after the first error
   */
  constructor(given: BulkOutcome | BulkResult, isOrdered = true) {
    const outcome = 'upserted' in given ? outcomeOf(given, isOrdered) : given;
    if ('upserted' in given) this.#result = given;
    this.#outcome = outcome;
    this.insertedCount = outcome.nInserted;
    this.matchedCount = outcome.nMatched;
    this.modifiedCount = outcome.nModified;
    this.deletedCount = outcome.nRemoved;
    this.upsertedCount = Object.keys(outcome.upsertedIds).length;
    this.upsertedIds = outcome.upsertedIds;
    this.insertedIds = outcome.insertedIds;
  }

  // Assertion libraries read the accessors of the prototype itself.
  /** 1, also if the writes were not acknowledged. For compatibility. */
  get ok(): number {
    return #outcome in this ? this.#outcome.ok : 0;
  }
  /** Whether the server acknowledged the writes. If not, all counts are 0. */
  get acknowledged(): boolean {
    return #outcome in this && (this.#outcome.acknowledged ?? this.#outcome.ok === 1);
  }

  /** The same result under the server's names. */
  get result(): BulkResult {
    return (this.#result ??= reported(this.#outcome));
  }
  /** Libraries replace the result of a bulk write to which they add their own errors. */
  set result(result: BulkResult) {
    this.#result = result;
  }

  /** Returns `{ index, _id }` of an upsert. @param index the position among the upserts, not among all operations */
  getUpsertedIdAt(index: number): Document | undefined {
    return this.result.upserted[index];
  }

  /** Returns the same result under the server's names. */
  getRawResponse(): Document {
    return this.result;
  }

  /** Returns whether `ok` is 1. For compatibility. */
  isOk(): boolean {
    return this.ok === 1;
  }

  /** Returns whether a write failed. Always false unless the result belongs to an error. */
  hasWriteErrors(): boolean {
    return this.#outcome.writeErrors.length > 0;
  }

  /** Returns the errors of writes that failed. */
  getWriteErrors(): readonly WriteError[] {
    return this.#outcome.writeErrors;
  }

  /** Returns the number of writes that failed. */
  getWriteErrorCount(): number {
    return this.#outcome.writeErrors.length;
  }

  /** Returns an error by its position among the errors. Undefined if there are fewer. */
  getWriteErrorAt(index: number): WriteError | undefined {
    return this.#outcome.writeErrors[index];
  }

  /** Returns one error that combines all messages and has the code of the first. */
  getWriteConcernError(): WriteConcernError | undefined {
    const [first, ...others] = this.#outcome.writeConcernErrors;
    if (first === undefined || others.length === 0) return first;
    const errmsg = this.#outcome.writeConcernErrors.map(error => error.errmsg).join(' and ');
    return new WriteConcernError({ code: first.code ?? 0, errmsg });
  }

  /** Returns the whole result under the server's names as JSON, with the name of the class. */
  toString(): string {
    return `BulkWriteResult(${JSON.stringify(this.result)})`;
  }
}
