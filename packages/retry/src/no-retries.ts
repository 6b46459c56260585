import type { RetryPolicy } from '@tessera/contracts';
import { refuse } from './decision.js';

/** Every failure is its caller's: for those who retry themselves, and know what may be repeated. */
export const noRetries = (): RetryPolicy => ({
  decide: (request, failures) => refuse(request, failures, 'Not retried: this client retries nothing.'),
});
