import { CommandError, fail, isArray, isAtLeast, isDoc, show } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '@tessera/server/parts';
import { dbOf, flag } from '@tessera/server/parts';
import type { Distribution } from './distribution.js';
import { shardsWith } from './distribution.js';
import type { Mongos } from './mongos.js';
import { fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { toHome, withToken, writesIn } from './routes.js';
import type { Shard } from './shard.js';

const nameIn = ({ target }: Call): string => (typeof target === 'string' ? target : '');

/** Orders shards with the database's primary shard first. Its reply is the reply of the mongos. */
const homeFirst = ({ catalog }: Mongos, { db }: Call, shards: readonly Shard[]): readonly Shard[] => {
  const home = catalog.homeOf(db);
  return [home, ...shards.filter(shard => shard !== home)];
};

const namespaceNotFound = 26;
const indexNotFound = 27;

/**
 * Sends a command to all shards that store a part of the collection. A part or an index that is missing on another
 * shard than the first is ignored.
 */
export const toOwningShards = async (mongos: Mongos, call: Call, command: Command): Promise<Fields> => {
  const { catalog } = mongos;
  const [first, ...others] = homeFirst(mongos, call, catalog.shardsOf(call.db, nameIn(call)));
  const passage = { body: call.body, writes: writesIn(call, command) };
  const fields = fieldsIn((await mongos.pass(call, first!, passage)).reply);
  for (const shard of others) {
    await mongos.pass(call, shard, passage).catch((error: unknown) => {
      if (error instanceof CommandError && [namespaceNotFound, indexNotFound].includes(error.code)) return;
      throw error;
    });
  }
  return withToken(mongos, call, fields);
};

/**
 * A unique index of a collection on several shards must begin with the shard key.
 * @throws CommandError 67
 */
const checkUnique = ({ key }: Distribution, { body }: Call): void => {
  const indexes = body.get('indexes');
  for (const index of isArray(indexes) ? indexes.filter(isDoc) : []) {
    const fields = index.get('key');
    if (!flag(index, 'unique') || !isDoc(fields)) continue;
    const names = fields.keys();
    if (key.fields.every(({ name, isHashed }, i) => names[i] === name && !isHashed)) continue;
    throw fail(
      'CannotCreateIndex',
      `cannot create unique index over ${show(fields)} with shard key pattern ${show(key.doc)}`,
    );
  }
};

export const createIndexes: Route = (mongos, call, command) => {
  const distribution = mongos.catalog.distributionOf(`${call.db}.${nameIn(call)}`);
  if (distribution !== undefined) checkUnique(distribution, call);
  else mongos.catalog.assign(call.db);
  return toOwningShards(mongos, call, command);
};

/** @throws CommandError 20 for a sharded collection */
export const wholeOnly: Route = (mongos, call, command) => {
  if (mongos.catalog.distributionOf(`${call.db}.${nameIn(call)}`) === undefined) return toHome(mongos, call, command);
  throw fail('IllegalOperation', `can't do command: ${command.name} on sharded collection`);
};

export const drop: Route = async (mongos, call, command) => {
  const fields = await toOwningShards(mongos, call, command);
  mongos.catalog.forgetCollection(`${call.db}.${nameIn(call)}`);
  return fields;
};

export const dropDatabase: Route = async (mongos, call) => {
  const { catalog } = mongos;
  let fields: Fields = [];
  for (const shard of [...homeFirst(mongos, call, catalog.shards)].reverse())
    fields = fieldsIn((await mongos.pass(call, shard, { body: call.body, writes: true })).reply);
  catalog.forgetDatabase(call.db);
  return fields;
};

/**
 * Renames a sharded collection on each of its shards.
 * @throws CommandError 20 for a rename to another database, or before 5.0
 */
const renameSharded = async (mongos: Mongos, call: Call, distribution: Distribution, to: string): Promise<Fields> => {
  const { ns } = distribution;
  if (!isAtLeast(call.engine.version, '5.0') || dbOf(ns) !== dbOf(to))
    throw fail('IllegalOperation', `Cannot rename to or from a sharded collection: ${ns}`);
  const [first, ...others] = homeFirst(mongos, { ...call, db: dbOf(ns) }, shardsWith(distribution));
  const passage = { body: call.body, writes: true };
  const fields = fieldsIn((await mongos.pass(call, first!, passage)).reply);
  for (const shard of others) {
    await mongos.pass(call, shard, passage).catch((error: unknown) => {
      if (!(error instanceof CommandError) || error.code !== namespaceNotFound) throw error;
    });
  }
  mongos.catalog.distribute({ ...distribution, ns: to });
  mongos.catalog.forgetCollection(ns);
  return fields;
};

/**
 * Renames a collection. The command is sent to `admin`.
 * @throws CommandError 20 if the target is sharded, 13137 if source and target are on different shards
 */
export const toRename: Route = async (mongos, call) => {
  const from = nameIn(call);
  const { catalog } = mongos;
  const to = call.body.get('to');
  if (typeof to === 'string' && catalog.distributionOf(to) !== undefined)
    throw fail('IllegalOperation', `Cannot rename to or from a sharded collection: ${to}`);
  const distribution = catalog.distributionOf(from);
  if (distribution !== undefined && typeof to === 'string') return renameSharded(mongos, call, distribution, to);
  const home = catalog.homeOf(dbOf(from));
  if (typeof to === 'string' && catalog.assign(dbOf(to), home) !== home)
    throw fail(13137, 'Source and destination collections must be on same shard');
  const { reply } = await mongos.pass(call, home, { body: call.body, writes: true });
  return fieldsIn(reply);
};
