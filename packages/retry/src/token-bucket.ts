import type { RetryPolicy } from '@tessera/contracts';
import { decideBy, refuse } from './decision.js';
import { checkRange, retryFlagDefaults } from './options.js';
import { backoff, endsOverloaded } from './overload.js';
import type { RetryFlags } from './options.js';

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions extends RetryFlags {
  /** The initial and maximum number of tokens; at least 1. Default 1000. */
  readonly capacity?: number | undefined;
}

/** The defaults of {@link TokenBucketOptions}. */
export const tokenBucketDefaults: Required<{
  readonly [K in keyof TokenBucketOptions]: NonNullable<TokenBucketOptions[K]>;
}> = { ...retryFlagDefaults, capacity: 1000 };

const overloadRetries = 5;
/** The bucket counts tenths of a token, so that ten successes return exactly one. */
const token = 10;
const returned = 1;

/**
 * Creates a policy that retries any command after a retryable overload error, while it has tokens. If an overload lasts, the tokens
 * run out and overload errors are not retried. Once an attempt has failed with an overload error, five is the limit of all retries of
 * the operation. Otherwise it decides like {@link createRetryPolicy}. Every retry uses another server if possible.
 *
 * The tokens belong to the returned policy. Clients that share it share the tokens.
 *
 * - A retry after an overload error takes a token when it is scheduled, before its backoff.
 * - An operation that succeeds returns a tenth of a token, and after a retry one token more.
 * - A retry that fails with another error returns one token. The bucket never has more tokens than `capacity`.
 * - The backoff is random: less than 100 ms before the first retry. The limit doubles with each retry, up to 10 s. `baseBackoffMS` is
 *   ignored.
 *
 * Rule: "Token Bucket" in the first published version of Client Backpressure.
 * @throws MongoError `usage` if `capacity` is not a number of at least 1
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
    flags: { retryReads, retryWrites },
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
        // A retry that failed for another reason returns its token, because the server was not overloaded.
        if (failures.length > 1) deposit(token);
      } else if (outcome === 'retry') left -= token;
    },
  };
};
