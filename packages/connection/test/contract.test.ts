import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import { connectSuite } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { describe, test } from 'vitest';
import { settle as turn } from './stage.js';

describe('the contract of CreateConnect', () => {
  for (const { name, run } of connectSuite({ createConnect, createWire, bson, turn })) test(name, run);
});
