import type { Since, Value } from '@tessera/mql/engine';
import { BinaryValue, CommandError, Doc, detached, compare, fail, isArray, isDoc } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '@tessera/server/parts';
import { any, bool, checkNamespace, command, integer, object, required } from '@tessera/server/parts';
import type { Chunk, Distribution } from './distribution.js';
import { cutAt, evenHashes, evenKeys, shardFor, shardsWith } from './distribution.js';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import { pull } from './pull.js';
import { checked } from './replies.js';
import type { Shard } from './shard.js';
import { hostOf } from './shard.js';
import type { ShardKey } from './shard-key.js';
import { parseShardKey } from './shard-key.js';

const nameIn = ({ target }: Call, what: string): string => {
  if (typeof target === 'string' && target !== '') return target;
  throw fail('InvalidNamespace', `${what} requires the name of a database or collection`);
};

/** Sends a command in the name of the mongos, not of a client. */
const run = async (
  mongos: Mongos,
  call: Call,
  shard: Shard,
  db: string,
  body: readonly (readonly [string, Value])[],
) => {
  const whole = Doc.of([...body, ['$db', db]]);
  const { signal } = call.client.peer;
  const { reply } = await mongos.shards.send(shard, {
    db,
    body: whole,
    preference: primary,
    retries: 'undone',
    signal,
  });
  return checked(reply);
};

const docsIn = async (mongos: Mongos, call: Call, shard: Shard, db: string, name: string): Promise<readonly Doc[]> => {
  const body = Doc.of([
    ['find', name],
    ['$db', db],
  ]);
  return pull(mongos, { ...call, db, body }, shard, { body, collection: name });
};

const firstBatch = (reply: Doc): readonly Doc[] => {
  const cursor = reply.get('cursor');
  const batch = isDoc(cursor) ? cursor.get('firstBatch') : undefined;
  return isArray(batch) ? batch.filter(isDoc) : [];
};

/** Returns whether an index begins with the shard key. */
const startsWithKey = (index: Doc, key: ShardKey): boolean => {
  const fields = index.get('key');
  if (!isDoc(fields)) return false;
  const own = fields.entries();
  return key.doc.entries().every(([name, value], i) => own[i]?.[0] === name && compare(own[i][1], value) === 0);
};

const indexName = ({ doc }: ShardKey): string =>
  doc
    .entries()
    .map(([name, value]) => `${name}_${value === 'hashed' ? 'hashed' : 1}`)
    .join('_');

interface Plan {
  readonly db: string;
  readonly name: string;
  readonly key: ShardKey;
  readonly isUnique: boolean;
  readonly home: Shard;
}

/**
 * Reads the collection on its primary shard, and creates it if it does not exist.
 * @throws CommandError 72, 166
 */
const prepare = async (mongos: Mongos, call: Call, { db, name, key, isUnique, home }: Plan) => {
  await run(mongos, call, home, db, [['create', name]]).catch((error: unknown) => {
    if (!(error instanceof CommandError) || error.code !== 48) throw error;
  });
  const shown = await run(mongos, call, home, db, [
    ['listCollections', 1],
    ['filter', Doc.of([['name', name]])],
  ]);
  const [collection] = firstBatch(shown);
  if (collection?.get('type') !== 'collection') {
    throw fail(
      'CommandNotSupportedOnView',
      `Namespace ${db}.${name} is a view or a time series collection, which this server cannot shard`,
    );
  }
  const docs = await docsIn(mongos, call, home, db, name);
  const indexes = firstBatch(await run(mongos, call, home, db, [['listIndexes', name]]));
  if (!indexes.some(index => startsWithKey(index, key))) {
    if (docs.length > 0)
      throw fail(
        'InvalidOptions',
        'Please create an index that starts with the proposed shard key before sharding the collection',
      );
    const index = Doc.of([
      ['key', key.doc],
      ['name', indexName(key)],
      ...(isUnique ? ([['unique', true]] as const) : []),
    ]);
    await run(mongos, call, home, db, [
      ['createIndexes', name],
      ['indexes', [index]],
    ]);
  }
  return { collection, docs, indexes: firstBatch(await run(mongos, call, home, db, [['listIndexes', name]])) };
};

