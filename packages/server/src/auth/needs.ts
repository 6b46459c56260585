import type { Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc, isNumber, isSet, toSafeInteger } from '@tessera/mql/engine';
import { outOf } from '../commands/map-reduce-out.js';
import type { Action } from './actions.js';
import type { Need, NeedsOf, Request } from './need.js';
import { collectionOf, database, namespaceNamed, need } from './need.js';
import { userNeeds } from './user-needs.js';
import { outputsOf, pipelineNeeds } from './pipeline-needs.js';
import type { Target } from './privilege.js';
import { cluster } from './privilege.js';

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
  const actions = ['find', 'update', ...(upserts ? ['insert'] : []), ...unchecked(request)];
  return actions.map(action => need(action, ownCollection(request)));
};

const findAndModify: NeedsOf = request => {
  const { body } = request;
  const writing = isSet(body.get('remove')) ? ['remove'] : ['update', ...(isSet(body.get('upsert')) ? ['insert'] : [])];
  return ['find', ...writing, ...unchecked(request)].map(action => need(action, ownCollection(request)));
};

const create: NeedsOf = request => {
  const { body, db } = request;
  const on = ownCollection(request);
  const viewOn = body.get('viewOn');
  if (viewOn === undefined)
    return [{ anyOf: isSet(body.get('capped')) ? ['createCollection'] : ['createCollection', 'insert'], on }];
  return [need('createCollection', on), ...pipelineNeeds(db, collectionOf(db, viewOn), body.get('pipeline'))];
};

/** A client that changes a view must be allowed to read the collections of the new view. */
const collMod: NeedsOf = request => {
  const { body, db } = request;
  const changing = need('collMod', ownCollection(request));
  if (!body.has('viewOn') && !body.has('pipeline')) return [changing];
  return [changing, ...pipelineNeeds(db, collectionOf(db, body.get('viewOn')), body.get('pipeline'))];
};

const rename: NeedsOf = request => {
  const from = namespaceNamed(targetOf(request));
  const to = namespaceNamed(request.body.get('to'));
  const dropping = isSet(request.body.get('dropTarget')) ? [need('dropCollection', to)] : [];
  if (from.kind === 'collection' && to.kind === 'collection' && from.db === to.db)
    return [need('renameCollectionSameDB', from), need('renameCollectionSameDB', to), ...dropping];
  return [
    ...[need('find', from), need('dropCollection', from)],
    ...[need('insert', to), need('createIndex', to)],
    ...dropping,
  ];
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

/** Returns the needs of the explained command, which may be named by an alias. */
const explain: NeedsOf = request => {
  const inner = targetOf(request);
  if (!isDoc(inner)) return [];
  return needsOf(request.named(inner.keys()[0] ?? '') ?? '', { ...request, body: inner }) ?? internal;
};

const listCollections: NeedsOf = ({ db, body }) =>
  isSet(body.get('nameOnly')) && isSet(body.get('authorizedCollections'))
    ? []
    : [need('listCollections', database(db))];

const profile: NeedsOf = request =>
  targetOf(request) === -1
    ? [{ anyOf: ['enableProfiler', 'find'], on: { kind: 'collection', db: request.db, collection: 'system.profile' } }]
    : [need('enableProfiler', database(request.db))];

/** Every user may end their own sessions, but the owner of a session is unknown here. */
const killAny: NeedsOf = () => [need('killAnySession', cluster)];

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
      ...['getFreeMonitoringStatus', 'listDatabases', 'killSessions', 'sleep', 'echo', 'features', 'getShardMap'],
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
  ['delete', onCollection('find', 'remove')],
  ['findAndModify', findAndModify],
  ['bulkWrite', bulkWrite],
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
  ['dataSize', onNamed('find')],
  ['compact', onCollection('compact')],
  ['reIndex', onCollection('reIndex')],
  ['validate', onCollection('validate')],
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
  ['serverStatus', onCluster('serverStatus')],
  ['hostInfo', onCluster('hostInfo')],
  ['getLog', onCluster('getLog')],
  ['getCmdLineOpts', onCluster('getCmdLineOpts')],
  ['getParameter', onCluster('getParameter')],
  ['setParameter', onCluster('setParameter')],
  ['getDefaultRWConcern', onCluster('getDefaultRWConcern')],
  ['setDefaultRWConcern', onCluster('setDefaultRWConcern')],
  ['setFeatureCompatibilityVersion', onCluster('setFeatureCompatibilityVersion')],
  ['getClusterParameter', onCluster('getClusterParameter')],
  ['setClusterParameter', onCluster('setClusterParameter')],
  ['connPoolStats', onCluster('connPoolStats')],
  ['currentOp', ({ body }) => (body.get('$ownOps') === true ? [] : [need('inprog', cluster)])],
  ['killOp', onCluster('killop')],
  ['top', onCluster('top')],
  ['fsync', onCluster('fsync')],
  ['fsyncUnlock', onCluster('unlock')],
  ['logRotate', onCluster('logRotate')],
  ['shutdown', onCluster('shutdown')],
  ['killAllSessions', killAny],
  ['killAllSessionsByPattern', killAny],
  ['invalidateUserCache', onCluster('invalidateUserCache')],
  ['appendOplogNote', onCluster('appendOplogNote')],
  ['replSetInitiate', onCluster('replSetConfigure')],
  ['replSetReconfig', onCluster('replSetConfigure')],
  ['replSetGetConfig', onCluster('replSetGetConfig')],
  ['replSetGetStatus', onCluster('replSetGetStatus')],
  ['replSetStepDown', onCluster('replSetStateChange')],
  ['replSetStepUp', onCluster('replSetStateChange')],
  ['replSetFreeze', onCluster('replSetStateChange')],
  ['replSetMaintenance', onCluster('replSetStateChange')],
  ['replSetSyncFrom', onCluster('replSetStateChange')],
  ['replSetAbortPrimaryCatchUp', onCluster('replSetStateChange')],
  ['addShard', onCluster('addShard')],
  ['removeShard', onCluster('removeShard')],
  ['listShards', onCluster('listShards')],
  ['flushRouterConfig', onCluster('flushRouterConfig')],
  ['balancerStart', onCluster('balancerOp')],
  ['balancerStop', onCluster('balancerOp')],
  ['balancerStatus', onCluster('balancerOp')],
  ['checkMetadataConsistency', onDatabase('checkMetadataConsistency')],
  ['enableSharding', request => [need('enableSharding', namespaceNamed(targetOf(request)))]],
  ['shardCollection', onNamed('enableSharding')],
  ['reshardCollection', onNamed('reshardCollection')],
  ['moveChunk', onNamed('moveChunk')],
  ['moveRange', onNamed('moveChunk')],
  ['split', onNamed('splitChunk')],
  ['mergeChunks', onNamed('splitChunk')],
  ...userNeeds,
]);

/**
 * Returns the privileges that a command needs, or undefined for a command that only servers may send.
 * @param command the command's name, not an alias
 */
export const needsOf = (command: string, request: Request): readonly Need[] | undefined =>
  table.get(command)?.(request);
