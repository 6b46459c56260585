import type { Entry, Pieces } from '@tessera/mql/engine';
import { CommandError, Doc, ErrorMessages, fail, isAtLeast, isDue, isOver, pause } from '@tessera/mql/engine';
import type { Call, Fields } from './command.js';
import { maxWriteBatchSize } from './hello.js';

/** Checks the number of statements. @throws CommandError 16 */
export const checkBatchSize = (count: number): void => {
  if (count > 0 && count <= maxWriteBatchSize) return;
  throw fail('InvalidLength', `Write batch sizes must be between 1 and ${maxWriteBatchSize}. Got ${count} operations.`);
};

/** Returns the entry of `writeErrors` for a failed statement. The reply's `ok` stays 1. */
const writeError = (index: number, { code, extra, message }: CommandError, messages: ErrorMessages): Doc =>
  Doc.of([['index', index], ['code', code], ...extra, ['errmsg', messages.add(message)]]);

/**
 * Performs the statements in order. An ordered batch, and one in a transaction, ends with the first failure.
 * @returns the entries of `writeErrors`
 */
export const eachStatement = function* <T>(
  { data }: Call,
  statements: readonly T[],
  ordered: boolean | undefined,
  perform: (statement: T, index: number) => Pieces<void> | undefined,
): Pieces<readonly Doc[]> {
  const errors: Doc[] = [];
  let messages: ErrorMessages | undefined;
  for (let index = 0; index < statements.length; index++) {
    if (isDue()) yield pause;
    try {
      const pieces = perform(statements[index]!, index);
      if (pieces !== undefined) yield* pieces;
    } catch (error) {
      // An error that ends the command is not a failure of the statement.
      if (!(error instanceof CommandError) || isOver(error)) throw error;
      messages ??= new ErrorMessages();
      errors.push(writeError(index, error, messages));
      if (data.failed?.(error) === 'stop' || ordered !== false) break;
    }
  }
  return errors;
};

export const writeReply = (n: number, errors: readonly Doc[], more: Fields = []): Fields => {
  const fields: Entry[] = [['n', n], ...more];
  if (errors.length > 0) fields.push(['writeErrors', errors]);
  return fields;
};

/** Adds the context to errors of an update's execution, from 8.0 on. */
export const during = <T>(call: Call, what: 'update' | 'findAndModify', work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw inContext(call, what, error);
  }
};

/** Returns the error with the context of the update's execution. */
export const inContext = (call: Call, what: 'update' | 'findAndModify', error: unknown): unknown => {
  if (!(error instanceof CommandError)) return error;
  if (what === 'update' && !isAtLeast(call.engine.version, '8.0')) return error;
  const message = `Plan executor error during ${what} :: caused by :: ${error.message}`;
  return new CommandError(error.code, message, error.extra, error.labels);
};
