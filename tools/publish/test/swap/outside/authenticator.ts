import { startServer } from 'tessera-server';
import { MongoClient } from '@tessera/mongodb';
import { work } from './prove.js';
import { fromVault } from './vault.js';

let password = 'pencil';
let asked = 0;
const vault = fromVault(() => {
  asked += 1;
  return Promise.resolve({ username: 'ada', password });
});

const server = await startServer({ users: [{ user: 'ada', pwd: password }] });
const auth = { username: 'ada', password: 'in the vault' };
const open = (): MongoClient =>
  new MongoClient(server.uri, { auth, monitorCommands: true, parts: { authenticators: { DEFAULT: vault } } });
const [client, late] = [open(), open()];
try {
  await work(client);
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
  console.log(`logged in: ${JSON.stringify((authInfo as { authenticatedUsers: unknown }).authenticatedUsers)}`);
  password = 'eraser';
  await client.db('admin').command({ updateUser: 'ada', pwd: password });
  console.log(`with the new password: ${await late.db('shop').collection('items').countDocuments()}`);
  console.log(`the vault was asked: ${asked}`);
} finally {
  await client.close();
  await late.close();
  await server.close();
}
