import { MongoError } from '@tessera/contracts';

/** What is not BSON, with the offset of the first byte that shows it, counted from the start of the document. */
export const corruption = (offset: number, problem: string): MongoError =>
  new MongoError(
    'protocol',
    `This is not BSON: ${problem} at byte ${String(offset)} of the document. The bytes were damaged or cut on their way, or were never a document.`,
  );
