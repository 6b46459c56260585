import type { MongoError } from './errors.js';

/**
 * Server error codes after which a write may be retried, such as those of a stepdown of the primary or a network error between
 * servers. Rule: Retryable Writes, "RetryableWriteError Labels".
 */
export const retryableWriteCodes: ReadonlySet<number> = new Set([
  11600, 11602, 10107, 13435, 13436, 189, 91, 7, 6, 89, 9001, 262,
]);

/**
 * Returns whether this is an overload error, after which a retry must wait. It is not always retryable: {@link isRetryableOverload}.
 * Rule: Client Backpressure, "Terms".
 */
export const isOverload = ({ labels }: MongoError): boolean => labels.includes('SystemOverloadedError');

/**
 * Returns whether an overloaded server rejected a command before starting to execute it. Such a command may be retried after a
 * backoff. Returns false for a reply with `ok: 1` and a write concern error, because the server applied the write.
 * Rule: Client Backpressure, "Retryable Overload Error".
 */
export const isRetryableOverload = (error: MongoError): boolean =>
  isOverload(error) && error.labels.includes('RetryableError') && Number(error.reply?.['ok']) !== 1;
