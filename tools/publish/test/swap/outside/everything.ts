import { MongoClient } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { createDoorman } from './doorman.js';
import { hostZlib } from './host-zlib.js';
import { createMemoryNetwork } from './memory-network.js';
import { npmCodec } from './npm-codec.js';
import { work } from './prove.js';
import { createRecorder } from './recording-wire.js';
import { createRotation } from './rotation.js';
import { createSignature } from './signature.js';
import { createSmallConnect } from './small-connect.js';
import { openSmallLog } from './small-log.js';
import { createSmallPools } from './small-pool.js';
import { createSmallWire } from './small-wire.js';
import { createStubbornPolicy } from './stubborn-policy.js';

const node = createNode();
const runtime = { ...node, ...createMemoryNetwork(node) };
const server = createServer(runtime);
for (const door of ['one:1', 'two:1']) await server.listen(door);

const doorman = createDoorman(3);
const signature = createSignature('everything');
const recorder = createRecorder();
let logged = 0;
const client = new MongoClient('mongodb://one:1,two:1/', {
  runtime,
  monitorCommands: true,
  compressors: ['zlib'],
  mongodbLogPath: { write: () => (logged += 1) },
  mongodbLogComponentSeverities: { command: 'debug' },
  parts: {
    bson: npmCodec,
    wire: deps => recorder.wrap(createSmallWire(deps)),
    connect: createSmallConnect,
    compressors: [hostZlib],
    log: openSmallLog,
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
console.log(`${passed} operations, ${signature.results.length} replies, servers: ${[...doors].sort().join(', ')}`);
console.log(`${logged} log messages`);
console.log(`getMore: ${recorder.frames.get('getMore')?.sent} frames`);
