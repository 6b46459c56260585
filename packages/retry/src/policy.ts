import type { MongoError, Request, RetryDecision, RetryPolicy, TopologyType } from '@tessera/contracts';
import { isRetryableRead, isRetryableWrite } from './classify.js';
import { errorToRaise } from './raise.js';

/** Under the names of the connection string. */
export interface RetryPolicyOptions {
  readonly retryReads?: boolean | undefined;
  readonly retryWrites?: boolean | undefined;
}

export const policyDefaults: Required<{ readonly [K in keyof RetryPolicyOptions]: boolean }> = {
  retryReads: true,
  retryWrites: true,
};

/** How often one operation is tried again. Rules: Retryable Reads and Retryable Writes, without timeoutMS. */
const retries = 1;

/**
 * Tries what the specifications call retryable once again, at once; on a sharded cluster by another mongos if there is
 * one. Rules: Retryable Reads; Retryable Writes.
 */
export const createRetryPolicy = (options: RetryPolicyOptions = {}): RetryPolicy => {
  const { retryReads = policyDefaults.retryReads, retryWrites = policyDefaults.retryWrites } = options;

  const mayRetry = ({ operation }: Request<unknown>, error: MongoError): boolean => {
    if (!operation.retryable || operation.answer === 'none') return false;
    switch (operation.kind) {
      case 'read':
        return retryReads && isRetryableRead(error);
      case 'write':
        return retryWrites && isRetryableWrite(error);
      case 'either':
        // Nobody knows whether a command of the application's own may be repeated.
        return false;
    }
  };

  return {
    decide(request, failures, topology): RetryDecision {
      const newest = failures.at(-1);
      if (newest === undefined || failures.length > retries || !mayRetry(request, newest))
        return { retry: false, raise: errorToRaise(request, failures), because: 'It may not be tried again.' };
      return {
        retry: true,
        after: 0,
        avoid: addressToAvoid(newest, topology),
        because: 'It may be tried once more.',
      };
    },
  };
};

/** Rule: Retryable Reads, "Selecting the server for retry": members of a replica set may be asked again. */
const addressToAvoid = (error: MongoError, topology: TopologyType): string | undefined =>
  topology === 'Sharded' ? error.origin?.address : undefined;
