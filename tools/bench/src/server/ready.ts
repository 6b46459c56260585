// Starts a replica set of three members and reports the milliseconds until all have replied.
import { startCluster } from 'tessera-server';
import { frameOf } from './frames.js';
import { openLoad } from './load.js';

const began = performance.now();
const cluster = await startCluster({ members: 3 });
const ports = cluster.addresses.map(address => Number(address.slice(address.lastIndexOf(':') + 1)));
const answers = await Promise.all(
  ports.map(async port => {
    const load = await openLoad(port, 1);
    const answer = await load.ask(frameOf({ hello: 1, $db: 'admin' }));
    load.close();
    return answer;
  }),
);
const milliseconds = performance.now() - began;
const [primaries, secondaries] = ['isWritablePrimary', 'secondary'].map(
  state => answers.filter(answer => answer[state] === true).length,
);
if (primaries !== 1 || secondaries !== 2)
  throw new Error(`Expected 1 primary and 2 secondaries, got ${primaries} and ${secondaries}.`);
process.send?.(milliseconds);
process.disconnect();
await cluster.close();
