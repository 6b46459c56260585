import { MongoError } from '@tessera/contracts';

/**
 * Returns the error for bytes that are not valid BSON. `offset` is the first invalid byte, counted from the start of
 * the document.
 */
export const corruption = (offset: number, problem: string): MongoError =>
  new MongoError(
    'protocol',
    `Invalid BSON: ${problem} at byte ${String(offset)} of the document. The bytes were damaged or truncated, or were never a document.`,
  );
