import { compressorSuite } from '@tessera/sim';
import { createZstd } from '@tessera/zstd';
import { describe, test } from 'vitest';

describe('createZstd fulfills the contract of Compressor', () => {
  for (const { name, run } of compressorSuite(createZstd())) test(name, run);
});
