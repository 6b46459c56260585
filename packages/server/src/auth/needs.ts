import type { Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc, isNumber, isSet, toSafeInteger } from '@tessera/mql/engine';
import { commandIn, demandOf, nameOfCommand, operationsIn, upsertsIn } from '../commands/apply-ops-form.js';
import { outOf } from '../commands/map-reduce-out.js';
import type { Action } from './actions.js';
import type { Need, NeedsOf, Request } from './need.js';
import { collectionOf, database, namespaceNamed, need } from './need.js';
import { userNeeds } from './user-needs.js';
import { outputsOf, pipelineNeeds } from './pipeline-needs.js';
import type { Target } from './privilege.js';
import { anyResource, anything, cluster } from './privilege.js';

const targetOf = ({ body }: Request): Value | undefined => body.entries()[0]?.[1];

const ownCollection = (request: Request): Target => collectionOf(request.db, targetOf(request));

const nothing: NeedsOf = () => [];

/** The needs of a command that only servers may send. */
export const internal: readonly Need[] = [need('internal', cluster)];

const onCollection =
  (...actions: readonly Action[]): NeedsOf =>
  request =>
    actions.map(action => need(action, ownCollection(request)));
const onDatabase =
  (...actions: readonly Action[]): NeedsOf =>
  ({ db }) =>
    actions.map(action => need(action, database(db)));
const onCluster =
  (...actions: readonly Action[]): NeedsOf =>
  () =>
    actions.map(action => need(action, cluster));
const onNamed =
  (...actions: readonly Action[]): NeedsOf =>
  request =>
    actions.map(action => need(action, namespaceNamed(targetOf(request))));

const docsIn = (body: Doc, name: string): readonly Doc[] => {
  const list = body.get(name);
  return isArray(list) ? list.filter(isDoc) : [];
};

const unchecked = ({ body }: Request): readonly Action[] =>
  isSet(body.get('bypassDocumentValidation')) ? ['bypassDocumentValidation'] : [];

const update: NeedsOf = request => {
  const upserts = docsIn(request.body, 'updates').some(statement => isSet(statement.get('upsert')));
  const actions = ['update', ...(upserts ? ['insert'] : []), ...unchecked(request)];
  return actions.map(action => need(action, ownCollection(request)));
};

const findAndModify: NeedsOf = request => {
  const { body } = request;
  const writing = isSet(body.get('remove')) ? ['remove'] : ['update', ...(isSet(body.get('upsert')) ? ['insert'] : [])];
  return ['find', ...writing, ...unchecked(request)].map(action => need(action, ownCollection(request)));
};

const create: NeedsOf = request => {
  const { body } = request;
  const on = ownCollection(request);
  const capping = isSet(body.get('capped')) ? [need('convertToCapped', on)] : [];
  if (!body.has('viewOn')) return [...capping, { anyOf: ['createCollection', 'insert'], on }];
  return [...capping, need('createCollection', on), ...viewNeeds(request)];
};

/** A client that creates or changes a view, and may read it, must be allowed to read the collections of the view. */
const viewNeeds = (request: Request): readonly Need[] => {
  const { body, db } = request;
  const needs = pipelineNeeds(db, collectionOf(db, body.get('viewOn')), body.get('pipeline'));
  return needs.map(each => ({ ...each, ofReadersOf: ownCollection(request) }));
};

const collMod: NeedsOf = request => {
  const { body } = request;
  const changing = need('collMod', ownCollection(request));
  return body.has('viewOn') || body.has('pipeline') ? [changing, ...viewNeeds(request)] : [changing];
};

const rename: NeedsOf = request => {
  const from = namespaceNamed(targetOf(request));
  const to = namespaceNamed(request.body.get('to'));
  const dropping = isSet(request.body.get('dropTarget')) ? [need('dropCollection', to)] : [];
  const moving = [
    ...[need('find', from), need('dropCollection', from)],
    ...[need('insert', to), need('createIndex', to)],
    ...dropping,
  ];
  if (from.kind !== 'collection' || to.kind !== 'collection' || from.db !== to.db) return moving;
  // A client that may not read the collection must not make it readable by renaming it.
  const renaming = [need('renameCollectionSameDB', database(to.db)), { ...need('find', from), ofReadersOf: to }];
  return [...renaming, ...dropping].map(each => ({ ...each, or: moving }));
};

