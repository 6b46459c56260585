import { MongoError } from './errors.js';
import type { MongoErrorOptions, Origin } from './errors.js';
import { numberOf, textOf } from './server-values.js';
import type { Document } from './values.js';

/** The fields of an error in a server's reply: its message, undefined if there is none, and the options of a `MongoError`. */
export interface ErrorFields extends MongoErrorOptions {
  readonly message: string | undefined;
}

/**
 * Reads the fields of a reply's error, or of a part of the reply: a write error or a write concern error. Labels are always in
 * the reply itself. A field of another type than its own counts as missing; the reply keeps it.
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

/** Returns the write concern error of a reply, or undefined. One that is no document becomes an empty document. */
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
 * The error of a reply that is `ok: 0`: the server's own message, its code and labels, and the whole reply.
 * @param command for commands of the driver itself, whose callers know neither command nor server: the message names both
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
 * The error of a write that was done, but not as safely as was asked; the reply tells both. It is an error so that the write
 * can be retried. Rule: Retryable Writes, "Determining Retryable Write Errors".
 */
export const writeConcernError = (reply: Document, origin?: Origin): MongoError => {
  const fields = errorFieldsOf(reply, writeConcernErrorOf(reply));
  const message = `The write concern was not satisfied: ${fields.message ?? noReason}`;
  return new MongoError('server', message, { ...fields, origin });
};
