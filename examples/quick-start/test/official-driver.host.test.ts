import * as official from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { readFilms, readFlights } from '../src/data.js';
import { runSteps } from '../src/report.js';
import type { Screen } from '../src/screen.js';

/** The part of a client that the job uses. Both drivers' classes implement it. */
interface Client {
  connect(): Promise<unknown>;
  db(name: string): ReturnType<MongoClient['db']>;
  close(): Promise<void>;
}

const silence: Screen = { line: () => undefined, progress: () => () => undefined };

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Every how many of the 231,083 flights one is imported. */
const step = process.env['TESTS'] === 'full' ? 1 : 10;

/** Runs the job and returns the values of each step. */
const job = async (client: Client): Promise<readonly { readonly title: string; readonly values: unknown }[]> => {
  await client.connect();
  try {
    const [films, all] = await Promise.all([readFilms(), readFlights()]);
    const flights = all.filter((_, index) => index % step === 0);
    const reports = await runSteps(client.db('job'), { films, flights }, silence);
    await client.db('job').dropDatabase();
    return reports.map(({ title, values }) => ({ title, values }));
  } finally {
    await client.close();
  }
};

test(
  'the quick start gives the same results with the official driver on the embedded server',
  { timeout: 240_000 },
  async () => {
    const ours = await job(new MongoClient(server.uri));
    const theirs = await job(new official.MongoClient(server.uri) as unknown as Client);
    expect(ours.length).toBeGreaterThan(10);
    expect(ours).toEqual(theirs);
  },
);
