import { bson } from '@tessera/bson';
import type { CreateConnect } from '@tessera/contracts';
import { connectSuite } from '@tessera/sim';
import { prove, turn, withClient, work } from './prove.js';
import { createSmallConnect } from './small-connect.js';
import { createSmallWire } from './small-wire.js';

await prove(
  'connectSuite',
  connectSuite({ createConnect: createSmallConnect, createWire: createSmallWire, bson, turn }),
);
const opened = { operations: 0, monitor: 0 };
const connect: CreateConnect = (deps, options) => {
  const open = createSmallConnect(deps, options);
  return (to, how) => {
    opened[how.use] += 1;
    return open(to, how);
  };
};
await withClient({ parts: { connect }, maxPoolSize: 1 }, work);
console.log(`connections for operations: ${opened.operations}, connections for monitors: ${opened.monitor > 0}`);