/** An empty collection that is sharded by ranges starts with one chunk, because its keys are not known yet. */
const chunksFor = ({ key, home }: Plan, docs: readonly Doc[], shards: readonly Shard[]): readonly Chunk[] => {
  const hashes = evenHashes(key, shards.length);
  if (hashes !== undefined) return cutAt(key, hashes, shards);
  const points = evenKeys(key, docs, shards.length);
  return cutAt(key, points, points.length === 0 ? [home] : shards);
};

/** Creates the collection and its indexes on a shard before documents arrive. */
const createOn = async (
  mongos: Mongos,
  call: Call,
  { db, name }: Plan,
  shard: Shard,
  collection: Doc,
  indexes: readonly Doc[],
) => {
  const options = collection.get('options');
  await run(mongos, call, shard, db, [['create', name], ...(isDoc(options) ? options.entries() : [])]);
  const others = indexes.filter(index => index.get('name') !== '_id_').map(index => index.without('ns'));
  if (others.length > 0)
    await run(mongos, call, shard, db, [
      ['createIndexes', name],
      ['indexes', others],
    ]);
};

const move = async (mongos: Mongos, call: Call, { db, name, home }: Plan, shard: Shard, docs: readonly Doc[]) => {
  if (docs.length === 0) return;
  await run(mongos, call, shard, db, [
    ['insert', name],
    ['documents', docs],
    ['bypassDocumentValidation', true],
  ]);
  const ids = docs.map(doc =>
    Doc.of([
      ['q', Doc.of([['_id', Doc.of([['$eq', doc.get('_id')!]])]])],
      ['limit', 1],
    ]),
  );
  await run(mongos, call, home, db, [
    ['delete', name],
    ['deletes', ids],
  ]);
};

const uuidOf = (collection: Doc): BinaryValue | undefined => {
  const info = collection.get('info');
  const uuid = isDoc(info) ? info.get('uuid') : undefined;
  return uuid instanceof BinaryValue ? uuid : undefined;
};

const checkNew = (known: Distribution, { key, isUnique }: Plan): Fields => {
  const same = compare(known.key.doc, key.doc) === 0 && known.isUnique === isUnique;
  if (same) return [['collectionsharded', known.ns]];
  throw fail('AlreadyInitialized', `sharding already enabled for collection ${known.ns}`);
};

/** Records the event for change streams. */
const noteSharded = ({ ns, uuid, key, isUnique }: Distribution, { home }: Plan): void => {
  const primary = home.members.find(({ member }) => member.isPrimary);
  if (primary === undefined || uuid === undefined) return;
  const description = Doc.of([
    ['shardKey', key.doc],
    ['unique', isUnique],
    ['numInitialChunks', 0n],
    ['presplitHashedZones', false],
  ]);
  primary.state.engine.note({ kind: 'shardCollection', ns, uuid, description: detached(description) });
};

