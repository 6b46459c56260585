import { expect, test } from 'vitest';
import { MongoClient } from '@tessera/mongodb';
import { readFilms, readFlights } from '../src/data.js';
import { openDeployment, readArguments } from '../src/deployment.js';
import { runSteps } from '../src/report.js';

test(
  'a primary that steps down in the midst of an import costs no document, and the report tells of it',
  { timeout: 90_000 },
  async () => {
    await using deployment = await openDeployment(undefined, 3);
    const client = new MongoClient(deployment.uri, { monitorCommands: true });
    try {
      const [films, flights] = await Promise.all([readFilms(), readFlights()]);
      const some = { films: films.slice(0, 500), flights: flights.slice(0, 10_000) };
      const screen = { line: () => undefined, progress: () => () => undefined };
      const reports = await runSteps(client.db('job'), some, screen, deployment.failOver?.(client));
      expect(reports.find(({ title }) => title === 'import flights')?.told).toMatch(
        /^10,000 inserted, 1,000 at a time; 127\.0\.0\.1:(\d+) stepped down, 127\.0\.0\.1:(?!\1)\d+ was elected \d+ ms later, inserts sent again: [1-9]\d*, and all 10,000 are there$/,
      );
    } finally {
      await client.close();
    }
  },
);

test('arguments: none, or a replica set of 2 to 7 members; a mistake gets a sentence', () => {
  expect(readArguments([])).toEqual({ members: undefined });
  expect(readArguments(['--topology', 'replicaset:3'])).toEqual({ members: 3 });
  expect(readArguments(['--topology=replicaset:5'])).toEqual({ members: 5 });
  expect(readArguments(['--topology', 'replicaset'])).toEqual({ members: 3 });
  for (const words of [['--topology'], ['--topology', 'sharded'], ['--topology', 'replicaset:1'], ['x']])
    expect(readArguments(words)).toHaveProperty('mistake');
});
