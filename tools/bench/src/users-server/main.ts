// The embedded server in a process of its own, with users. It derives the keys of each when he comes for the first time; `all` lets
// everybody come before it says that it is ready, so that neither driver waits for that.
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { regular, strangers } from '../users.js';
import type { User } from '../users.js';

const everybody = [regular, ...strangers];
const server = await startServer({ users: everybody });
process.on('disconnect', () => void server.close());

const visit = async ({ user, pwd }: User): Promise<void> => {
  await using client = new MongoClient(server.uri, { auth: { username: user, password: pwd } });
  await client.db('admin').command({ ping: 1 });
};
if (process.argv[2] === 'all') for (const user of everybody) await visit(user);
process.send!({ port: Number(server.address.split(':').at(-1)) });
