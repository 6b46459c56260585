/** The operations of the test runner. Rule: Unified Test Format, "Special Test Operations". */
import type { Document, TopologyDescription } from '@tessera/contracts';
import { EJSON } from 'bson';
import { countOf } from '../events.js';
import { property } from '../facade.js';
import type { EntityDescription, Operation } from '../format.js';
import { match, nested } from '../match.js';
import { onServer } from '../one-server.js';
import type { SessionEntity } from '../session-entity.js';
import type { Stage } from '../stage.js';
import { within } from '../thread.js';
import { row } from './table.js';
import type { Table } from './table.js';

/** Time limit of waiting operations, in milliseconds. */
const defaultTimeout = 10_000;

const text = (value: unknown): string => value as string;

const until = async (stage: Stage, limit: number, what: string, holds: () => boolean): Promise<void> => {
  const { clock } = stage.deployment.runtime;
  const deadline = clock.now() + limit;
  while (!holds()) {
    if (clock.now() > deadline) throw new Error(`${what} did not happen within ${limit} ms.`);
    await clock.sleep(5);
  }
};

const happened = (stage: Stage, { client, event }: Document): number =>
  countOf(stage.entities.client(text(client)).events, event as Document, stage.entities);

/** Records a fail point, so that it is disabled after the test. */
const record = (stage: Stage, command: Document, address: string | undefined): void => {
  const { blockTimeMS } = (command['data'] ?? {}) as { readonly blockTimeMS?: number };
  stage.failPoints.push({ name: text(command['configureFailPoint']), address, blockTime: blockTimeMS ?? 0 });
};

const setFailPoint = async (stage: Stage, { client, failPoint }: Document): Promise<void> => {
  const command = failPoint as Document;
  record(stage, command, undefined);
  await stage.entities.client(text(client)).client.db('admin').command(command);
};

/**
 * Returns the address of the server that the session is pinned to, which received its last command; undefined if not
 * pinned.
 */
const pinOf = ({ entities }: Stage, { session, lsid, client }: SessionEntity): string | undefined =>
  property(session, 'isPinned') === true ? entities.client(client).placeOf(lsid) : undefined;

const setTargeted = async (stage: Stage, { session, failPoint }: Document): Promise<void> => {
  const pin = pinOf(stage, stage.entities.session(text(session)));
  if (pin === undefined) throw new Error('The session is not pinned to a server.');
  const command = failPoint as Document;
  // The address of a mongos behind a load balancer is unknown, so the fail point is set on each.
  const isBalanced = stage.traits.topology === 'load-balanced';
  record(stage, command, isBalanced ? undefined : pin);
  for (const address of isBalanced ? stage.deployment.mongoses : [pin])
    await onServer(stage.deployment, address, 'admin', command);
};

const judgePin = (stage: Stage, { session }: Document, isPinned: boolean): void => {
  const pin = pinOf(stage, stage.entities.session(text(session)));
  if ((pin !== undefined) !== isPinned)
    throw new Error(isPinned ? 'The session is not pinned to a server.' : `The session is pinned to ${pin!}.`);
};

/** Checks whether the session is dirty: it was in use when its connection failed. */
const judgeDirty = (stage: Stage, { session }: Document, expected: boolean): void => {
  const { session: given } = stage.entities.session(text(session));
  const dirty = (property(given, 'serverSession') as { readonly isDirty: boolean }).isDirty;
  if (dirty !== expected) throw new Error(`Expected the session ${expected ? 'to be' : 'not to be'} dirty.`);
};

/** The driver's names of transaction states, by the format's names. Rule: "assertSessionTransactionState". */
const states: Readonly<Record<string, RegExp>> = {
  none: /^NO_TRANSACTION$/,
  starting: /^STARTING_TRANSACTION$/,
  in_progress: /^TRANSACTION_IN_PROGRESS$/,
  committed: /^TRANSACTION_COMMITTED(?:_EMPTY)?$/,
  aborted: /^TRANSACTION_ABORTED$/,
};

const judgeState = (stage: Stage, { session, state }: Document): void => {
  const transaction = property(stage.entities.session(text(session)).session, 'transaction');
  const actual = text(property(transaction as object, 'state'));
  if (states[text(state)]?.test(actual) !== true)
    throw new Error(`Expected the transaction state ${text(state)}, not ${actual}.`);
};

const judgeLsids = (stage: Stage, { client }: Document, areSame: boolean): void => {
  const started = stage.entities.client(text(client)).events.filter(event => event.name === 'commandStarted');
  const [one, other] = started.slice(-2).map(({ command }) => command['lsid'] as unknown);
  if (one === undefined || other === undefined) throw new Error('Expected two commands with an lsid.');
  if ((EJSON.stringify(one) === EJSON.stringify(other)) !== areSame)
    throw new Error(`Expected the last two commands to have ${areSame ? 'the same lsid' : 'different lsids'}.`);
};

