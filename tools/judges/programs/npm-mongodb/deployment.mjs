import { setTimeout } from 'node:timers/promises';

/** The deployment, as the environment variables describe it. */
export const uri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/';
export const topology = process.env.TOPOLOGY ?? 'standalone';
export const isSet = topology.startsWith('replicaset');
/** Whether the deployment supports transactions and change streams. */
export const hasLog = topology !== 'standalone';
export const isTls = uri.includes('tls=true');

export const noLog = 'a standalone server has no oplog';
export const noStepDown = 'only a member of a replica set can step down';

/**
 * Makes the primary step down, which may close the connection before its reply. First waits until members that stepped down
 * before can be elected again.
 * @param {import('mongodb').MongoClient} client
 */
export async function stepDown(client) {
  await setTimeout(1100);
  await client
    .db('admin')
    .command({ replSetStepDown: 1, force: true })
    .catch(error => {
      if (error.name !== 'MongoNetworkError' && !/not primary|closed/i.test(error.message)) throw error;
    });
}
