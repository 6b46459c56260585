import { expect, test } from 'vitest';
import { defaultOptions } from '../src/default-options.js';

test('options without a value have the defaults of the specifications', () => {
  expect(defaultOptions).toEqual({
    ...{ connectTimeoutMS: 30_000, socketTimeoutMS: 0 },
    ...{ maxPoolSize: 100, minPoolSize: 0, maxConnecting: 2, maxIdleTimeMS: 0, waitQueueTimeoutMS: 0 },
    ...{ directConnection: false, loadBalanced: false, heartbeatFrequencyMS: 10_000, minHeartbeatFrequencyMS: 500 },
    ...{ serverMonitoringMode: 'auto', serverSelectionTimeoutMS: 30_000, localThresholdMS: 15 },
    ...{ retryReads: true, retryWrites: true, maxAdaptiveRetries: 2, enableOverloadRetargeting: false },
  });
});