const judgeCollection = async (stage: Stage, given: Document, isThere: boolean): Promise<void> => {
  const { databaseName, collectionName } = given;
  const found = await stage.internal
    .db(text(databaseName))
    .listCollections({ name: collectionName as unknown })
    .toArray();
  if (found.length > 0 !== isThere)
    throw new Error(`Expected ${isThere ? 'a' : 'no'} collection ${text(databaseName)}.${text(collectionName)}.`);
};

const judgeIndex = async (stage: Stage, given: Document, isThere: boolean): Promise<void> => {
  const { databaseName, collectionName, indexName } = given;
  const collection = stage.internal.db(text(databaseName)).collection(text(collectionName));
  const found = await collection.indexes().catch(() => []);
  if (found.some(({ name }) => name === indexName) !== isThere)
    throw new Error(`Expected ${isThere ? 'an' : 'no'} index ${text(indexName)} on ${text(collectionName)}.`);
};

const descriptionOf = (stage: Stage, client: unknown): TopologyDescription =>
  stage.entities.client(text(client)).client.driver.deployment.description;

const primaryOf = ({ servers }: TopologyDescription): string | undefined =>
  [...servers.values()].find(({ type }) => type === 'RSPrimary')?.address;

const waitForPrimaryChange = (stage: Stage, given: Document): Promise<void> => {
  const { client, priorTopologyDescription, timeoutMS = defaultTimeout } = given;
  const before = primaryOf(stage.entities.value(text(priorTopologyDescription)) as TopologyDescription);
  const isNew = (primary: string | undefined): boolean => primary !== undefined && primary !== before;
  return until(stage, timeoutMS as number, 'a change of the primary', () =>
    isNew(primaryOf(descriptionOf(stage, client))),
  );
};

/** Runs an operation and checks its expectations. */
export type RunWhole = (operation: Operation) => Promise<void>;

export const ofTestRunner = (runWhole: RunWhole): Table<Stage> => ({
  assertCollectionExists: row('databaseName collectionName', '', (stage, given) => judgeCollection(stage, given, true)),
  assertCollectionNotExists: row('databaseName collectionName', '', (stage, given) =>
    judgeCollection(stage, given, false),
  ),
  assertDifferentLsidOnLastTwoCommands: row('client', '', (stage, given) => judgeLsids(stage, given, false)),
  assertEventCount: row('client event count', '', (stage, given) => {
    const actual = happened(stage, given);
    if (actual !== given['count'])
      throw new Error(`Expected ${String(given['count'])} events ${JSON.stringify(given['event'])}, not ${actual}.`);
  }),
  assertIndexExists: row('databaseName collectionName indexName', '', (stage, given) => judgeIndex(stage, given, true)),
  assertIndexNotExists: row('databaseName collectionName indexName', '', (stage, given) =>
    judgeIndex(stage, given, false),
  ),
  assertNumberConnectionsCheckedOut: row('client connections', '', (stage, { client, connections }) =>
    match(
      connections,
      stage.entities.client(text(client)).checkedOut,
      nested('connections checked out', stage.entities),
    ),
  ),
  assertSameLsidOnLastTwoCommands: row('client', '', (stage, given) => judgeLsids(stage, given, true)),
  assertSessionDirty: row('', '', (stage, given) => judgeDirty(stage, given, true)),
  assertSessionNotDirty: row('', '', (stage, given) => judgeDirty(stage, given, false)),
  assertSessionPinned: row('', '', (stage, given) => judgePin(stage, given, true)),
  assertSessionUnpinned: row('', '', (stage, given) => judgePin(stage, given, false)),
  assertSessionTransactionState: row('state', '', judgeState),
  assertTopologyType: row('topologyDescription topologyType', '', ({ entities }, given) => {
    const { type } = entities.value(text(given['topologyDescription'])) as TopologyDescription;
    if (type !== given['topologyType'])
      throw new Error(`Expected the topology type ${text(given['topologyType'])}, not ${type}.`);
  }),
  createEntities: row('entities', '', (stage, { entities }) =>
    stage.entities.create(entities as readonly EntityDescription[]),
  ),
  failPoint: row('client failPoint', '', setFailPoint),
  recordTopologyDescription: row('client id', '', (stage, { client, id }) =>
    stage.entities.add(text(id), { saved: descriptionOf(stage, client) }),
  ),
  runOnThread: row('thread operation', '', ({ entities }, { thread, operation }) =>
    entities.thread(text(thread)).run(() => runWhole(operation as Operation)),
  ),
  targetedFailPoint: row('failPoint', '', setTargeted),
  wait: row('ms', '', ({ deployment }, { ms }) => deployment.runtime.clock.sleep(ms as number)),
  waitForEvent: row('client event count', '', (stage, given) =>
    until(
      stage,
      defaultTimeout,
      `${JSON.stringify(given['event'])} ${String(given['count'])} times`,
      () => happened(stage, given) >= (given['count'] as number),
    ),
  ),
  waitForPrimaryChange: row('client priorTopologyDescription', '', waitForPrimaryChange),
  waitForThread: row('thread', '', ({ entities, deployment }, { thread }) =>
    within(
      deployment.runtime.clock,
      defaultTimeout,
      `the end of ${text(thread)}`,
      entities.thread(text(thread)).join(),
    ),
  ),
});
