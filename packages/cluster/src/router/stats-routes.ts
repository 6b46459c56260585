import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, double, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';
import { onAll } from './broadcast-routes.js';
import type { Mongos } from './mongos.js';
import type { Route } from './routes.js';
import { writesIn } from './routes.js';
import type { Shard } from './shard.js';
import { hostOf } from './shard.js';

/** Fields that are summed over the shards. */
const summed: ReadonlySet<string> = new Set([
  ...['count', 'size', 'storageSize', 'totalIndexSize', 'totalSize', 'freeStorageSize', 'indexSizes'],
  ...['collections', 'views', 'indexes', 'objects', 'dataSize', 'indexSize', 'numObjects', 'numFiles'],
]);

const numberIn = (fields: Fields, name: string): number => {
  const value = fields.find(([key]) => key === name)?.[1];
  return isNumber(value) ? toDouble(value) : 0;
};

const sumOf = (name: string, value: Value, all: readonly Fields[]): Value => {
  if (isDoc(value)) {
    const parts = all.flatMap(fields =>
      fields.flatMap(([key, one]) => (key === name && isDoc(one) ? [one.entries()] : [])),
    );
    const names = [...new Set(parts.flatMap(part => part.map(([key]) => key)))];
    return Doc.of(names.map((key): Entry => [key, sumOf(key, value.get(key) ?? 0, parts)]));
  }
  const sum = all.reduce((total, fields) => total + numberIn(fields, name), 0);
  return typeof value === 'bigint' ? BigInt(sum) : sum;
};

/** The average weighted by the number of objects. Sizes are in the requested unit, averages in bytes. */
const averageOf = (all: readonly Fields[], counted: string): number => {
  const count = all.reduce((sum, one) => sum + numberIn(one, counted), 0);
  const size = all.reduce((sum, one) => sum + numberIn(one, 'avgObjSize') * numberIn(one, counted), 0);
  return count === 0 ? 0 : size / count;
};

/**
 * Sums the fields of all shards. A shard without objects may have no average.
 * @param counted the name of the field with the number of objects
 */
const added = (all: readonly Fields[], counted: string): Fields => {
  const fullest = all.find(fields => fields.some(([name]) => name === 'avgObjSize')) ?? all[0]!;
  return fullest.map(([name, value]) => {
    if (summed.has(name)) return [name, sumOf(name, value, all)];
    return [name, name === 'avgObjSize' ? double(averageOf(all, counted)) : value];
  });
};

const statsOn = (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<readonly Fields[]> =>
  onAll(mongos, call, shards, { body: call.body, writes: false });

const byShard = (shards: readonly Shard[], all: readonly Fields[], nameOf: (shard: Shard) => string): Doc =>
  Doc.of(shards.map((shard, i) => [nameOf(shard), Doc.of(all[i]!)]));

const nameOf = ({ name }: Shard): string => name;

const targetOf = ({ target }: Call): string => (typeof target === 'string' ? target : '');

export const collStats: Route = async (mongos, call) => {
  const name = targetOf(call);
  const distribution = mongos.catalog.distributionOf(`${call.db}.${name}`);
  const shards = mongos.catalog.shardsOf(call.db, name);
  const all = await statsOn(mongos, call, shards);
  return [
    ['sharded', distribution !== undefined],
    ...added(all, 'count'),
    ['nchunks', distribution?.chunks.length ?? 1],
    ['shards', byShard(shards, all, nameOf)],
  ];
};

export const dbStats: Route = async (mongos, call) => {
  const { shards } = mongos.catalog;
  const all = await statsOn(mongos, call, shards);
  return [['raw', byShard(shards, all, hostOf)], ...added(all, 'objects')];
};

export const dataSize: Route = async (mongos, call) => {
  const ns = targetOf(call);
  const dot = ns.indexOf('.');
  const all = await statsOn(mongos, call, mongos.catalog.shardsOf(ns.slice(0, dot), ns.slice(dot + 1)));
  return added(all, 'numObjects');
};

/** Validates a collection on each of its shards and combines the results. */
export const validate: Route = async (mongos, call) => {
  const shards = mongos.catalog.shardsOf(call.db, targetOf(call));
  const all = await statsOn(mongos, call, shards);
  const isValid = all.every(fields => fields.some(([name, value]) => name === 'valid' && value === true));
  return [
    ['raw', byShard(shards, all, nameOf)],
    ['valid', isValid],
  ];
};

export const fsync: Route = async (mongos, call, command) => {
  const { shards } = mongos.catalog;
  const all = await onAll(mongos, call, shards, { body: call.body, writes: writesIn(call, command) });
  return [...added(all, 'numFiles'), ['all', byShard(shards, all, nameOf)]];
};
