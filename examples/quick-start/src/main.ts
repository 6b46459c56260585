import { randomUUID } from 'node:crypto';
import { MongoClient } from '@tessera/mongodb';
import { readFilms, readFlights } from './data.js';
import { openDeployment, readArguments } from './deployment.js';
import { runSteps, summary } from './report.js';
import { createScreen } from './screen.js';

const args = readArguments(process.argv.slice(2));
if ('mistake' in args) {
  process.stderr.write(`${args.mistake}\n`);
  process.exit(2);
}

const screen = createScreen(process.stdout);
/** A new database with a unique name, because the program drops it at the end. */
const database = `tessera_quick_start_${randomUUID().slice(0, 8)}`;

const deployment = await openDeployment(process.env['MONGODB_URI'], args.members);
const { uri, name, isOwn, failOver } = deployment;
const client = new MongoClient(uri, { appName: 'tessera-quick-start', monitorCommands: failOver !== undefined });

let leaving: Promise<void> | undefined;
/** Cleans up at the end of the program. It closes the client first, so that no write follows the drop. */
const leave = (): Promise<void> =>
  (leaving ??= (async () => {
    await client.close();
    const last = new MongoClient(uri, { serverSelectionTimeoutMS: 3_000 });
    try {
      await last.db(database).dropDatabase();
    } finally {
      await last.close();
      await deployment[Symbol.asyncDispose]();
    }
  })());

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    screen.line(`\n  Stopped by ${signal}; dropping the database ${database}.`);
    void leave().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });

try {
  await client.connect();
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  screen.line(`Connected to ${name} (MongoDB ${String(version)})${isOwn ? '' : `, database ${database}`}.`);
  screen.line();
  const [films, flights] = await Promise.all([readFilms(), readFlights()]);
  const db = client.db(database);
  const reports = await runSteps(db, { films, flights }, screen, failOver?.(client));
  const { dataSize } = await db.stats();
  screen.line();
  screen.line(summary(reports, Number(dataSize)));
  await leave();
  screen.line('  Dropped the database and closed all connections.');
} catch (error) {
  if (leaving === undefined) {
    screen.line();
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  }
  await leave().catch(() => undefined);
}
