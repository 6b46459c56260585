import { colours } from '../picture/index.js';
import type { RetryPolicy } from '@tessera/contracts';
import { createRetryPolicy, noRetries, tokenBucket } from '@tessera/retry';
import type { Parameters } from './parameters.js';

/** Who decides about retries. */
export interface Policy {
  readonly name: string;
  readonly colour: string;
  /** What the driver of each client does. */
  readonly make: () => RetryPolicy;
  /** How often the application itself tries, at once after each error. */
  readonly tries: (parameters: Parameters) => number;
}

const once = (): number => 1;
const [blue, red, violet, orange, green] = colours.curves;

export const policies: readonly Policy[] = [
  { name: 'no retries', colour: blue, make: noRetries, tries: once },
  { name: 'naive retries', colour: red, make: noRetries, tries: ({ naiveTries }) => naiveTries },
  { name: 'the default', colour: green, make: () => createRetryPolicy(), tries: once },
  { name: 'token bucket', colour: violet, make: () => tokenBucket(), tries: once },
  { name: 'token bucket of 10', colour: orange, make: () => tokenBucket({ capacity: 10 }), tries: once },
];
