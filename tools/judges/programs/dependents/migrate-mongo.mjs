// Migrations of migrate-mongo, which are applied and rolled back.
import { createRequire } from 'node:module';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { config, database, down, status, up } from 'migrate-mongo';

const { uri, step, done, thrownBy } = createRequire(import.meta.url)('./report.cjs');

const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
await mkdir(join(folder, 'migrations'));
const migration = (upward, downward) =>
  `module.exports = { async up(db, client) { ${upward} }, async down(db) { ${downward} } };`;
const write = (name, text) => writeFile(join(folder, 'migrations', name), text);
await write(
  '20200101000000-insert.js',
  migration(
    "await db.collection('albums').insertOne({ _id: 1, n: 1 });",
    "await db.collection('albums').deleteOne({ _id: 1 });",
  ),
);
await write(
  '20200102000000-update.js',
  migration(
    "await db.collection('albums').updateMany({}, { $inc: { n: 1 } });",
    "await db.collection('albums').updateMany({}, { $inc: { n: -1 } });",
  ),
);
config.set({
  mongodb: { url: uri, databaseName: 'migrations', options: {} },
  migrationsDir: join(folder, 'migrations'),
  changelogCollectionName: 'changelog',
  lockCollectionName: 'lock',
  lockTtl: 0,
  migrationFileExtension: '.js',
  useFileHash: false,
  moduleSystem: 'commonjs',
});
const { db, client } = await database.connect();
await db.dropDatabase();
const states = async () => (await status(db)).map(({ fileName, appliedAt }) => [fileName, appliedAt === 'PENDING']);
await step('before', states);
await step('up', async () => [await up(db, client), await states(), await db.collection('albums').find().toArray()]);
await step('down', async () => [
  await down(db, client),
  await states(),
  await db.collection('albums').find().toArray(),
]);
await step('a migration that fails', async () => {
  await write('20200103000000-fail.js', migration("throw new Error('no');", ''));
  const error = await thrownBy(() => up(db, client));
  return [error.name, error.message];
});
await step('close', async () => {
  await client.close();
  return thrownBy(() => db.collection('albums').findOne());
});
await rm(folder, { recursive: true });
done();
