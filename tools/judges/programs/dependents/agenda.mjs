// Jobs of agenda that are stored in MongoDB.
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { Agenda } from 'agenda';
import { MongoBackend } from '@agendajs/mongo-backend';
import { MongoClient } from 'mongodb';

const { uri, step, done } = createRequire(import.meta.url)('./report.cjs');

const client = await MongoClient.connect(uri);
const db = client.db('agenda');
await db.dropDatabase();
const agenda = new Agenda({ backend: new MongoBackend({ mongo: db }), processEvery: 100, defaultLockLifetime: 1000 });
const ran = [];
agenda.define('greet', async job => void ran.push(job.attrs.data.to));
agenda.define('fail', async () => {
  throw new Error('no');
});
await step('jobs that run', async () => {
  await agenda.start();
  const first = once(agenda, 'success:greet');
  await agenda.now('greet', { to: 'ann' });
  await first;
  const failed = once(agenda, 'fail:fail');
  await agenda.now('fail', {});
  const [error] = await failed;
  return [ran, error.message];
});
await step('jobs that are scheduled', async () => {
  await agenda.every('1 hour', 'greet', { to: 'bob' });
  await agenda.schedule('in 5 minutes', 'greet', { to: 'cem' });
  const found = await db
    .collection('agendaJobs')
    .find({}, { sort: { data: 1 } })
    .toArray();
  return found.map(({ name, type, data, failCount }) => [name, type, data, failCount]);
});
await step('jobs that are canceled', async () => [
  await agenda.cancel({ name: 'fail' }),
  await db.collection('agendaJobs').countDocuments(),
]);
await step('stop', async () => {
  await agenda.stop();
  await client.close();
  return ran;
});
done();
