import type { Document } from '@tessera/contracts';
import type { WriteError } from './bulk-errors.js';

type Ids = Record<number, unknown>;

export interface WriteConcernErrorData {
  readonly code: number;
  readonly errmsg: string;
  readonly errInfo?: Document | undefined;
}

/** The writes were done, but not as safely as was asked. */
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

/** What became of all commands of a bulk write together. */
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

const byIndex = (ids: BulkResult['insertedIds']): Ids => {
  const found: Ids = {};
  for (const { index, _id } of ids) found[index] = _id;
  return found;
};

/** Those that were refused, and in an ordered run those behind them, were not inserted. */
const inserted = ({ insertedIds, writeErrors }: BulkResult, isOrdered: boolean): BulkResult['insertedIds'] => {
  const refused = new Set(writeErrors.map(({ index }) => index));
  const first = Math.min(...refused);
  return refused.size === 0
    ? insertedIds
    : insertedIds.filter(({ index }) => (isOrdered ? index < first : !refused.has(index)));
};

/** What a bulk write did. Rule: CRUD, "Bulk write results". */
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
  readonly #result: BulkResult;

  constructor(result: BulkResult, isOrdered: boolean, acknowledged: boolean = result.ok === 1) {
    this.#result = result;
    this.ok = result.ok;
    this.acknowledged = acknowledged;
    this.insertedCount = result.nInserted;
    this.matchedCount = result.nMatched;
    this.modifiedCount = result.nModified;
    this.deletedCount = result.nRemoved;
    this.upsertedCount = result.upserted.length;
    this.upsertedIds = byIndex(result.upserted);
    this.insertedIds = byIndex(inserted(result, isOrdered));
  }

  /** The same under the server's names. */
  get result(): BulkResult {
    return this.#result;
  }

  /** `{ index, _id }` of so many an upsert, not of so many a model. */
  getUpsertedIdAt(index: number): Document | undefined {
    return this.#result.upserted[index];
  }

  getRawResponse(): Document {
    return this.#result;
  }

  isOk(): boolean {
    return this.ok === 1;
  }

  hasWriteErrors(): boolean {
    return this.#result.writeErrors.length > 0;
  }

  getWriteErrors(): readonly WriteError[] {
    return this.#result.writeErrors;
  }

  getWriteErrorCount(): number {
    return this.#result.writeErrors.length;
  }

  getWriteErrorAt(index: number): WriteError | undefined {
    return this.#result.writeErrors[index];
  }

  /** Of several their messages, with the code of the first. */
  getWriteConcernError(): WriteConcernError | undefined {
    const [first, ...others] = this.#result.writeConcernErrors;
    if (first === undefined || others.length === 0) return first;
    const errmsg = this.#result.writeConcernErrors.map(error => error.errmsg).join(' and ');
    return new WriteConcernError({ code: first.code ?? 0, errmsg });
  }

  toString(): string {
    const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = this;
    const counts = { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount };
    return `BulkWriteResult(${JSON.stringify(counts)})`;
  }
}
