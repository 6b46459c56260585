import { colors } from '../picture/index.js';
import type { RetryPolicy } from '@tessera/contracts';
import { createRetryPolicy, noRetries, tokenBucket } from '@tessera/retry';
import type { Parameters } from './parameters.js';

/** A retry policy under test. */
export interface Policy {
  readonly name: string;
  readonly color: string;
  /** Creates the retry policy of each client's driver. */
  readonly make: () => RetryPolicy;
  /** Returns how often the application tries each operation, without waiting. */
  readonly tries: (parameters: Parameters) => number;
}

const once = (): number => 1;
const [blue, red, violet, orange, green] = colors.curves;

export const policies: readonly Policy[] = [
  { name: 'no retries', color: blue, make: noRetries, tries: once },
  { name: 'naive retries', color: red, make: noRetries, tries: ({ naiveTries }) => naiveTries },
  { name: 'the default', color: green, make: () => createRetryPolicy(), tries: once },
  { name: 'token bucket', color: violet, make: () => tokenBucket(), tries: once },
  { name: 'token bucket of 10', color: orange, make: () => tokenBucket({ capacity: 10 }), tries: once },
];
