import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { createApp } from './app.js';

const server = process.env['MONGODB_URI'] === undefined ? await startServer({ replicaSet: 'rs0' }) : undefined;
const client = new MongoClient(process.env['MONGODB_URI'] ?? server!.uri);
const app = await createApp(client);
console.log(
  `The film library listens at ${await app.listen({ port: Number(process.env['PORT'] ?? 3000) })}. Ctrl+C stops it.`,
);

process.once('SIGINT', () => {
  void app
    .close()
    .then(() => client.close())
    .then(() => server?.close());
});
