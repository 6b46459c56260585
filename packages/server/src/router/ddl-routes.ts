import type { Call, Command, Fields } from '../commands/command.js';
import { CommandError, fail } from '../errors.js';
import { dbOf } from '../store/collection.js';
import { Doc } from '../value/doc.js';
import { toDouble } from '../value/numbers.js';
import { isNumber } from '../value/value.js';
import type { Mongos } from './mongos.js';
import { fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { withToken, writesIn } from './routes.js';
import type { Shard } from './shard.js';

const nameIn = ({ target }: Call): string => (typeof target === 'string' ? target : '');

/** The primary shard of the database first: what it says is what the mongos says. */
const homeFirst = ({ catalog }: Mongos, { db }: Call, shards: readonly Shard[]): readonly Shard[] => {
  const home = catalog.homeOf(db);
  return [home, ...shards.filter(shard => shard !== home)];
};

const namespaceNotFound = 26;
const indexNotFound = 27;

/** To every shard that has a part of the collection. A shard that has nothing of what the first had is no failure. */
export const whereverItIs = async (mongos: Mongos, call: Call, command: Command): Promise<Fields> => {
  const { catalog } = mongos;
  if (command.name === 'createIndexes') catalog.settle(call.db);
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

export const drop: Route = async (mongos, call, command) => {
  const fields = await whereverItIs(mongos, call, command);
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

/** Sums, of what is measured alike on every shard. */
const summed: ReadonlySet<string> = new Set([
  ...['count', 'size', 'storageSize', 'totalIndexSize', 'totalSize', 'freeStorageSize'],
  ...['objects', 'dataSize', 'indexSize', 'numObjects'],
]);

const added = (all: readonly Fields[]): Fields =>
  all[0]!.map(([name, value]) => {
    if (!summed.has(name) || !isNumber(value)) return [name, value];
    const sum = all.reduce((total, fields) => {
      const one = fields.find(([key]) => key === name)?.[1];
      return total + (isNumber(one) ? toDouble(one) : 0);
    }, 0);
    return [name, typeof value === 'bigint' ? BigInt(sum) : sum];
  });

const statsOf = async (mongos: Mongos, call: Call, shards: readonly Shard[]) => {
  const all = await Promise.all(
    shards.map(async shard => fieldsIn((await mongos.pass(call, shard, { body: call.body, writes: false })).reply)),
  );
  return { all, byShard: Doc.of(shards.map(({ name }, i) => [name, Doc.of(all[i]!)])) };
};

export const collStats: Route = async (mongos, call) => {
  const isSharded = mongos.catalog.distributionOf(`${call.db}.${nameIn(call)}`) !== undefined;
  const { all, byShard } = await statsOf(mongos, call, mongos.catalog.shardsOf(call.db, nameIn(call)));
  return [['sharded', isSharded], ...added(all), ['nchunks', 1], ['shards', byShard]];
};

export const dbStats: Route = async (mongos, call) => {
  const { all, byShard } = await statsOf(mongos, call, mongos.catalog.shards);
  return [['raw', byShard], ...added(all)];
};

/** It is said to `admin`, of a collection elsewhere. @throws CommandError 20 for one that is sharded, 13137 between shards */
export const toRename: Route = async (mongos, call) => {
  const from = nameIn(call);
  const { catalog } = mongos;
  const to = call.body.get('to');
  for (const ns of [from, to])
    if (typeof ns === 'string' && catalog.distributionOf(ns) !== undefined)
      throw fail('IllegalOperation', `Cannot rename to or from a sharded collection: ${ns}`);
  const home = catalog.homeOf(dbOf(from));
  if (typeof to === 'string' && catalog.settle(dbOf(to), home) !== home)
    throw fail(13137, 'Source and destination collections must be on same shard');
  const { reply } = await mongos.pass(call, home, { body: call.body, writes: true });
  return fieldsIn(reply);
};
