import { randomUUID } from 'node:crypto';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { readFilms, readFlights } from './data.js';
import { runSteps, summary } from './report.js';
import { createScreen } from './screen.js';

const screen = createScreen(process.stdout);
/** The user's own deployment, if one is named; the database that is dropped at the end is ours alone. */
const own = process.env['MONGODB_URI'];
const database = `tessera_quick_start_${randomUUID().slice(0, 8)}`;

const server = own === undefined ? await startServer() : undefined;
const uri = server?.uri ?? own ?? '';
const client = new MongoClient(uri, { appName: 'tessera-quick-start' });

let leaving: Promise<void> | undefined;
/** Leaves nothing behind, however the program ends: the work is stopped first, so that nothing comes after the drop. */
const leave = (): Promise<void> =>
  (leaving ??= (async () => {
    await client.close();
    const last = new MongoClient(uri, { serverSelectionTimeoutMS: 3_000 });
    await last
      .db(database)
      .dropDatabase()
      .finally(() => last.close())
      .finally(() => server?.close());
  })());

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    screen.line(`\n  Stopped by ${signal}; dropping ${database}.`);
    void leave().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });

try {
  await client.connect();
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  const where = own === undefined ? 'the embedded server' : 'the deployment of MONGODB_URI';
  screen.line(
    `Tessera on ${where}, which speaks as MongoDB ${String(version)}; database ${own === undefined ? 'of its own' : database}.`,
  );
  screen.line();
  const [films, flights] = await Promise.all([readFilms(), readFlights()]);
  const db = client.db(database);
  const reports = await runSteps(db, { films, flights }, screen);
  const { dataSize } = await db.stats();
  screen.line();
  screen.line(summary(reports, Number(dataSize)));
  await leave();
  screen.line('  Everything was dropped, every connection closed.');
} catch (error) {
  if (leaving === undefined) {
    screen.line();
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  }
  await leave().catch(() => undefined);
}
