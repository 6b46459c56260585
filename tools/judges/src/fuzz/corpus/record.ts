import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MongoClient as OurClient } from '@tessera/mongodb';
import { MongoClient } from 'mongodb';
import { startServer } from 'tessera-server';
import { readMessage } from '../message.js';
import { isContainer } from '../bson/node.js';
import type { Node } from '../bson/node.js';
import { work } from './workload.js';

/** What is sent to a port through a port of its own. */
const listenBefore = async (port: number, hear: (frame: Buffer) => void) => {
  const proxy = createServer(client => {
    const server = connect(port, '127.0.0.1');
    let pending = Buffer.alloc(0);
    client.on('data', chunk => {
      server.write(chunk);
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const length = pending.readInt32LE(0);
        hear(Buffer.from(pending.subarray(0, length)));
        pending = pending.subarray(length);
      }
    });
    server.pipe(client);
    for (const socket of [client, server])
      socket
        .on('error', () => undefined)
        .on('close', () => {
          client.destroy();
          server.destroy();
        });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() };
};

const shapeOf = (nodes: readonly Node[]): string =>
  nodes.map(({ name, type, value }) => `${name}:${type}${isContainer(value) ? `(${shapeOf(value)})` : ''}`).join();

/** Of several requests that differ in values only, one. */
const shapeOfFrame = (frame: Buffer): string => {
  const message = readMessage(frame);
  if (message === undefined) return `${frame.readInt32LE(12)}`;
  const [first] = message.sections;
  return `${message.flags}${String(message.compressed)}${first !== undefined && 'nodes' in first ? shapeOf(first.nodes) : ''}`;
};

/** The requests of this driver and of the official one while they do their work, each kind once. */
export const record = async (): Promise<readonly Buffer[]> => {
  await using server = await startServer({ replicaSet: 'rs0' });
  const frames = new Map<string, Buffer>();
  const proxy = await listenBefore(Number(server.address.split(':')[1]), frame => {
    frames.set(shapeOfFrame(frame), frame);
  });
  for (const query of ['', '&compressors=zlib']) {
    for (const Client of [MongoClient, OurClient as unknown as typeof MongoClient]) {
      const client = new Client(`mongodb://127.0.0.1:${proxy.port}/?directConnection=true${query}`);
      await work(client);
      await client.close();
    }
  }
  proxy.close();
  return [...frames.values()];
};
