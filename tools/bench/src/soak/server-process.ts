/** The process of the servers. It sends its connection string, and then its memory for each message. */
import { startCluster } from 'tessera-server';
import { measureMemory } from './memory.js';

const cluster = await startCluster({ topology: 'replicaset', members: 3 });
process.on('message', () => process.send?.(measureMemory()));
process.on('disconnect', () => void cluster.close());
process.send?.(cluster.uri);
