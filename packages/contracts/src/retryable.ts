import type { MongoError } from './errors.js';

/** Error codes after which a write may be retried: the primary stepped down, or the network failed. Rule: Retryable Writes, "RetryableWriteError Labels". */
export const retryableWriteCodes: ReadonlySet<number> = new Set([
  11600, 11602, 10107, 13435, 13436, 189, 91, 7, 6, 89, 9001, 262,
]);

/**
 * Returns whether the server rejected a command because of overload before it started it. Any such command may be retried, after
 * a backoff. A reply with `ok: 1` and a write concern error does not qualify, because the write was applied. Rule: Client Backpressure, "Retryable Overload Error".
 */
export const isRetryableOverload = ({ labels, reply }: MongoError): boolean =>
  labels.includes('SystemOverloadedError') && labels.includes('RetryableError') && Number(reply?.['ok']) !== 1;
