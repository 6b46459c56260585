import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { connectionString } from './connection-string.js';
import type { Deployment } from './deployment.js';

/** Sends a command to one server through a new client with a direct connection. */
export const onServer = async (
  { uri, runtime }: Deployment,
  address: string,
  database: string,
  command: Document,
): Promise<void> => {
  const alone = connectionString(uri.replace('loadBalanced=true', ''), {
    uriOptions: { directConnection: true },
    oneHost: true,
  });
  const there = alone.replace(/(?<=^mongodb:\/\/(?:[^@/]*@)?)[^/@]*(?=\/)/, address);
  const client = new MongoClient(there, {}, { runtime });
  try {
    await client.db(database).command(command);
  } finally {
    await client.close();
  }
};
