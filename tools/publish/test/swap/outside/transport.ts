import { MongoClient } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { transportSuite } from '@tessera/sim';
import { createMemoryNetwork } from './memory-network.js';
import { prove, work } from './prove.js';

const node = createNode();
const { transport, listener } = createMemoryNetwork(node);
await prove('transportSuite', transportSuite({ transport, listener, clock: node.clock }));

const runtime = { ...node, transport, listener };
const server = createServer(runtime);
const { address } = await server.listen('nowhere:27017');
const client = new MongoClient(`mongodb://${address}/`, { runtime, monitorCommands: true });
try {
  await work(client);
} finally {
  await client.close();
  await server.close();
}
