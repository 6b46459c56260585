import { createZlib } from '@tessera/node';
import { compressorSuite } from '@tessera/sim';
import { createCounting } from './counting-compressor.js';
import { prove, withClient, work } from './prove.js';

await prove('compressorSuite', compressorSuite(createCounting(createZlib({ level: 1 }))));
const zlib = createCounting(createZlib({ level: 1 }));
await withClient({ compressors: ['zlib'], parts: { compressors: [zlib] } }, async client => {
  await work(client);
  console.log(`packed ${zlib.packed}, unpacked ${zlib.unpacked}`);
});
