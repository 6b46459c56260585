import { randomUUID } from 'node:crypto';
import { MongoClient } from '@tessera/mongodb';
import { readFilms, readFlights } from './data.js';
import { openDeployment, readArguments } from './deployment.js';
import { runSteps, summary } from './report.js';
import { createScreen } from './screen.js';

const wish = readArguments(process.argv.slice(2));
if ('mistake' in wish) {
  process.stderr.write(`${wish.mistake}\n`);
  process.exit(2);
}

const screen = createScreen(process.stdout);
/** What is dropped at the end is ours alone. */
const database = `tessera_quick_start_${randomUUID().slice(0, 8)}`;

const deployment = await openDeployment(process.env['MONGODB_URI'], wish.members);
const { uri, name, isOwn, failOver } = deployment;
const client = new MongoClient(uri, { appName: 'tessera-quick-start', monitorCommands: failOver !== undefined });

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
      .finally(() => deployment[Symbol.asyncDispose]());
  })());

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    screen.line(`\n  Stopped by ${signal}; dropping ${database}.`);
    void leave().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });

try {
  await client.connect();
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  screen.line(
    `Tessera on ${name}, which speaks as MongoDB ${String(version)}; database ${isOwn ? 'of its own' : database}.`,
  );
  screen.line();
  const [films, flights] = await Promise.all([readFilms(), readFlights()]);
  const db = client.db(database);
  const reports = await runSteps(db, { films, flights }, screen, failOver?.(client));
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
