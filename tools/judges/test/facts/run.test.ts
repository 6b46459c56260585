import type { Document } from 'bson';
import type { MongoClient } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { runFile } from '../../src/facts/run.js';

/** Returns a client that records commands, and replies with the given cursor ids. */
const recording = (ids: unknown[], commands: Document[]): MongoClient => {
  const command = (sent: Document): Promise<Document> => {
    commands.push(sent);
    return Promise.resolve({ ok: 1, cursor: { id: ids.shift(), ns: 'test.c', firstBatch: [], nextBatch: [] } });
  };
  const client = {
    db: () => ({ command, dropDatabase: () => Promise.resolve(true) }),
    withSession: (work: (session: unknown) => Promise<unknown>) => work({}),
  };
  return client as unknown as MongoClient;
};

test('a command gets the id of an open cursor as a 64-bit integer, also if the driver returned a small id as a number', async () => {
  const commands: Document[] = [];
  const rows = [
    { line: 2, command: { find: 'c' }, expected: { cursor: 'open', count: 0 }, reason: undefined },
    { line: 3, command: { getMore: { $cursor: 'open' }, collection: 'c' }, expected: { count: 0 }, reason: undefined },
  ];
  const file = { name: 'file', source: 'file.js', set: false, rows };
  const results = await runFile(recording([5, 0], commands), file);
  expect(results.map(({ difference }) => difference)).toEqual([undefined, undefined]);
  expect(commands).toEqual([{ find: 'c' }, { getMore: 5n, collection: 'c' }]);
});
