import { startServer } from 'tessera-server';
import { bson } from '@tessera/bson';
import { MongoClient } from '@tessera/mongodb';
import { createNode } from '@tessera/node';
import { authenticatorSuite } from '@tessera/sim';
import { prove, work } from './prove.js';
import { fromVault } from './vault.js';

/** The conversation of RFC 7677, section 3. Its nonce is these bytes in base64. */
const bytes = [0xac, 0xea, 0x6b, 0x34, 0x67, 0xf0, 0x11, 0xb7, 0x91, 0x5a, 0x06, 0xcd, 0x12, 0x4a, 0x8e];
const nonce = 'rOprNGfwEbeRWgbNEkqO';
const node = createNode();
const random = { unit: () => node.random.unit(), bytes: () => Uint8Array.from(bytes) };
const credential = { username: 'user', password: undefined, source: 'admin', mechanism: undefined, properties: {} };
const step = (text: string, done = false) => {
  const payload = new bson.values.Binary(new TextEncoder().encode(text));
  return { conversationId: 1, payload, done, ok: 1 };
};
const first = step(`r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`);
const last = step('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=', true);
const suite = authenticatorSuite({
  createAuthenticator: () =>
    fromVault(() => Promise.resolve({ username: 'user', password: 'pencil' }))({ ...node, random, bson }, credential),
  replies: [first, last],
  impostors: [[{ ok: 1 }], [step('r=another,s=AAAA,i=4096')], [first, step('v=AAAA', true)]],
  secrets: ['pencil'],
});
await prove('authenticatorSuite', suite);

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
  console.log(`reads from the vault: ${asked}`);
} finally {
  await client.close();
  await late.close();
  await server.close();
}
