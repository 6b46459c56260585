import { MongoClient as OurClient } from '@tessera/mongodb';
import { MongoClient } from 'mongodb';
import { startServer } from 'tessera-server';
import { startRelay } from '../../rough/relay.js';
import { createCutter } from '../frames.js';
import { readMessage } from '../message.js';
import { isContainer } from '../bson/node.js';
import type { Node } from '../bson/node.js';
import { work } from './workload.js';

const shapeOf = (nodes: readonly Node[]): string =>
  nodes.map(({ name, type, value }) => `${name}:${type}${isContainer(value) ? `(${shapeOf(value)})` : ''}`).join();

/** Returns the shape of a frame. Requests that differ only in values have the same shape. */
const shapeOfFrame = (frame: Buffer): string => {
  const message = readMessage(frame);
  if (message === undefined) return `${frame.readInt32LE(12)}`;
  const [first] = message.sections;
  return `${message.flags}${String(message.compressed)}${first !== undefined && 'nodes' in first ? shapeOf(first.nodes) : ''}`;
};

/** Records the requests of this driver and of the official driver during a workload, one of each shape. */
export const record = async (): Promise<readonly Buffer[]> => {
  await using server = await startServer({ replicaSet: 'rs0' });
  const frames = new Map<string, Buffer>();
  const listen = (): ((chunk: Buffer) => void) => {
    const cutter = createCutter();
    return chunk => {
      for (const frame of cutter.add(chunk)) frames.set(shapeOfFrame(frame), frame);
    };
  };
  const relay = await startRelay({ transport: 'plain', port: Number(server.address.split(':')[1]), listen });
  for (const query of ['', '&compressors=zlib']) {
    for (const Client of [MongoClient, OurClient as unknown as typeof MongoClient]) {
      const client = new Client(`mongodb://127.0.0.1:${relay.port}/?directConnection=true${query}`);
      await work(client);
      await client.close();
    }
  }
  await relay.close();
  return [...frames.values()];
};
