import { MongoClient } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { createWire } from '@tessera/wire';
import { createDoorman } from './doorman.js';
import { createMemoryNetwork } from './memory-network.js';
import { npmCodec } from './npm-codec.js';
import { work } from './prove.js';
import { createRecorder } from './recording-wire.js';
import { createRotation } from './rotation.js';
import { createSignature } from './signature.js';
import { createSmallPools } from './small-pool.js';
import { createStubbornPolicy } from './stubborn-policy.js';

const node = createNode();
const runtime = { ...node, ...createMemoryNetwork(node) };
const server = createServer(runtime);
for (const door of ['one:1', 'two:1']) await server.listen(door);

const doorman = createDoorman(3);
const signature = createSignature('everything');
const recorder = createRecorder();
const client = new MongoClient('mongodb://one:1,two:1/', {
  runtime,
  monitorCommands: true,
  parts: {
    bson: npmCodec,
    wire: deps => recorder.wrap(createWire(deps)),
    pools: createSmallPools,
    topology: createRotation,
    retryPolicy: () => createStubbornPolicy({ budget: 5, gain: 1 }),
    outerLayers: [doorman.layer, signature.layer],
  },
});
const doors = new Set<string>();
client.on('commandStarted', ({ address }) => doors.add(address));
try {
  await work(client);
} finally {
  await client.close();
  await server.close();
}
const passed = [...doorman.passed.values()].reduce((sum, times) => sum + times, 0);
console.log(`passed ${passed}, heard ${signature.heard.length}, by doors: ${[...doors].sort().join(', ')}`);
console.log(`getMore: ${recorder.frames.get('getMore')?.sent} frames`);
