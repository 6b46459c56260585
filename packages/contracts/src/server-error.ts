import { MongoError } from './errors.js';
import type { MongoErrorOptions, Origin } from './errors.js';
import { numberOf, textOf } from './server-values.js';
import type { Document } from './values.js';

/** The error fields of a server's reply: the message, and the options of a `MongoError`. */
export interface ErrorFields extends MongoErrorOptions {
  /** Undefined if the server sent none. */
  readonly message: string | undefined;
}

/**
 * Reads the error fields of a reply. Pass a write error or write concern error inside the reply as `part`; the default is the reply
 * itself. Labels are always read from the reply. A field of an unexpected type counts as missing.
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

/**
 * Returns the write concern error of a reply with `ok: 1`: the server executed the command but did not satisfy its write
 * concern.
 */
export const unsatisfiedConcernOf = (reply: Document | undefined): Document | undefined =>
  Number(reply?.['ok']) === 1 ? writeConcernErrorOf(reply) : undefined;

const noReason = 'the server gave no reason';

/**
 * Creates the error for a reply with `ok: 0`, with the server's message, code and labels and the whole reply.
 * @param command the name of a command that the driver sent without a call of the user. Then the message contains the command
 * and the server
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
 * Creates the error for a write that was applied without satisfying its write concern. The retry layer decides about
 * errors only, so the attempt throws this error. Its `reply` contains both the result and the write concern error. Rule:
 * Retryable Writes, "Determining Retryable Write Errors".
 */
export const writeConcernError = (reply: Document, origin?: Origin): MongoError => {
  const fields = errorFieldsOf(reply, writeConcernErrorOf(reply));
  const message = `The write concern was not satisfied: ${fields.message ?? noReason}`;
  return new MongoError('server', message, { ...fields, origin });
};