const shardCollection = (mongos: Mongos): Command =>
  command({
    name: 'shardCollection',
    schema: {
      ...{ key: required(object()), unique: bool(), numInitialChunks: integer(1), collation: object() },
      ...{
        presplitHashedZones: bool(),
        timeseries: any(),
        implicitlyCreateIndex: bool(),
        enforceUniquenessCheck: bool(),
      },
    },
    adminOnly: true,
    writeConcern: true,
    help: 'Distributes a collection over the shards.',
    run: async (call, { key: given, unique = false }): Promise<Fields> => {
      const whole = nameIn(call, 'shardCollection');
      const dot = whole.indexOf('.');
      const [db, name] = [whole.slice(0, dot), whole.slice(dot + 1)];
      const ns = checkNamespace(db, dot < 0 ? '' : name);
      const { catalog } = mongos;
      const plan: Plan = { db, name, key: parseShardKey(given), isUnique: unique, home: catalog.assign(db) };
      if (unique && plan.key.fields.some(({ isHashed }) => isHashed))
        throw fail('InvalidOptions', 'Hashed shard keys cannot be declared unique');
      const known = catalog.distributionOf(ns);
      if (known !== undefined) return checkNew(known, plan);
      const { collection, docs, indexes } = await prepare(mongos, call, plan);
      const chunks = chunksFor(plan, docs, catalog.shards);
      const { engine } = call;
      const distribution = {
        ns,
        key: plan.key,
        isUnique: unique,
        uuid: uuidOf(collection),
        epoch: engine.newObjectId(),
        chunks,
      };
      for (const shard of shardsWith(distribution)) {
        if (shard === plan.home) continue;
        await createOn(mongos, call, plan, shard, collection, indexes);
        await move(
          mongos,
          call,
          plan,
          shard,
          docs.filter(doc => shardFor(distribution, doc) === shard),
        );
      }
      catalog.distribute(distribution);
      noteSharded(distribution, plan);
      return [['collectionsharded', ns]];
    },
  });

const enableSharding = ({ catalog }: Mongos): Command =>
  command({
    name: 'enableSharding',
    schema: { primaryShard: any() },
    adminOnly: true,
    writeConcern: true,
    help: 'Assigns a primary shard to a database. All databases may have sharded collections.',
    run: call => {
      const db = nameIn(call, 'enableSharding');
      catalog.assign(db);
      return [];
    },
  });

const listShards = ({ catalog }: Mongos): Command =>
  command({
    name: 'listShards',
    lenient: true,
    adminOnly: true,
    help: 'Lists the shards.',
    run: () => [
      [
        'shards',
        catalog.shards.map(shard =>
          Doc.of([
            ['_id', shard.name],
            ['host', hostOf(shard)],
            ['state', 1],
          ]),
        ),
      ],
    ],
  });

const getShardMap = ({ catalog }: Mongos): Command =>
  command({
    name: 'getShardMap',
    lenient: true,
    adminOnly: true,
    help: 'Returns the hosts of the shards and the name of the config shard.',
    run: () => {
      const { shards, config } = catalog;
      const hosts = shards.flatMap(({ name, members }) => members.map(({ state }) => [state.address, name] as const));
      return [
        ['map', Doc.of([...shards.map(shard => [shard.name, hostOf(shard)] as const), ['config', hostOf(config)]])],
        ['hosts', Doc.of(hosts)],
        ['connStrings', Doc.of(shards.map(shard => [hostOf(shard), shard.name]))],
      ];
    },
  });

const balancer = ({ catalog }: Mongos): readonly Command[] => {
  const switchTo = (name: string, runs: boolean): Command =>
    command({
      name,
      lenient: true,
      adminOnly: true,
      help: 'Records the setting. Documents are never moved.',
      run: () => {
        catalog.balancerRuns = runs;
        return [];
      },
    });
  const status = command({
    name: 'balancerStatus',
    lenient: true,
    adminOnly: true,
    help: 'Returns whether the balancer was stopped.',
    run: () => [
      ['mode', catalog.balancerRuns ? 'full' : 'off'],
      ['inBalancerRound', false],
      ['numBalancerRounds', 0n],
    ],
  });
  return [switchTo('balancerStart', true), switchTo('balancerStop', false), status];
};

