import type { BsonCodec } from '@tessera/contracts';
import { codecSuite } from '@tessera/sim';
import { npmCodec } from './npm-codec.js';
import { prove, withClient, work } from './prove.js';

await prove('codecSuite', codecSuite(npmCodec));
const used = { writers: 0, replies: 0 };
const bson: BsonCodec = {
  ...npmCodec,
  writer: () => {
    used.writers += 1;
    return npmCodec.writer();
  },
  read: (...given) => {
    used.replies += 1;
    return npmCodec.read(...given);
  },
};
await withClient({ parts: { bson } }, work);
console.log(`${used.writers} writer created, at least 15 replies read: ${used.replies >= 15}`);
