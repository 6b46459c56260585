import type { MongoErrorOptions } from './errors.js';
import { numberOf, textOf } from './server-values.js';
import type { Document } from './values.js';

/** What a server says of an error: its message, undefined if it gave none, and what goes into a `MongoError`. */
export interface ServerSays extends MongoErrorOptions {
  readonly message: string | undefined;
}

/**
 * Of an answer, or of the part of it that tells of a write concern; labels always stand in the answer itself. What has
 * another type than it must have counts as not said: the answer itself is kept.
 */
export const serverSays = (reply: Document, part: Document = reply): ServerSays => {
  const { code, codeName, errmsg, $err } = part as Record<string, unknown>;
  const labels: unknown = reply['errorLabels'];
  return {
    message: textOf(errmsg) ?? textOf($err),
    code: numberOf(code),
    codeName: textOf(codeName),
    labels: Array.isArray(labels) ? labels.filter((label: unknown) => typeof label === 'string') : undefined,
    reply,
  };
};

/** Undefined if the answer has none; a write concern error that is no document says nothing. */
export const writeConcernErrorOf = (reply: Document | undefined): Document | undefined => {
  const told: unknown = reply?.['writeConcernError'];
  if (told === undefined) return undefined;
  return typeof told === 'object' && told !== null ? told : {};
};
