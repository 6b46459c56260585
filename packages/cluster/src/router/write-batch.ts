import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, ErrorMessages, isArray, isDoc, safeIntegerOf } from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';

/** The part of a batch of writes for one shard. */
export interface Part {
  /** The indexes of the statements in the whole batch. */
  readonly indexes: readonly number[];
  readonly statements: readonly Value[];
}

/** Returns the statements in a field of a write command. */
export const statementsIn = (body: Doc, field: string): readonly Value[] => {
  const list = body.get(field);
  return isArray(list) ? list : [];
};

/** Returns the statement id of a retryable write. */
export const statementId = ({ body }: Call, index: number): Value => {
  const given = body.get('stmtIds');
  const first = body.get('stmtId');
  const base = safeIntegerOf(first) ?? 0;
  return isArray(given) ? given[index]! : base + index;
};

/** Returns the command with some of its statements. They keep their ids, so that each is executed once. */
export const withPart = (call: Call, field: string, { indexes, statements }: Part): Doc => {
  const { body, generic } = call;
  const part = body.with(field, statements);
  if (generic.txnNumber === undefined || generic.transaction !== undefined) return part;
  return part.without('stmtId').with(
    'stmtIds',
    indexes.map(index => statementId(call, index)),
  );
};

const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields.find(([key]) => key === name)?.[1];
  return safeIntegerOf(value);
};

const docsIn = (fields: Fields, name: string): readonly Doc[] => {
  const value = fields.find(([key]) => key === name)?.[1];
  return isArray(value) ? value.filter(isDoc) : [];
};

const placed = (docs: readonly Doc[], indexes: readonly number[]): readonly Doc[] =>
  docs.map(doc => {
    const index = doc.get('index');
    return doc.with('index', indexes[safeIntegerOf(index) ?? 0]!);
  });

const byIndex = (a: Doc, b: Doc): number => (a.get('index') as number) - (b.get('index') as number);

/** Returns the error with its message, or with an empty one if the messages have become too long. */
export const shortened = (error: Doc, messages: ErrorMessages): Doc => {
  const message = error.get('errmsg');
  return typeof message === 'string' ? error.with('errmsg', messages.add(message)) : error;
};

/** Merges the replies of several shards to one batch. */
export class BatchReply {
  #n = 0;
  #nModified: number | undefined;
  readonly #upserted: Doc[] = [];
  readonly #errors: Doc[] = [];
  readonly #messages = new ErrorMessages();
  readonly #retried: Value[] = [];
  #concern: Value | undefined;

  get hasFailed(): boolean {
    return this.#errors.length > 0;
  }

  add(fields: Fields, indexes: readonly number[]): void {
    this.#n += numberIn(fields, 'n') ?? 0;
    const modified = numberIn(fields, 'nModified');
    if (modified !== undefined) this.#nModified = (this.#nModified ?? 0) + modified;
    for (const doc of placed(docsIn(fields, 'upserted'), indexes)) this.#upserted.push(doc);
    for (const doc of placed(docsIn(fields, 'writeErrors'), indexes)) this.fail(doc);
    const retried = fields.find(([key]) => key === 'retriedStmtIds')?.[1];
    for (const id of isArray(retried) ? retried : []) this.#retried.push(id);
    this.#concern ??= fields.find(([key]) => key === 'writeConcernError')?.[1];
  }

  /** Adds the error of a statement. */
  fail(error: Doc): void {
    this.#errors.push(shortened(error, this.#messages));
  }

  get fields(): Fields {
    const fields: Entry[] = [['n', this.#n]];
    if (this.#upserted.length > 0) fields.push(['upserted', [...this.#upserted].sort(byIndex)]);
    if (this.#nModified !== undefined) fields.push(['nModified', this.#nModified]);
    if (this.#errors.length > 0) fields.push(['writeErrors', [...this.#errors].sort(byIndex)]);
    if (this.#concern !== undefined) fields.push(['writeConcernError', this.#concern]);
    if (this.#retried.length > 0) fields.push(['retriedStmtIds', this.#retried]);
    return fields;
  }
}

export const errorAt = (index: number, { code, message }: { readonly code: number; readonly message: string }): Doc =>
  Doc.of([
    ['index', index],
    ['code', code],
    ['errmsg', message],
  ]);
