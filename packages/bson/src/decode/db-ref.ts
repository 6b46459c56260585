import type { Document, ObjectId } from '@tessera/contracts';
import { DBRef } from '../values.js';

/**
 * Whether the document can still be a DBRef, judged by the keys read so far. Undefined until a key starts with `$`.
 */
export type DBRefState = boolean | undefined;

/**
 * Updates the state for one more key. As in npm `bson`, a DBRef may have no `$` keys other than `$ref`, `$id` and
 * `$db`.
 */
export const stillDBRef = (state: DBRefState, key: string): DBRefState =>
  state === false || key.charCodeAt(0) !== 36 ? state : key === '$ref' || key === '$id' || key === '$db';

/** Converts the document to a DBRef if it has the form of one; otherwise returns the document. */
export const asDBRef = (document: Document): Document => {
  const { $ref, $id, $db, ...fields } = document as { $ref?: unknown; $id?: unknown; $db?: unknown };
  if (typeof $ref !== 'string' || $id === undefined || $id === null) return document;
  if ('$db' in document && typeof $db !== 'string') return document;
  return new DBRef($ref, $id as ObjectId, $db as string | undefined, fields);
};
