import { bson } from '@tessera/bson';
import { codecSuite } from '@tessera/sim';
import { describe, test } from 'vitest';

describe('@tessera/bson fulfils the contract of BsonCodec', () => {
  for (const { name, run } of codecSuite(bson)) test(name, run);
});
