import type { Call, Fields, Reply } from '../commands/command.js';
import { fail } from '../errors.js';
import { isArray, isDoc } from '../value/value.js';
import type { Mongos } from './mongos.js';
import type { Route } from './routes.js';
import { passTo } from './routes.js';
import type { Shard } from './shard.js';

/** The shards that have the collections of which the command tells. */
const shardsIn = ({ catalog }: Mongos, { body }: Call): readonly Shard[] => {
  const info = body.get('nsInfo');
  const names = (isArray(info) ? info : []).map(one => (isDoc(one) ? one.get('ns') : undefined));
  const shards = names.flatMap(ns => {
    if (typeof ns !== 'string') return [];
    const dot = ns.indexOf('.');
    return catalog.shardsOf(ns.slice(0, dot), ns.slice(dot + 1));
  });
  return [...new Set(shards)];
};

/** Whole, to the one shard that has everything it writes to. @throws CommandError 115 if there are more */
export const bulkWrite: Route = (mongos, call, command): Promise<Fields | Reply> => {
  const [shard = mongos.catalog.config, ...more] = shardsIn(mongos, call);
  if (more.length > 0)
    throw fail('CommandNotSupported', 'bulkWrite to collections of several shards is not supported by this server');
  return passTo(mongos, call, command, shard);
};
