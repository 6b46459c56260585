import { createNode } from '@tessera/node';
import { compressorSuite } from '@tessera/sim';
import { describe, test } from 'vitest';

describe.each(createNode().compressors)('the $name of Node.js fulfills the contract of Compressor', compressor => {
  for (const { name, run } of compressorSuite(compressor)) test(name, run);
});
