import { createPools } from '@tessera/pool';
import { poolSuite } from '@tessera/sim';
import { describe, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('poolSuite', () => {
  for (const { name, run } of poolSuite({ createPools, turn })) test(name, run);
});
