import type { MongoError } from '@tessera/contracts';

const notWritablePrimary: ReadonlySet<number> = new Set([10107, 13435, 10058]);
const shuttingDown: ReadonlySet<number> = new Set([11600, 91]);
const recovering: ReadonlySet<number> = new Set([11602, 13436, 189, ...shuttingDown]);
/** What an error without a code says; the second is how the test plan words the first. */
const words = ['not master', 'not writable primary', 'node is recovering'] as const;

/**
 * Whether the server says that it is not what it was taken for. The text decides only where there is no code.
 * Rule: Server Discovery and Monitoring, "'not writable primary' and 'node is recovering'".
 */
export const isStateChange = (error: MongoError): boolean => {
  if (error.kind !== 'server') return false;
  if (error.code !== undefined && error.code !== 0)
    return notWritablePrimary.has(error.code) || recovering.has(error.code);
  return words.some(word => error.message.includes(word));
};

/** Rule: the same section, "node is shutting down". */
export const isShutdown = (error: MongoError): boolean =>
  error.kind === 'server' && error.code !== undefined && shuttingDown.has(error.code);
