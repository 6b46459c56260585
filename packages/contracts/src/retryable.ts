import type { MongoError } from './errors.js';

/** A primary that is none any more, or a way to it that broke. Rule: Retryable Writes, "RetryableWriteError Labels". */
export const retryableWriteCodes: ReadonlySet<number> = new Set([
  11600, 11602, 10107, 13435, 13436, 189, 91, 7, 6, 89, 9001, 262,
]);

/**
 * The server has begun nothing of it, and any command may be tried again, later. What was done, though not as safely as was
 * asked, was begun, whatever its labels. Rule: Client Backpressure, "Retryable Overload Error".
 */
export const isRetryableOverload = ({ labels, reply }: MongoError): boolean =>
  labels.includes('SystemOverloadedError') && labels.includes('RetryableError') && Number(reply?.['ok']) !== 1;
