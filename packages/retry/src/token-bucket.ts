import type { RetryPolicy } from '@tessera/contracts';
import { decideBy, refuse } from './decision.js';
import { checkRange, gateDefaults } from './options.js';
import { backoff, endsOverloaded } from './overload.js';
import type { Gates } from './options.js';

export interface TokenBucketOptions extends Gates {
  /** The number of tokens in the bucket at first, and the most that it holds. */
  readonly capacity?: number | undefined;
}

export const tokenBucketDefaults: Required<{
  readonly [K in keyof TokenBucketOptions]: NonNullable<TokenBucketOptions[K]>;
}> = { ...gateDefaults, capacity: 1000 };

const overloadRetries = 5;
/** The bucket counts tenths of a token, so that ten successes return exactly one. */
const token = 10;
const returned = 1;

/**
 * Retries often while a server is overloaded for a moment, and seldom if it stays overloaded: each retry after an overload
 * error takes a token from the client's bucket, and only operations that reach a healthy server return tokens.
 * Rule: Client Backpressure as it was proposed at first, "Token Bucket".
 * @throws MongoError `usage` for a capacity that is not a number of at least 1.
 */
export const tokenBucket = (options: TokenBucketOptions = {}): RetryPolicy => {
  const {
    retryReads = tokenBucketDefaults.retryReads,
    retryWrites = tokenBucketDefaults.retryWrites,
    capacity = tokenBucketDefaults.capacity,
  } = options;
  checkRange('capacity', capacity, 1);
  const most = capacity * token;
  let left = most;
  const deposit = (given: number): void => {
    left = Math.min(most, left + given);
  };
  const decide = decideBy({
    gates: { retryReads, retryWrites },
    overloadRetries,
    backoff: (retry, _error, chance) => backoff(retry - 1, chance),
    avoids: () => true,
  });

  return {
    decide(failed) {
      const decision = decide(failed);
      if (!decision.retry || !endsOverloaded(failed.failures) || left >= token) return decision;
      return refuse(failed, 'Not retried: the server is overloaded, and the bucket has no token left.');
    },
    observe({ failures, outcome }) {
      if (outcome === 'success') deposit(failures.length > 0 ? returned + token : returned);
      else if (!endsOverloaded(failures)) {
        // A retry that failed for another reason returns its token: the server was not overloaded.
        if (failures.length > 1) deposit(token);
      } else if (outcome === 'retry') left -= token;
    },
  };
};
