// Jobs of agenda that are stored in MongoDB, and the example of its README.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agenda } from 'agenda';
import { MongoBackend } from '@agendajs/mongo-backend';
import { MongoClient } from 'mongodb';

const { uri, step, done } = createRequire(import.meta.url)('./report.cjs');

/** The code block under a heading of an installed package's README. */
const exampleOf = async (name, heading) => {
  const readme = await readFile(new URL(`../node_modules/${name}/README.md`, import.meta.url), 'utf8');
  const [, example] = /^```\w+\n(.*?)^```$/ms.exec(readme.slice(readme.indexOf(`\n${heading}\n`)));
  return example;
};

/** Defines the function that the example calls, and ends its process after the jobs that run at once. */
const prelude = `
  const sent = [];
  globalThis.sendEmail = async (to, subject) => {
    sent.push([to, subject]);
    if (sent.length === 2) setTimeout(() => process.exit(), 100);
    console.log(to, subject);
  };
`;

const client = await MongoClient.connect(uri);
const db = client.db('agenda');
await db.dropDatabase();
await client.db('readme').dropDatabase();
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
  const again = once(agenda, 'success:greet');
  await agenda.every('1 hour', 'greet', { to: 'bob' });
  await again;
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
await step('the example of the README', async () => {
  const address = 'mongodb://localhost/agenda';
  const example = await exampleOf('agenda', '## Quick Start');
  const file = fileURLToPath(new URL('readme.mjs', import.meta.url));
  await writeFile(file, example.replace(address, uri.replace(/^(mongodb:\/\/[^/]*)\/?/, '$1/readme')));
  const args = ['--no-deprecation', '--import', `data:text/javascript,${encodeURIComponent(prelude)}`, file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  const jobs = client
    .db('readme')
    .collection('agendaJobs')
    .find({}, { sort: { type: 1, data: 1 } });
  return [
    example.includes(address),
    stdout.split('\n').sort(),
    (await jobs.toArray()).map(({ name, type, data, failCount }) => [name, type, data, failCount]),
  ];
});
await step('stop', async () => {
  await agenda.stop();
  await client.close();
  return ran;
});
done();