const bulkWrite: NeedsOf = request => {
  const { body } = request;
  const targets = docsIn(body, 'nsInfo').map(info => namespaceNamed(info.get('ns')));
  return docsIn(body, 'ops').flatMap(op => {
    const [name, index] = op.entries()[0] ?? [];
    const on = index !== undefined && isNumber(index) ? targets[toSafeInteger(index) ?? -1] : undefined;
    if (on === undefined) return [];
    const action = name === 'insert' ? ['insert'] : name === 'delete' ? ['remove'] : ['update'];
    const upserting = isSet(op.get('upsert')) ? ['insert'] : [];
    return [...action, ...upserting, ...unchecked(request)].map(one => need(one, on));
  });
};

/** Returns the needs of a `mapReduce`. @throws CommandError 2, 72, 115 for an `out` that the command rejects as well */
const mapReduce: NeedsOf = request => {
  const given = request.body.get('out');
  const read = need('find', ownCollection(request));
  // The command rejects an `out` of another type.
  if (typeof given !== 'string' && !isDoc(given)) return [read];
  const out = outOf(given, false);
  if (out.kind === 'inline') return [read];
  const on = collectionOf(out.db ?? request.db, out.collection);
  const writing = ['insert', out.kind === 'replace' ? 'remove' : 'update', ...unchecked(request)];
  return [read, ...writing.map(action => need(action, on))];
};

/** Returns the needs of an operation of an `applyOps`. @throws CommandError 9 for an unknown operation */
const needsOfOperation = (request: Request, op: Doc, alwaysUpsert: boolean): readonly Need[] => {
  const kind = op.get('op');
  const ns = op.get('ns');
  const command = commandIn(op);
  if (kind === 'n') return [need('appendOplogNote', cluster)];
  const on = namespaceNamed(ns);
  if (command === undefined) {
    if (kind !== 'i' && kind !== 'u' && kind !== 'd') throw fail('FailedToParse', 'Unrecognized opType');
    const upserts = kind === 'u' && (alwaysUpsert || isSet(op.get('b')));
    const action = { i: 'insert', u: 'update', d: 'remove' }[kind];
    return [action, ...(upserts ? ['insert'] : []), ...unchecked(request)].map(one => need(one, on));
  }
  const name = request.named(nameOfCommand(command) ?? '');
  if (name === undefined || !('db' in on)) throw fail('FailedToParse', 'Unrecognized command in op');
  // The option of the command also concerns the operations of an `applyOps` within it.
  const body = unchecked(request).length > 0 ? command.with('bypassDocumentValidation', true) : command;
  return needsOf(name, { ...request, db: name === 'renameCollection' ? 'admin' : on.db, body }) ?? internal;
};

/** Returns the needs of an `applyOps`: its own, those of UUIDs, and those of its operations. */
const applyOps: NeedsOf = request => {
  const { body } = request;
  const demand = demandOf(body);
  const applying = need('applyOps', cluster);
  if (demand === 'everything') return [applying, need('anyAction', anyResource)];
  const uuids = { nothing: [], useUUID: ['useUUID'], forceUUID: ['forceUUID', 'useUUID'] }[demand];
  const alwaysUpsert = upsertsIn(body);
  return [
    applying,
    ...uuids.map(action => need(action, cluster)),
    ...operationsIn(body).flatMap(op => needsOfOperation(request, op, alwaysUpsert)),
  ];
};

/** Returns the needs of the explained command, which may be named by an alias. */
const explain: NeedsOf = request => {
  const inner = targetOf(request);
  if (!isDoc(inner)) return [];
  return needsOf(request.named(inner.keys()[0] ?? '') ?? '', { ...request, body: inner }) ?? internal;
};

