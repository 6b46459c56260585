// The adapter of Auth.js for MongoDB: users, accounts, sessions and tokens.
import { createRequire } from 'node:module';
import { MongoDBAdapter } from '@auth/mongodb-adapter';
import { MongoClient } from 'mongodb';

const { uri, step, done } = createRequire(import.meta.url)('./report.cjs');

const client = new MongoClient(uri);
await client.db('auth').dropDatabase();
const adapter = MongoDBAdapter(Promise.resolve(client), { databaseName: 'auth' });
const user = await adapter.createUser({ id: 'ignored', email: 'ann@example.com', emailVerified: null, name: 'Ann' });
const withoutId = found => found && Object.fromEntries(Object.entries(found).filter(([name]) => name !== 'id'));

await step('users', async () => [
  typeof user.id,
  withoutId(await adapter.getUser(user.id)),
  withoutId(await adapter.getUserByEmail('ann@example.com')),
  withoutId(await adapter.updateUser({ id: user.id, name: 'Anna' })),
  await adapter.getUserByEmail('nobody@example.com'),
]);
await step('accounts', async () => {
  await adapter.linkAccount({ userId: user.id, type: 'oauth', provider: 'github', providerAccountId: '42' });
  const found = await adapter.getUserByAccount({ provider: 'github', providerAccountId: '42' });
  await adapter.unlinkAccount({ provider: 'github', providerAccountId: '42' });
  return [found.name, await adapter.getUserByAccount({ provider: 'github', providerAccountId: '42' })];
});
await step('sessions', async () => {
  const expires = new Date(Date.now() + 60_000);
  await adapter.createSession({ sessionToken: 't', userId: user.id, expires });
  const { session, user: owner } = await adapter.getSessionAndUser('t');
  const updated = await adapter.updateSession({ sessionToken: 't', expires: new Date(Date.now() + 90_000) });
  await adapter.deleteSession('t');
  return [session.sessionToken, owner.name, updated.sessionToken, await adapter.getSessionAndUser('t')];
});
await step('verification tokens', async () => {
  const token = { identifier: 'ann@example.com', token: 'x', expires: new Date(Date.now() + 60_000) };
  await adapter.createVerificationToken(token);
  return [
    await adapter.useVerificationToken({ identifier: token.identifier, token: 'x' }),
    await adapter.useVerificationToken({ identifier: token.identifier, token: 'x' }),
  ];
});
await step('deletion', async () => {
  await adapter.deleteUser(user.id);
  return adapter.getUser(user.id);
});
await client.close();
done();
