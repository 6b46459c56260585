import { createLog } from '@tessera/log';
import { logSuite } from '@tessera/sim';
import { describe, test } from 'vitest';

describe('the contract of OpenLog', () => {
  for (const { name, run } of logSuite(createLog)) test(name, run);
});
