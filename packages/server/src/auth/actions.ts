import type { Value } from '@tessera/mql/engine';

/** Actions that read collections and databases. Rule: "Privilege Actions". */
const reading = `changeStream collStats dbHash dbStats find indexStats killCursors listCollections listIndexes planCacheRead
  listSearchIndexes`;

const writing = `insert remove update bypassDocumentValidation`;

const defining = `collMod compact convertToCapped createCollection createIndex createSearchIndexes dropCollection dropDatabase
  dropIndex dropSearchIndex updateSearchIndex enableProfiler planCacheIndexFilter planCacheWrite reIndex
  renameCollectionSameDB storageDetails validate emptycapped analyze`;

const users = `changeCustomData changeOwnCustomData changeOwnPassword changePassword createRole createUser dropRole dropUser
  grantRole revokeRole setAuthenticationRestriction viewRole viewUser`;

const sharding = `addShard analyzeShardKey balancerOp checkMetadataConsistency cleanupOrphaned clearJumboFlag configureQueryAnalyzer
  enableSharding flushRouterConfig getClusterParameter getDatabaseVersion getShardMap getShardVersion listShards
  listClusterCatalog moveChunk moveCollection refineCollectionShardKey removeShard reshardCollection setClusterParameter
  shardedDataDistribution shardingState splitChunk splitVector transitionFromDedicatedConfigServer
  transitionToDedicatedConfigServer unshardCollection`;

const running = `advanceClusterTime appendOplogNote applicationMessage applyOps operationMetrics authSchemaUpgrade bypassWriteBlockingMode checkFreeMonitoringStatus
  closeAllDatabases connPoolStats connPoolSync cpuProfiler dropConnections forceUUID fsync getCmdLineOpts
  getDefaultRWConcern getLog getParameter hostInfo impersonate inprog internal invalidateUserCache issueDirectShardOperations
  killAnyCursor killAnySession killop listCachedAndActiveUsers listDatabases listSampledQueries listSessions logRotate
  netstat queryStatsRead queryStatsReadTransformed querySettings replSetConfigure replSetGetConfig replSetGetStatus
  replSetHeartbeat replSetReconfig replSetResizeOplog replSetStateChange resync rotateCertificates serverStatus
  setDefaultRWConcern setFeatureCompatibilityVersion setFreeMonitoring setParameter setUserWriteBlockMode shutdown
  top touch trafficRecord unlock useUUID oidReset rotateCertificates`;

/** The name of an action that a privilege can allow. */
export type Action = string & { readonly isAction?: true };

const listOf = (...texts: readonly string[]): readonly Action[] => texts.join(' ').split(/\s+/);

type Group =
  | ('reading' | 'writing' | 'shaping' | 'administering' | 'users')
  | ('monitoring' | 'measuring' | 'managing' | 'chunks' | 'hosting' | 'restoring');

/** The groups of actions that make up the built-in roles. */
export const actions: Readonly<Record<Group, readonly Action[]>> = {
  reading: listOf(
    'changeStream collStats dbHash dbStats find killCursors listCollections listIndexes listSearchIndexes planCacheRead',
  ),
  writing: listOf('insert remove update'),
  shaping: listOf(
    'convertToCapped createCollection createIndex createSearchIndexes dropCollection dropIndex dropSearchIndex',
    'emptycapped renameCollectionSameDB updateSearchIndex',
  ),
  administering: listOf(
    'bypassDocumentValidation collMod collStats compact convertToCapped createCollection createIndex dbStats dropCollection',
    'dropDatabase dropIndex enableProfiler listCollections listIndexes planCacheIndexFilter planCacheRead planCacheWrite',
    'reIndex renameCollectionSameDB storageDetails validate analyze createSearchIndexes dropSearchIndex listSearchIndexes',
    'updateSearchIndex configureQueryAnalyzer',
  ),
  users: listOf(
    'changeCustomData changePassword createRole createUser dropRole dropUser grantRole revokeRole',
    'setAuthenticationRestriction viewRole viewUser',
  ),
  monitoring: listOf(
    'checkFreeMonitoringStatus connPoolStats getCmdLineOpts getDefaultRWConcern getLog getParameter getShardMap hostInfo',
    'inprog listClusterCatalog listDatabases listSampledQueries listSessions listShards netstat operationMetrics',
    'queryStatsRead queryStatsReadTransformed replSetGetConfig replSetGetStatus serverStatus setFreeMonitoring',
    'shardedDataDistribution shardingState top useUUID',
  ),
  measuring: listOf('collStats dbStats getDatabaseVersion getShardVersion indexStats'),
  managing: listOf(
    'addShard appendOplogNote applicationMessage checkMetadataConsistency cleanupOrphaned flushRouterConfig',
    'getClusterParameter getDefaultRWConcern listSessions listShards querySettings queryStatsRead queryStatsReadTransformed',
    'removeShard replSetConfigure replSetGetConfig replSetGetStatus replSetStateChange resync setClusterParameter',
    'setDefaultRWConcern setFeatureCompatibilityVersion transitionFromDedicatedConfigServer',
    'transitionToDedicatedConfigServer',
  ),
  chunks: listOf(
    'clearJumboFlag enableSharding moveChunk moveCollection refineCollectionShardKey reshardCollection splitChunk splitVector',
    'unshardCollection analyzeShardKey configureQueryAnalyzer',
  ),
  hosting: listOf(
    'applicationMessage closeAllDatabases connPoolSync cpuProfiler dropConnections flushRouterConfig fsync',
    'invalidateUserCache killAnyCursor killAnySession killop logRotate oidReset replSetResizeOplog resync',
    'rotateCertificates setParameter shutdown touch trafficRecord unlock',
  ),
  restoring: listOf(
    'bypassDocumentValidation collMod convertToCapped createCollection createIndex createSearchIndexes dropCollection',
    'insert updateSearchIndex',
  ),
};

const all: ReadonlySet<string> = new Set(
  listOf('anyAction', reading, writing, defining, users, sharding, running).concat(listOf('killCursors')),
);

/** All actions. */
export const everyAction: ReadonlySet<Action> = all;

export const isAction = (value: Value): value is Action => typeof value === 'string' && all.has(value);
