import { MongoClient } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { topologySuite } from '@tessera/sim';
import type { TopologySuiteDeps } from '@tessera/sim';
import { prove, turn, work } from './prove.js';
import { createRotation } from './rotation.js';

const createDeployment: TopologySuiteDeps['createDeployment'] = (deps, seeds) => createRotation(deps, { seeds });
await prove('topologySuite', topologySuite({ createDeployment, turn }, { watches: false }));

const server = createServer(createNode());
const doors = [await server.listen('127.0.0.1:0'), await server.listen('127.0.0.1:0')].map(({ address }) => address);
const parts = { topology: createRotation };
const client = new MongoClient(`mongodb://${doors.join()}/`, { monitorCommands: true, parts });
const ways: number[] = [];
client.on('commandStarted', ({ address }) => ways.push(doors.indexOf(address)));
try {
  await work(client);
} finally {
  await client.close();
  await server.close();
}
console.log(`servers: ${ways.join(' ')}`);
