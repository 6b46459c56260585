import { MongoClient } from '@tessera/mongodb';
import type { Parts } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { topologySuite } from '@tessera/sim';
import { prove, turn, work } from './prove.js';
import { createRotation } from './rotation.js';

const createDeployment = ({ openPool }: Parameters<Parts['topology']>[0], seeds: readonly string[]) =>
  createRotation(openPool, seeds);
await prove('topologySuite', topologySuite({ createDeployment, turn }, { watches: false }));

const server = createServer(createNode());
const doors = [await server.listen('127.0.0.1:0'), await server.listen('127.0.0.1:0')].map(({ address }) => address);
const topology: Parts['topology'] = (deps, { seeds }) => createDeployment(deps, seeds);
const client = new MongoClient(`mongodb://${doors.join()}/`, { monitorCommands: true, parts: { topology } });
const ways: number[] = [];
client.on('commandStarted', ({ address }) => ways.push(doors.indexOf(address)));
try {
  await work(client);
} finally {
  await client.close();
  await server.close();
}
console.log(`doors: ${ways.join(' ')}`);
