import { bson } from '@tessera/bson';
import { wireSuite } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { describe, test } from 'vitest';

describe('@tessera/wire fulfils the contract of WireCodec', () => {
  for (const { name, run } of wireSuite({ createWire, bson })) test(name, run);
});
