import { MongoError } from './errors.js';
import type { MongoErrorOptions, Origin } from './errors.js';
import { numberOf, textOf } from './server-values.js';
import type { Document } from './values.js';

/** The fields of an error in a server's reply, as options of a `MongoError`, and the message. */
export interface ErrorFields extends MongoErrorOptions {
  /** Undefined if the server sent none. */
  readonly message: string | undefined;
}

/**
 * Reads the error fields of a reply. `part` is the error document if it is not the reply itself: a write error or a write concern
 * error. Labels are always read from the reply. A field of an unexpected type counts as missing.
 */
export const errorFieldsOf = (reply: Document, part: Document = reply): ErrorFields => {
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

/** Returns the write concern error of a reply, or undefined. Returns an empty document for a value that is not a document. */
export const writeConcernErrorOf = (reply: Document | undefined): Document | undefined => {
  const value: unknown = reply?.['writeConcernError'];
  if (value === undefined) return undefined;
  return typeof value === 'object' && value !== null ? value : {};
};

/** Returns the write concern error of a reply with `ok: 1`: the command was done, but not as safely as requested. */
export const unsatisfiedConcernOf = (reply: Document | undefined): Document | undefined =>
  Number(reply?.['ok']) === 1 ? writeConcernErrorOf(reply) : undefined;

const noReason = 'the server gave no reason';

/**
 * Creates the error for a reply with `ok: 0`, with the server's message, code and labels and the whole reply.
 * @param command the name of a command that the driver sent by itself; then the message also names the command and the server
 */
export const serverError = (reply: Document, origin?: Origin, command?: string): MongoError => {
  const fields = errorFieldsOf(reply);
  const { code, codeName, message = noReason } = fields;
  if (command === undefined) return new MongoError('server', message, { ...fields, origin });
  const numbered = code === undefined ? '' : ` (code ${code}${codeName === undefined ? '' : `, ${codeName}`})`;
  const where = `'${command}' failed at ${origin?.address ?? 'the server'}`;
  return new MongoError('server', `${where}: ${message}${numbered}`, { ...fields, origin });
};

/**
 * Creates the error for a write that was applied without satisfying its write concern. The driver needs an error to retry the
 * write; its `reply` has both results. Rule: Retryable Writes, "Determining Retryable Write Errors".
 */
export const writeConcernError = (reply: Document, origin?: Origin): MongoError => {
  const fields = errorFieldsOf(reply, writeConcernErrorOf(reply));
  const message = `The write concern was not satisfied: ${fields.message ?? noReason}`;
  return new MongoError('server', message, { ...fields, origin });
};
