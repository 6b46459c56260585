// Runs the embedded server with users in a separate process. The server derives a user's keys at the first login. With
// the argument
// `all`, every user logs in before the process reports that it is ready, so that neither driver waits for the
// derivation.
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { regular, slowApp, slowPing, strangers } from '../users.js';
import type { User } from '../users.js';

const users = [regular, ...strangers];
const server = await startServer({ users, testCommands: true });
process.on('disconnect', () => void server.close());

const login = async ({ user, pwd }: User): Promise<void> => {
  await using client = new MongoClient(server.uri, { auth: { username: user, password: pwd } });
  await client.db('admin').command({ ping: 1 });
};
/** Delays the pings of one application, so that each needs a connection of its own. */
const delayPings = async ({ user, pwd }: User): Promise<void> => {
  await using client = new MongoClient(server.uri, { auth: { username: user, password: pwd } });
  const data = { failCommands: ['ping'], blockConnection: true, blockTimeMS: slowPing, appName: slowApp };
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
};
await delayPings(regular);
if (process.argv[2] === 'all') for (const user of users) await login(user);
process.send!({ port: Number(server.address.split(':').at(-1)) });
