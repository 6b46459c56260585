/** Rule: Unified Test Format, "Executing a Test". */
import type { MongoClient } from '@tessera/client';
import { WriteConcern } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import type { Deployment, Traits } from './deployment.js';
import { Entities } from './entities.js';
import { judgeEvents } from './events.js';
import { hasFailPoint, hasTransaction } from './features.js';
import type { CollectionData, UnifiedFile, UnifiedTest } from './format.js';
import { judgeMessages } from './log-messages.js';
import { match, nested } from './match.js';
import { onServer } from './one-server.js';
import { runOperation } from './run-operation.js';
import type { Stage } from './stage.js';
import { within } from './thread.js';

/** Milliseconds that one test may take: more than the longest that any of its operations may. */
const limit = 60_000;

const majority = new WriteConcern('majority');

const write = async (internal: MongoClient, data: CollectionData): Promise<void> => {
  const { databaseName, collectionName, createOptions, documents } = data;
  const database = internal.db(databaseName, { writeConcern: majority });
  await database.dropCollection(collectionName);
  if (documents.length === 0 || createOptions !== undefined)
    await database.command({ create: collectionName, ...createOptions, writeConcern: { w: 'majority' } });
  if (documents.length > 0) await database.collection(collectionName).insertMany([...documents]);
};

/** Rule: "StaleDbVersion Errors on Sharded Clusters". */
const distinctEverywhere = async (stage: Stage, data: readonly CollectionData[]): Promise<void> => {
  if (stage.traits.topology !== 'sharded') return;
  for (const address of stage.deployment.mongoses)
    for (const { databaseName, collectionName } of data)
      await onServer(stage.deployment, address, databaseName, { distinct: collectionName, key: '_id' });
};

/** @returns what the deployment calls now when everything is written. Rule: "MigrationConflict Errors on Sharded Clusters" */
const prepare = async (internal: MongoClient, data: readonly CollectionData[]): Promise<Document | undefined> => {
  for (const one of data) await write(internal, one);
  const { $clusterTime } = await internal.db('admin').command({ ping: 1 });
  return $clusterTime as Document | undefined;
};

/** All documents of each collection, sorted by _id; the order of keys may differ. */
const judgeOutcome = async ({ internal, entities }: Stage, outcome: readonly CollectionData[]): Promise<void> => {
  for (const { databaseName, collectionName, documents } of outcome) {
    const collection = internal.db(databaseName).collection(collectionName);
    const options = { sort: { _id: 1 }, readPreference: 'primary', readConcern: 'local' } as const;
    match(documents, await collection.find({}, options).toArray(), nested(`outcome of ${collectionName}`, entities));
  }
};

const disableFailPoints = async (stage: Stage): Promise<void> => {
  for (const { name, address } of stage.failPoints) {
    const command = { configureFailPoint: name, mode: 'off' };
    const { mongoses } = stage.deployment;
    if (address === undefined && mongoses.length === 0) await stage.internal.db('admin').command(command);
    // Nobody knows by which mongos it was set.
    for (const one of address === undefined ? mongoses : [address])
      await onServer(stage.deployment, one, 'admin', command);
  }
};

/** Interrupted and Unauthorized say nothing of the test. Rule: "Terminating Open Transactions". */
const kill = async (internal: MongoClient, command: Document): Promise<void> => {
  try {
    await internal.db('admin').command(command);
  } catch (error) {
    const { code } = error as { readonly code?: number };
    if (code === undefined || ![11_601, 13, 59].includes(code)) throw error;
  }
};

/** What a case left open. */
const killSessions = async ({ deployment, entities, internal }: Stage): Promise<void> => {
  if (deployment.isForeign !== true) return kill(internal, { killAllSessions: [] });
  const lsids = entities.sessions.map(({ lsid }) => lsid);
  if (lsids.length > 0) await kill(internal, { killSessions: lsids });
};

/** A command that the server holds back is still done when nobody waits for it any more: let it be over before the next test. */
const pauseAfter = async ({ failPoints, deployment }: Stage): Promise<void> => {
  const longest = Math.max(0, ...failPoints.map(({ blockTime }) => blockTime));
  await deployment.runtime.clock.sleep(Math.min(longest, 1_000));
};

const perform = async (stage: Stage, file: UnifiedFile, test: UnifiedTest): Promise<void> => {
  const { entities } = stage;
  await entities.create(file.createEntities ?? []);
  await distinctEverywhere(stage, file.initialData ?? []);
  for (const operation of test.operations) await runOperation(stage, operation);
};

const judge = async (stage: Stage, test: UnifiedTest): Promise<void> => {
  const { entities, raised } = stage;
  for (const expected of test.expectEvents ?? [])
    judgeEvents(expected, entities.client(expected.client).events, entities);
  for (const expected of test.expectLogMessages ?? [])
    judgeMessages(expected, entities.client(expected.client).logs, { raised, known: entities });
  await judgeOutcome(stage, test.outcome ?? []);
};

/** What was seen of the clients, for whoever looks into a failure. */
export type Seen = (stage: Stage) => void;

/** Where tests are run, one after another. */
export interface Workplace {
  readonly deployment: Deployment;
  readonly traits: Traits;
  readonly internal: MongoClient;
  readonly seen: Seen | undefined;
}

/** @throws Error that says what is not as expected */
export const runTest = async (place: Workplace, file: UnifiedFile, test: UnifiedTest): Promise<void> => {
  const { deployment, traits, internal, seen } = place;
  const { clock } = deployment.runtime;
  const clusterTime = await prepare(internal, file.initialData ?? []);
  const surroundings = {
    deployment,
    hasFailPoint: hasFailPoint(test),
    isSharded: traits.topology === 'sharded',
    isTraced: seen !== undefined,
  };
  const entities = new Entities(surroundings, clusterTime);
  const stage: Stage = { deployment, traits, entities, internal, failPoints: [], raised: [] };
  let isDone = false;
  try {
    await within(clock, limit, 'the test', perform(stage, file, test));
    for (const client of entities.clients) client.stopListening();
    await disableFailPoints(stage);
    await judge(stage, test);
    isDone = true;
  } finally {
    seen?.(stage);
    if (!isDone) await disableFailPoints(stage);
    await within(clock, limit, 'closing', entities.close());
    await pauseAfter(stage);
    if (!isDone || hasTransaction(test)) await killSessions(stage);
  }
};
