// Sessions of express that connect-mongo stores in MongoDB.
import { createRequire } from 'node:module';
import { once } from 'node:events';
import MongoStore from 'connect-mongo';
import express from 'express';
import session from 'express-session';
import { MongoClient } from 'mongodb';

const { uri, step, done, thrownBy } = createRequire(import.meta.url)('./report.cjs');

const client = await MongoClient.connect(uri);
await client.db('sessions').dropDatabase();

const visits = async store => {
  const app = express();
  app.use(session({ secret: 'cat', resave: false, saveUninitialized: false, store }));
  app.get('/', (request, response) => {
    request.session.views = (request.session.views ?? 0) + 1;
    response.send(`${request.session.views} views`);
  });
  app.get('/leave', (request, response) => request.session.destroy(() => response.send('left')));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `http://127.0.0.1:${server.address().port}`;
  const first = await fetch(at);
  const cookie = first.headers.get('set-cookie').split(';')[0];
  const texts = [await first.text()];
  for (const path of ['/', '/', '/leave', '/'])
    texts.push(await (await fetch(at + path, { headers: { cookie } })).text());
  server.closeAllConnections();
  server.close();
  return texts;
};

await step('a store with a connection string', async () => {
  const store = MongoStore.create({ mongoUrl: uri, dbName: 'sessions', collectionName: 'one' });
  const texts = await visits(store);
  await store.close();
  return texts;
});
await step('a store with a client', () =>
  visits(MongoStore.create({ client, dbName: 'sessions', collectionName: 'two', touchAfter: 10 })),
);
await step('a store with a promise of a client, and unacknowledged writes', () =>
  visits(
    MongoStore.create({
      clientPromise: Promise.resolve(client),
      dbName: 'sessions',
      collectionName: 'three',
      writeOperationOptions: { writeConcern: { w: 1 } },
    }),
  ),
);
const called = (store, method, ...args) =>
  new Promise((resolve, reject) => store[method](...args, (error, value) => (error ? reject(error) : resolve(value))));
await step('the methods of the store', async () => {
  const store = MongoStore.create({ client, dbName: 'sessions', collectionName: 'four', stringify: false, ttl: 60 });
  await called(store, 'set', 'a', { cookie: { maxAge: 1000 }, user: 1 });
  await called(store, 'set', 'b', { cookie: {}, user: { name: 'x' } });
  const got = await called(store, 'get', 'b');
  const found = [
    got.user,
    await called(store, 'length'),
    (await called(store, 'all')).length,
    await called(store, 'get', 'c'),
  ];
  await called(store, 'touch', 'b', { cookie: { expires: new Date(Date.now() + 5000) } });
  await called(store, 'destroy', 'a');
  found.push(await called(store, 'length'));
  await called(store, 'clear');
  return [
    ...found,
    await called(store, 'length'),
    (await client.db('sessions').collection('four').indexes()).map(({ name, expireAfterSeconds }) => [
      name,
      expireAfterSeconds,
    ]),
  ];
});
await step('a store whose client fails', async () => {
  const failing = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 });
  const store = MongoStore.create({ client: failing, autoRemove: 'disabled' });
  store.on('error', () => undefined);
  const { name } = await thrownBy(() => called(store, 'get', 'a'));
  await failing.close();
  return name;
});
await client.close();
done();
