export { createRetry, retryDefaults } from './retry.js';
export type { RetryDeps, RetryOptions } from './retry.js';
export { createRetryPolicy, policyDefaults } from './policy.js';
export type { RetryPolicyOptions } from './policy.js';
export { errorToRaise } from './raise.js';
