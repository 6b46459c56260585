import { compressorSuite } from '@tessera/sim';
import { createCounting } from './counting-compressor.js';
import { hostZlib } from './host-zlib.js';
import { prove, withClient, work } from './prove.js';

await prove('compressorSuite', compressorSuite(hostZlib));
const zlib = createCounting(hostZlib);
await withClient({ compressors: ['zlib'], parts: { compressors: [zlib] } }, async client => {
  await work(client);
  console.log(`compressed ${zlib.packed}, decompressed ${zlib.unpacked}`);
});
