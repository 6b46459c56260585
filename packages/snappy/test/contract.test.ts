import { compressorSuite } from '@tessera/sim';
import { createSnappy } from '@tessera/snappy';
import { describe, test } from 'vitest';

describe('createSnappy fulfills the contract of Compressor', () => {
  for (const { name, run } of compressorSuite(createSnappy())) test(name, run);
});
