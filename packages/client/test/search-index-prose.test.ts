/** The prose tests of search indexes that need no Atlas: the commands, and the handling of server errors. */
import { MongoClient } from '@tessera/client';
import type { Db } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

/** Runs a test against a server with these replies. Returns the commands that it received. */
const commandsOf = async (
  answer: (command: Document) => Document,
  program: (db: Db) => Promise<void>,
): Promise<readonly Document[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 6 });
  let received: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => (isHello(command) ? HELLO : answer(command)));
    const client = new MongoClient('mongodb://db1/', {}, { runtime: world.runtime });
    await program(client.db('shop'));
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2000);
    received = server.received.filter(command => !isHello(command) && !('endSessions' in command));
  });
  expect(world.leftovers()).toEqual([]);
  return received;
};

test('Index Management, prose test S5: dropSearchIndex of a missing collection succeeds', async () => {
  const unknown = { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'ns not found' };
  const received = await commandsOf(
    () => unknown,
    async db => {
      expect(await db.collection('coll0').dropSearchIndex('test-search-index')).toBeUndefined();
    },
  );
  expect(received).toMatchObject([{ dropSearchIndex: 'coll0', name: 'test-search-index' }]);
});

test('Index Management, prose test S6: concerns of a collection are not sent with search index commands', async () => {
  const name = 'test-search-index-case6';
  const definition = { mappings: { dynamic: false } };
  const index = { name, queryable: true, latestDefinition: definition };
  // Rejects concerns, as Atlas does.
  const answer = (command: Document): Document => {
    if ('readConcern' in command || 'writeConcern' in command) return { ok: 0, code: 72, errmsg: 'no concerns here' };
    return 'aggregate' in command
      ? { cursor: { id: 0n, ns: 'shop.coll0', firstBatch: [index] } }
      : { indexesCreated: [{ id: '1', name }] };
  };
  const received = await commandsOf(answer, async db => {
    const coll0 = db.collection('coll0', { writeConcern: { w: 1 }, readConcern: { level: 'majority' } });
    expect(await coll0.createSearchIndex({ name, definition })).toBe(name);
    expect(await coll0.listSearchIndexes().toArray()).toEqual([index]);
  });
  expect(received).toMatchObject([
    { createSearchIndexes: 'coll0', indexes: [{ name, definition }] },
    { aggregate: 'coll0', pipeline: [{ $listSearchIndexes: {} }] },
  ]);
});

test("Index Management, prose test S8: a vector search index without a type is sent without one, and the server's error is thrown", async () => {
  const name = 'test-search-index-case8-error';
  const fields = [{ type: 'vector', path: 'plot_embedding', numDimensions: 1536, similarity: 'euclidean' }];
  // Treats an index without a type as type "search", as Atlas does.
  const answer = ({ indexes }: Document): Document => {
    if (indexes === undefined) return {};
    const [{ type = 'search', definition }] = indexes as [{ type?: string; definition: Document }];
    return type === 'vectorSearch' || 'mappings' in definition
      ? { indexesCreated: [{ id: '1', name }] }
      : { ok: 0, code: 9, errmsg: '"userCommand.indexes[0]" Attribute mappings missing.' };
  };
  const received = await commandsOf(answer, async db => {
    const coll0 = db.collection('coll0');
    await expect(coll0.createSearchIndex({ name, definition: { fields } })).rejects.toMatchObject({
      name: 'MongoServerError',
      message: expect.stringContaining('Attribute mappings missing') as unknown,
    });
    expect(await coll0.createSearchIndex({ name, type: 'vectorSearch', definition: { fields } })).toBe(name);
  });
  expect(received.map(({ indexes }) => indexes as unknown)).toEqual([
    [{ name, definition: { fields } }],
    [{ name, type: 'vectorSearch', definition: { fields } }],
  ]);
});
