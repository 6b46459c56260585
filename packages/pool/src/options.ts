import type { Document, PoolOptions } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** The defaults of all options. */
export const defaults: PoolOptions = {
  maxPoolSize: 100,
  minPoolSize: 0,
  maxIdleTimeMS: 0,
  maxConnecting: 2,
  waitQueueTimeoutMS: 0,
  connectTimeoutMS: 30_000,
  timeoutMS: 0,
};

const requireThat = (holds: boolean, sentence: string): void => {
  if (!holds) throw new MongoError('usage', sentence);
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;

/**
 * Returns the options with the defaults for missing ones.
 * @throws MongoError `usage` for invalid numbers
 */
export const resolveOptions = (given: Partial<PoolOptions>): PoolOptions => {
  const options: PoolOptions = {
    maxPoolSize: given.maxPoolSize ?? defaults.maxPoolSize,
    minPoolSize: given.minPoolSize ?? defaults.minPoolSize,
    maxIdleTimeMS: given.maxIdleTimeMS ?? defaults.maxIdleTimeMS,
    maxConnecting: given.maxConnecting ?? defaults.maxConnecting,
    waitQueueTimeoutMS: given.waitQueueTimeoutMS ?? defaults.waitQueueTimeoutMS,
    connectTimeoutMS: given.connectTimeoutMS ?? defaults.connectTimeoutMS,
    timeoutMS: given.timeoutMS ?? defaults.timeoutMS,
  };
  const { maxPoolSize, minPoolSize, maxIdleTimeMS, maxConnecting, waitQueueTimeoutMS } = options;
  const { connectTimeoutMS, timeoutMS } = options;
  requireThat(isCount(maxPoolSize), `"maxPoolSize" must be a whole number from 0 (no limit), not ${maxPoolSize}.`);
  requireThat(isCount(minPoolSize), `"minPoolSize" must be a whole number from 0, not ${minPoolSize}.`);
  requireThat(
    maxPoolSize === 0 || minPoolSize <= maxPoolSize,
    `"minPoolSize" (${minPoolSize}) must not be greater than "maxPoolSize" (${maxPoolSize}).`,
  );
  requireThat(maxIdleTimeMS >= 0, `"maxIdleTimeMS" must be 0 (no limit) or more, not ${maxIdleTimeMS}.`);
  requireThat(
    isCount(maxConnecting) && maxConnecting > 0,
    `"maxConnecting" must be a whole number from 1, not ${maxConnecting}.`,
  );
  requireThat(waitQueueTimeoutMS >= 0, `"waitQueueTimeoutMS" must be 0 (no limit) or more, not ${waitQueueTimeoutMS}.`);
  requireThat(connectTimeoutMS >= 0, `"connectTimeoutMS" must be 0 (no limit) or more, not ${connectTimeoutMS}.`);
  requireThat(timeoutMS >= 0, `"timeoutMS" must be 0 (no limit) or more, not ${timeoutMS}.`);
  return options;
};

/**
 * Returns the options in ConnectionPoolCreatedEvent, except options with their default value.
 * Rule: Connection Monitoring and Pooling, "Events".
 */
export const nonDefaultOptions = ({ connectTimeoutMS: _, timeoutMS: __, ...options }: PoolOptions): Document =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== defaults[name as keyof PoolOptions]));
