import type { MongoError } from './errors.js';

/**
 * Server error codes after which a write may be retried, such as those of a stepdown of the primary or a network error between
 * servers. Rule: Retryable Writes, "RetryableWriteError Labels".
 */
export const retryableWriteCodes: ReadonlySet<number> = new Set([
  11600, 11602, 10107, 13435, 13436, 189, 91, 7, 6, 89, 9001, 262,
]);

/**
 * Returns whether an overloaded server rejected a command before starting to execute it. Such a command may be retried after a
 * backoff. Returns false for a reply with `ok: 1` and a write concern error, because the server applied the write.
 * Rule: Client Backpressure, "Retryable Overload Error".
 */
export const isRetryableOverload = ({ labels, reply }: MongoError): boolean =>
  labels.includes('SystemOverloadedError') && labels.includes('RetryableError') && Number(reply?.['ok']) !== 1;