/** Sharding commands of mongos that are not supported. */
const refused: readonly (readonly [name: string, why: string, since?: Since])[] = [
  ['addShard', 'the shards of a cluster cannot be changed after its creation'],
  ['removeShard', 'the shards of a cluster cannot be changed after its creation'],
  ['moveChunk', 'the chunks of a collection are created when it is sharded and cannot be moved'],
  ['moveRange', 'the chunks of a collection are created when it is sharded and cannot be moved'],
  ['split', 'the chunks of a collection are created when it is sharded and cannot be changed'],
  ['mergeChunks', 'the chunks of a collection are created when it is sharded and cannot be changed'],
  ['mergeAllChunksOnShard', 'the chunks of a collection are created when it is sharded and cannot be changed', '7.0'],
  ['clearJumboFlag', 'the chunks of a collection are created when it is sharded and cannot be moved'],
  ['configureCollectionBalancing', 'documents are never moved', '5.3'],
  ['addShardToZone', 'documents are never moved'],
  ['removeShardFromZone', 'documents are never moved'],
  ['updateZoneKeyRange', 'documents are never moved'],
  ['movePrimary', 'the primary shard of a database cannot be changed'],
  ['moveCollection', 'an unsharded collection cannot leave the primary shard of its database', '8.0'],
  ['abortMoveCollection', 'an unsharded collection cannot leave the primary shard of its database', '8.0'],
  ['unshardCollection', 'a sharded collection cannot be unsharded', '8.0'],
  ['abortUnshardCollection', 'a sharded collection cannot be unsharded', '8.0'],
  ['abortReshardCollection', 'the shard key of a collection cannot be changed', '5.0'],
  ['commitReshardCollection', 'the shard key of a collection cannot be changed', '5.0'],
  ['analyzeShardKey', 'no statistics of shard keys are collected', '7.0'],
  ['configureQueryAnalyzer', 'no statistics of shard keys are collected', '7.0'],
  ['transitionFromDedicatedConfigServer', 'the shards of a cluster cannot be changed after its creation', '8.0'],
  ['transitionToDedicatedConfigServer', 'the shards of a cluster cannot be changed after its creation', '8.0'],
  ['reshardCollection', 'the shard key of a collection cannot be changed', '5.0'],
  ['refineCollectionShardKey', 'the shard key of a collection cannot be changed'],
];

const refusing = ([name, why, since]: (typeof refused)[number]): Command =>
  command({
    name,
    since,
    lenient: true,
    adminOnly: true,
    help: `Not supported: ${why}.`,
    run: () => {
      throw fail('CommandNotSupported', `${name} is not supported by this server: ${why}`);
    },
  });

const isdbgrid = command({
  name: 'isdbgrid',
  lenient: true,
  help: 'Identifies a mongos.',
  run: ({ server: { address } }) => [
    ['isdbgrid', 1],
    ['hostname', address],
  ],
});

const flushRouterConfig = command({
  name: 'flushRouterConfig',
  lenient: true,
  adminOnly: true,
  target: any(),
  help: 'Does nothing: the routing table of a mongos is always current.',
  run: () => [['flushed', true]],
});

const balancerCollectionStatus = ({ catalog }: Mongos): Command =>
  command({
    name: 'balancerCollectionStatus',
    since: '4.4',
    lenient: true,
    adminOnly: true,
    help: 'Returns that no chunks have to be moved.',
    run: call => {
      const ns = nameIn(call, 'balancerCollectionStatus');
      if (catalog.distributionOf(ns) === undefined)
        throw fail('NamespaceNotSharded', `Collection unsharded or undefined: ${ns}`);
      return [
        ['chunkSize', 128],
        ['balancerCompliant', true],
      ];
    },
  });

const checkMetadataConsistency = command({
  name: 'checkMetadataConsistency',
  since: '7.0',
  schema: { cursor: object(), checkIndexes: bool() },
  target: any(),
  help: 'Checks the metadata of the shards. There is only one copy of it, so no inconsistency is ever found.',
  run: ({ db, target }) => [
    [
      'cursor',
      Doc.of([
        ['firstBatch', []],
        ['id', 0n],
        ['ns', `${db}.${typeof target === 'string' ? target : '$cmd.aggregate'}`],
      ]),
    ],
  ],
});

/** The commands that only a mongos has. */
export const shardingCommands = (mongos: Mongos): readonly Command[] => [
  shardCollection(mongos),
  enableSharding(mongos),
  listShards(mongos),
  getShardMap(mongos),
  ...balancer(mongos),
  balancerCollectionStatus(mongos),
  isdbgrid,
  flushRouterConfig,
  checkMetadataConsistency,
  ...refused.map(refusing),
];