const listCollections: NeedsOf = ({ db, body }) => {
  const listing = need('listCollections', database(db));
  const isOwn = isSet(body.get('nameOnly')) && isSet(body.get('authorizedCollections'));
  return [isOwn ? { ...listing, or: [need(anything, { kind: 'within', db })] } : listing];
};

const profile: NeedsOf = request => {
  const { db, body } = request;
  const changing = need('enableProfiler', database(db));
  const isRead = targetOf(request) === -1 && !['slowms', 'sampleRate', 'filter'].some(name => body.has(name));
  return [isRead ? { ...changing, or: [need('find', collectionOf(db, 'system.profile'))] } : changing];
};

/** Every user may end their own sessions, but the owner of a session is unknown here. */
const killAny: NeedsOf = () => [need('killAnySession', cluster)];

const killByPattern: NeedsOf = request => {
  const patterns = targetOf(request);
  const isOfUsers = isArray(patterns) && patterns.some(one => isDoc(one) && (one.has('users') || one.has('roles')));
  return [...killAny(request), ...(isOfUsers ? [need('impersonate', cluster)] : [])];
};

/** Commands about zones need privileges on the collections that store zones, if not `enableSharding`. */
const zones =
  (shards: Action, ...tags: readonly Action[]): NeedsOf =>
  () => {
    const stored = tags.map(action => need(action, collectionOf('config', 'tags')));
    return [{ ...need('enableSharding', cluster), or: [need(shards, collectionOf('config', 'shards')), ...stored] }];
  };

const settings = collectionOf('config', 'settings');

const checkMetadata: NeedsOf = request => {
  const everywhere = need('checkMetadataConsistency', cluster);
  const own = need('checkMetadataConsistency', ownCollection(request));
  return [request.db === 'admin' ? everywhere : { ...everywhere, or: [own] }];
};

/** The commands that need an action on the namespace that they name, by action. */
const ofNamed: Readonly<Record<Action, string>> = {
  find: 'dataSize',
  enableSharding: 'enableSharding shardCollection balancerCollectionStatus configureCollectionBalancing',
  reshardCollection: 'reshardCollection abortReshardCollection commitReshardCollection',
  moveCollection: 'moveCollection abortMoveCollection',
  unshardCollection: 'unshardCollection abortUnshardCollection',
  moveChunk: 'moveChunk moveRange movePrimary',
  splitChunk: 'split mergeChunks mergeAllChunksOnShard',
  refineCollectionShardKey: 'refineCollectionShardKey',
  clearJumboFlag: 'clearJumboFlag',
  analyzeShardKey: 'analyzeShardKey',
  configureQueryAnalyzer: 'configureQueryAnalyzer',
};

/** The commands that need an action on the cluster, by action. Most have the name of their action. */
const ofCluster: Readonly<Record<Action, string>> = {
  ...Object.fromEntries(
    `serverStatus hostInfo getLog getCmdLineOpts getParameter setParameter getDefaultRWConcern setDefaultRWConcern connPoolStats
      setFeatureCompatibilityVersion getClusterParameter setClusterParameter top fsync logRotate shutdown invalidateUserCache
      appendOplogNote replSetGetConfig replSetGetStatus addShard removeShard listShards getShardMap flushRouterConfig
      transitionFromDedicatedConfigServer transitionToDedicatedConfigServer`
      .split(/\s+/)
      .map(name => [name, name]),
  ),
  killop: 'killOp',
  unlock: 'fsyncUnlock',
  checkFreeMonitoringStatus: 'getFreeMonitoringStatus',
  replSetConfigure: 'replSetInitiate replSetReconfig',
  replSetStateChange:
    'replSetStepDown replSetStepUp replSetFreeze replSetMaintenance replSetSyncFrom replSetAbortPrimaryCatchUp',
};

const each = (
  actions: Readonly<Record<Action, string>>,
  needing: (action: Action) => NeedsOf,
): readonly (readonly [command: string, needs: NeedsOf])[] =>
  Object.entries(actions).flatMap(([action, names]) => names.split(' ').map(name => [name, needing(action)] as const));

