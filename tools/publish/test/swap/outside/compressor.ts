import { createZlib } from '@tessera/node';
import { createCounting } from './counting-compressor.js';
import { withClient, work } from './prove.js';

const zlib = createCounting(createZlib({ level: 1 }));
await withClient({ compressors: ['zlib'], parts: { compressors: [zlib] } }, async client => {
  await work(client);
  console.log(`packed ${zlib.packed}, unpacked ${zlib.unpacked}`);
});
