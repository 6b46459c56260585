/** Runs one test. Rule: Unified Test Format, "Executing a Test". */
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

/** Time limit of one test in milliseconds. It is longer than that of any operation. */
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

/**
 * Runs distinct on each mongos, so that it refreshes its metadata. Rule: "StaleDbVersion Errors on Sharded Clusters".
 */
const distinctEverywhere = async (stage: Stage, data: readonly CollectionData[]): Promise<void> => {
  if (stage.traits.topology !== 'sharded') return;
  for (const address of stage.deployment.mongoses)
    for (const { databaseName, collectionName } of data)
      await onServer(stage.deployment, address, databaseName, { distinct: collectionName, key: '_id' });
};

/**
 * Writes the initial data. Returns the cluster time afterwards. Rule: "MigrationConflict Errors on Sharded Clusters".
 */
const prepare = async (internal: MongoClient, data: readonly CollectionData[]): Promise<Document | undefined> => {
  for (const one of data) await write(internal, one);
  const { $clusterTime } = await internal.db('admin').command({ ping: 1 });
  return $clusterTime as Document | undefined;
};

/** Compares all documents of each collection, sorted by _id. The order of keys may differ. */
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
    // Without an address, the mongos that received the fail point is unknown.
    for (const one of address === undefined ? mongoses : [address])
      await onServer(stage.deployment, one, 'admin', command);
  }
};

/** Kills sessions. Ignores the errors Interrupted and Unauthorized. Rule: "Terminating Open Transactions". */
const kill = async (internal: MongoClient, command: Document): Promise<void> => {
  try {
    await internal.db('admin').command(command);
  } catch (error) {
    const { code } = error as { readonly code?: number };
    if (code === undefined || ![11_601, 13, 59].includes(code)) throw error;
  }
};

/** Kills the sessions that a test left open: only its own if the deployment belongs to the user. */
const killSessions = async ({ deployment, entities, internal }: Stage): Promise<void> => {
  if (deployment.isForeign !== true) return kill(internal, { killAllSessions: [] });
  const lsids = entities.sessions.map(({ lsid }) => lsid);
  if (lsids.length > 0) await kill(internal, { killSessions: lsids });
};

/** Waits for blocked commands to complete, since the server executes them even after the client has stopped waiting. */
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
    judgeMessages(expected, entities.client(expected.client).logs, { raised, entities });
  await judgeOutcome(stage, test.outcome ?? []);
};

/** Called after a test with its entities, for `--verbose`. */
export type Seen = (stage: Stage) => void;

/** The deployment and the internal client that tests run with. */
export interface Workplace {
  readonly deployment: Deployment;
  readonly traits: Traits;
  readonly internal: MongoClient;
  readonly seen: Seen | undefined;
}

/** Runs one test. @throws Error that describes the first expectation that is not met */
export const runTest = async (place: Workplace, file: UnifiedFile, test: UnifiedTest): Promise<void> => {
  const { deployment, traits, internal, seen } = place;
  const { clock } = deployment.runtime;
  const clusterTime = await prepare(internal, file.initialData ?? []);
  const context = {
    deployment,
    hasFailPoint: hasFailPoint(test),
    isSharded: traits.topology === 'sharded',
    isTraced: seen !== undefined,
  };
  const entities = new Entities(context, clusterTime);
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
