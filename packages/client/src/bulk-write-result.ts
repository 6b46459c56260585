import type { Document } from '@tessera/contracts';
import type { StatementError } from '@tessera/operations';

type Ids = Record<number, unknown>;

export interface WriteConcernErrorData {
  readonly code: number;
  readonly errmsg: string;
  readonly errInfo?: Document | undefined;
}

/** The server applied the writes, but did not satisfy their write concern. */
export class WriteConcernError {
  readonly #data: WriteConcernErrorData;

  constructor(data: WriteConcernErrorData) {
    this.#data = data;
  }

  get code(): number | undefined {
    return this.#data.code;
  }
  get errmsg(): string | undefined {
    return this.#data.errmsg;
  }
  get errInfo(): Document | undefined {
    return this.#data.errInfo;
  }

  toJSON(): WriteConcernErrorData {
    return this.#data;
  }

  toString(): string {
    return `WriteConcernError(${this.#data.errmsg})`;
  }
}

/** An error of the server for one write of a bulk write. */
export class WriteError {
  /** The index of the write in the given list. */
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly errInfo: Document | undefined;
  /** The statement as it was sent. */
  readonly op: Document;

  constructor(error: StatementError, index: number, op: Document) {
    this.index = index;
    this.code = error.code;
    this.errmsg = error.errmsg;
    this.errInfo = error.errInfo;
    this.op = op;
  }

  /** The same object, under the property in which the official driver keeps it. */
  get err(): this {
    return this;
  }

  getOperation(): Document {
    return this.op;
  }

  toJSON(): { code: number; index: number; errmsg?: string; op: Document } {
    const { code, index, errmsg, op } = this;
    return { code, index, errmsg, op };
  }

  toString(): string {
    return `WriteError(${JSON.stringify(this.toJSON())})`;
  }
}

/** The combined outcome of all commands of a bulk write, under the server's names. */
export interface BulkResult {
  readonly ok: number;
  readonly writeErrors: readonly WriteError[];
  readonly writeConcernErrors: readonly WriteConcernError[];
  readonly insertedIds: readonly { readonly index: number; readonly _id: unknown }[];
  readonly nInserted: number;
  readonly nUpserted: number;
  readonly nMatched: number;
  readonly nModified: number;
  readonly nRemoved: number;
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
}

/** The outcome with ids by index. The lists of the server's form are created only when they are read. */
export interface BulkOutcome extends Omit<BulkResult, 'insertedIds' | 'upserted' | 'nUpserted'> {
  readonly insertedIds: Ids;
  readonly upsertedIds: Ids;
}

const listed = (ids: Ids): BulkResult['insertedIds'] =>
  Object.entries(ids).map(([index, _id]) => ({ index: Number(index), _id }));

const reported = ({ insertedIds, upsertedIds, ...rest }: BulkOutcome): BulkResult => {
  const upserted = listed(upsertedIds);
  return { ...rest, insertedIds: listed(insertedIds), upserted, nUpserted: upserted.length };
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

/** The result of a bulk write. Rule: CRUD, "Bulk write results". */
export class BulkWriteResult {
  readonly ok: number;
  readonly acknowledged: boolean;
  readonly insertedCount: number;
  readonly matchedCount: number;
  readonly modifiedCount: number;
  readonly deletedCount: number;
  readonly upsertedCount: number;
  readonly upsertedIds: Ids;
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
    this.ok = outcome.ok;
    this.acknowledged = outcome.ok === 1;
    this.insertedCount = outcome.nInserted;
    this.matchedCount = outcome.nMatched;
    this.modifiedCount = outcome.nModified;
    this.deletedCount = outcome.nRemoved;
    this.upsertedIds = outcome.upsertedIds;
    this.upsertedCount = Object.keys(outcome.upsertedIds).length;
    this.insertedIds = outcome.insertedIds;
  }

  /** The same result under the server's names. */
  get result(): BulkResult {
    return (this.#result ??= reported(this.#outcome));
  }

  /** Returns `{ index, _id }` of an upsert. @param index the position among the upserts, not among all operations */
  getUpsertedIdAt(index: number): Document | undefined {
    return this.result.upserted[index];
  }

  getRawResponse(): Document {
    return this.result;
  }

  isOk(): boolean {
    return this.ok === 1;
  }

  hasWriteErrors(): boolean {
    return this.#outcome.writeErrors.length > 0;
  }

  getWriteErrors(): readonly WriteError[] {
    return this.#outcome.writeErrors;
  }

  getWriteErrorCount(): number {
    return this.#outcome.writeErrors.length;
  }

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

  toString(): string {
    const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = this;
    const counts = { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount };
    return `BulkWriteResult(${JSON.stringify(counts)})`;
  }
}
