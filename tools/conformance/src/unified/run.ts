/** Runs unified tests by the driver against one embedded server, both in a simulated world. It knows no file by name. */
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { MongoClient } from '@tessera/client';
import type { Crypto } from '@tessera/contracts';
import { EJSON } from 'bson';
import type { Fixture, Result } from '../suite.js';
import { Entities } from './entities.js';
import { judgeEvents, judgeMessages } from './expectations.js';
import type { UnifiedFile, UnifiedTest } from './format.js';
import { match, root } from './match.js';
import { runOperation } from './operations.js';
import { unmet } from './requirements.js';
import type { Deployment } from './requirements.js';
import { Unsupported } from './unsupported.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const uri = 'mongodb://db1/';

/** With a client that is not observed. */
const aside = async <T>(world: World, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(uri, {}, { runtime: world.runtime });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const prepare = (world: World, { initialData = [] }: UnifiedFile): Promise<Deployment> =>
  aside(world, async client => {
    const { version } = await client.db().command({ buildInfo: 1 });
    for (const { databaseName, collectionName, documents } of initialData) {
      const database = client.db(databaseName);
      if (documents.length === 0) await database.createCollection(collectionName);
      else await database.collection(collectionName).insertMany([...documents]);
    }
    return { version: version as string, topology: 'single' };
  });

/** Rule: "outcome": all documents, sorted by _id. */
const judgeOutcome = (world: World, { outcome = [] }: UnifiedTest): Promise<void> =>
  aside(world, async client => {
    for (const { databaseName, collectionName, documents } of outcome) {
      const all = client
        .db(databaseName)
        .collection(collectionName)
        .find({}, { sort: { _id: 1 } });
      match({ documents }, { documents: await all.toArray() }, root(`outcome of ${collectionName}`));
    }
  });

const play = async (world: World, file: UnifiedFile, test: UnifiedTest): Promise<void> => {
  const deployment = await prepare(world, file);
  const why = unmet(file.runOnRequirements, deployment) ?? unmet(test.runOnRequirements, deployment);
  if (why !== undefined) throw new Unsupported(why);
  const entities = new Entities(world.runtime, uri);
  try {
    entities.create(file.createEntities ?? []);
    const raised: Error[] = [];
    const stage = { entities, clock: world.runtime.clock };
    for (const operation of test.operations) {
      const error = await runOperation(stage, operation);
      if (error !== undefined) raised.push(error);
    }
    for (const expected of test.expectEvents ?? []) judgeEvents(expected, entities.client(expected.client));
    for (const expected of test.expectLogMessages ?? [])
      judgeMessages(expected, entities.client(expected.client), raised);
    await judgeOutcome(world, test);
  } finally {
    await entities.close();
  }
};

const judgeTest = async (file: UnifiedFile, test: UnifiedTest, crypto: Crypto): Promise<void> => {
  if (test.skipReason !== undefined) throw new Unsupported(test.skipReason);
  const world = createWorld({ turn, crypto });
  await world.run(async () => {
    const server = createServer(world.at('db1'), { testCommands: true });
    const listening = await server.listen('db1:27017');
    try {
      await play(world, file, test);
    } finally {
      await listening.close();
      await server.close();
    }
  });
};

/** Every test of a file; what the runner does not know is skipped, and says what. */
export const runUnified = async ({ name: file, json }: Fixture, crypto: Crypto): Promise<readonly Result[]> => {
  const unified = EJSON.deserialize(json as object, { relaxed: true }) as unknown as UnifiedFile;
  const results: Result[] = [];
  for (const test of unified.tests) {
    const name = test.description;
    try {
      await judgeTest(unified, test, crypto);
      results.push({ file, name, outcome: 'passed' });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Unsupported)
        results.push({ file, name, outcome: 'skipped', reason: `the unified runner: ${reason}` });
      else results.push({ file, name, outcome: 'failed', reason });
    }
  }
  return results;
};
