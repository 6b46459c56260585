import type { Document, PoolOptions } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

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

/** @throws MongoError `usage` for numbers that cannot be. */
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
  requireThat(isCount(maxPoolSize), `maxPoolSize must be a whole number from 0 (no limit), not ${maxPoolSize}`);
  requireThat(isCount(minPoolSize), `minPoolSize must be a whole number from 0, not ${minPoolSize}`);
  requireThat(
    maxPoolSize === 0 || minPoolSize <= maxPoolSize,
    `minPoolSize (${minPoolSize}) must not be greater than maxPoolSize (${maxPoolSize})`,
  );
  requireThat(maxIdleTimeMS >= 0, `maxIdleTimeMS must be 0 (for ever) or more, not ${maxIdleTimeMS}`);
  requireThat(isCount(maxConnecting) && maxConnecting > 0, `maxConnecting must be 1 or more, not ${maxConnecting}`);
  requireThat(waitQueueTimeoutMS >= 0, `waitQueueTimeoutMS must be 0 (for ever) or more, not ${waitQueueTimeoutMS}`);
  requireThat(connectTimeoutMS >= 0, `connectTimeoutMS must be 0 (for ever) or more, not ${connectTimeoutMS}`);
  requireThat(timeoutMS >= 0, `timeoutMS must be 0 (for ever) or more, not ${timeoutMS}`);
  return options;
};

/** What the pool's first event tells. Rule: "Any non-default pool options that were set on this Connection Pool." */
export const unusualOptions = ({ connectTimeoutMS: _, timeoutMS: __, ...options }: PoolOptions): Document =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== defaults[name as keyof PoolOptions]));
