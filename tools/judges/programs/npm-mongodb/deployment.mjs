import { setTimeout } from 'node:timers/promises';

/** What the program runs on, as the environment tells. */
export const uri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/';
export const topology = process.env.TOPOLOGY ?? 'standalone';
export const isSet = topology.startsWith('replicaset');
/** Sessions with transactions, and change streams. */
export const hasLog = topology !== 'standalone';
export const isTls = uri.includes('tls=true');

export const noLog = 'a standalone has no oplog';
export const noStepDown = 'only a member of a replica set steps down';

/**
 * The primary hands over. It closes connections, or answers first: both are fine. Before, members that did so themselves may
 * be elected again.
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
