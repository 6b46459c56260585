import { expect, test } from 'vitest';
import { MongoClient } from '@tessera/mongodb';
import { readFilms, readFlights } from '../src/data.js';
import { openDeployment, readArguments } from '../src/deployment.js';
import { runSteps } from '../src/report.js';

test(
  'a step-down of the primary during an import loses no documents, and the report describes it',
  { timeout: 90_000 },
  async () => {
    await using deployment = await openDeployment(undefined, 3);
    const client = new MongoClient(deployment.uri, { monitorCommands: true });
    try {
      const [films, flights] = await Promise.all([readFilms(), readFlights()]);
      const some = { films: films.slice(0, 500), flights: flights.slice(0, 10_000) };
      const screen = { line: () => undefined, progress: () => () => undefined };
      const reports = await runSteps(client.db('job'), some, screen, deployment.failOver?.(client));
      expect(reports.find(({ title }) => title === 'import flights')?.text).toMatch(
        /^10,000 inserted, 1,000 at a time; 127\.0\.0\.1:(\d+) stepped down, 127\.0\.0\.1:(?!\1)\d+ became primary after \d+ ms, inserts retried: [1-9]\d*, all 10,000 documents found$/,
      );
    } finally {
      await client.close();
    }
  },
);

test('readArguments accepts no arguments or a replica set of 2 to 7 members, and returns a message otherwise', () => {
  expect(readArguments([])).toEqual({ members: undefined });
  expect(readArguments(['--topology', 'replicaset:3'])).toEqual({ members: 3 });
  expect(readArguments(['--topology=replicaset:5'])).toEqual({ members: 5 });
  expect(readArguments(['--topology', 'replicaset'])).toEqual({ members: 3 });
  for (const words of [['--topology'], ['--topology', 'sharded'], ['--topology', 'replicaset:1'], ['x']])
    expect(readArguments(words)).toHaveProperty('mistake');
});
