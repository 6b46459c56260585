import type { Document, ObjectId } from '@tessera/contracts';
import { DBRef } from '../values.js';

/** What the keys of a document say so far: undefined until a key starts with `$`. */
export type DBRefHope = boolean | undefined;

/** Only `$ref`, `$id` and `$db` may start with `$` in what becomes a DBRef, as npm `bson` has it. */
export const stillDBRef = (hope: DBRefHope, key: string): DBRefHope =>
  hope === false || key.charCodeAt(0) !== 36 ? hope : key === '$ref' || key === '$id' || key === '$db';

/** A DBRef where the document is one, else the document. */
export const asDBRef = (document: Document): Document => {
  const { $ref, $id, $db, ...fields } = document as { $ref?: unknown; $id?: unknown; $db?: unknown };
  if (typeof $ref !== 'string' || $id === undefined || $id === null) return document;
  if ('$db' in document && typeof $db !== 'string') return document;
  return new DBRef($ref, $id as ObjectId, $db as string | undefined, fields);
};