const aggregate: NeedsOf = request => {
  const { body, db } = request;
  const stages = body.get('pipeline');
  const unvalidated = unchecked(request).flatMap(action => outputsOf(db, stages).map(on => need(action, on)));
  return [...pipelineNeeds(db, ownCollection(request), stages), ...unvalidated];
};

const table: ReadonlyMap<string, NeedsOf> = new Map<string, NeedsOf>([
  ...(
    [
      ...['hello', 'isMaster', 'ping', 'buildInfo', 'connectionStatus', 'whatsmyuri', 'listCommands', 'getnonce'],
      ...['saslStart', 'saslContinue', 'authenticate', 'logout', 'startSession', 'refreshSessions', 'endSessions'],
      ...['getMore', 'killCursors', 'commitTransaction', 'abortTransaction', 'configureFailPoint', 'waitForFailPoint'],
      ...[
        'testVersion2',
        'testDeprecation',
        'testVersions1And2',
        'testRemoval',
        'testDeprecationInVersion2',
        'isdbgrid',
      ],
      ...['listDatabases', 'killSessions', 'sleep', 'echo', 'features'],
    ] as const
  ).map((name): readonly [string, NeedsOf] => [name, nothing]),
  ['find', onCollection('find')],
  ['count', onCollection('find')],
  ['distinct', onCollection('find')],
  ['aggregate', aggregate],
  ['mapReduce', mapReduce],
  ['explain', explain],
  ['insert', request => ['insert', ...unchecked(request)].map(action => need(action, ownCollection(request)))],
  ['update', update],
  ['delete', onCollection('remove')],
  ['findAndModify', findAndModify],
  ['bulkWrite', bulkWrite],
  ['applyOps', applyOps],
  ['create', create],
  ['drop', onCollection('dropCollection')],
  ['dropDatabase', onDatabase('dropDatabase')],
  ['renameCollection', rename],
  ['convertToCapped', onCollection('convertToCapped')],
  [
    'cloneCollectionAsCapped',
    ({ db, body }) => [
      need('find', collectionOf(db, body.entries()[0]?.[1])),
      ...['insert', 'createIndex', 'convertToCapped'].map(action =>
        need(action, collectionOf(db, body.get('toCollection'))),
      ),
    ],
  ],
  ['collMod', collMod],
  ['collStats', onCollection('collStats')],
  ['compact', onCollection('compact')],
  ['reIndex', onCollection('reIndex')],
  ['validate', onCollection('validate')],
  ['validateDBMetadata', () => [need('validate', { kind: 'collection', db: '', collection: '' })]],
  ['createIndexes', onCollection('createIndex')],
  ['dropIndexes', onCollection('dropIndex')],
  ['listIndexes', onCollection('listIndexes')],
  ['listCollections', listCollections],
  ['dbStats', onDatabase('dbStats')],
  ['dbHash', onDatabase('dbHash')],
  ['profile', profile],
  ['planCacheClear', onCollection('planCacheWrite')],
  ['createSearchIndexes', onCollection('createSearchIndexes')],
  ['updateSearchIndex', onCollection('updateSearchIndex')],
  ['dropSearchIndex', onCollection('dropSearchIndex')],
  ['listSearchIndexes', onCollection('listSearchIndexes')],
  ['currentOp', ({ body }) => (body.get('$ownOps') === true ? [] : [need('inprog', cluster)])],
  ['killAllSessions', killAny],
  ['killAllSessionsByPattern', killByPattern],
  ['balancerStart', () => [need('update', settings)]],
  ['balancerStop', () => [need('update', settings)]],
  ['balancerStatus', () => [need('find', settings)]],
  ['checkMetadataConsistency', checkMetadata],
  ['addShardToZone', zones('update')],
  ['removeShardFromZone', zones('update', 'find')],
  ['updateZoneKeyRange', zones('find', 'find', 'update', 'remove')],
  ...each(ofNamed, onNamed),
  ...each(ofCluster, onCluster),
  ...userNeeds,
]);

/**
 * Returns the privileges that a command needs, or undefined for a command that only servers may send.
 * @param command the command's name, not an alias
 */
export const needsOf = (command: string, request: Request): readonly Need[] | undefined =>
  table.get(command)?.(request);
