import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';
import { checkCluster } from '@tessera/server/parts';
import { giving } from './gathering.js';
import type { Mongos } from './mongos.js';
import { preferenceIn } from './preference.js';
import { pull } from './pull.js';
import { checked } from './replies.js';
import type { Route } from './routes.js';
import { Scratch } from './scratch.js';
import type { Shard } from './shard.js';

const primaryPreferred = preferenceIn(Doc.of([['$readPreference', Doc.of([['mode', 'primaryPreferred']])]]));

/**
 * Parses `shard0:123` to the shard and its operation id.
 * @throws CommandError 28625, 70, 9, 15
 */
const placeOf = ({ catalog }: Mongos, op: string): { readonly shard: Shard; readonly id: number } => {
  const colon = op.indexOf(':');
  if (colon < 1 || colon === op.length - 1)
    throw fail(28625, `The op argument to killOp must be of the format shardid:opid but found "${op}"`);
  const [name, id] = [op.slice(0, colon), op.slice(colon + 1)];
  const shard = catalog.shards.find(one => one.name === name);
  if (shard === undefined) throw fail('ShardNotFound', `Could not find shard ${name}`);
  if (!/^-?\d+$/.test(id)) throw fail('FailedToParse', `Did not consume whole string as a number: ${id}`);
  if (Number(id) !== (Number(id) | 0)) throw fail('Overflow', `The operation id does not fit into 32 bits: ${id}`);
  return { shard, id: Number(id) };
};

/** A number is an operation of the mongos; `shard:number` is an operation of a shard. */
export const killOp: Route = async (mongos, call, command, args) => {
  const op = call.body.get('op');
  if (typeof op !== 'string') return command.run(call, args);
  const { shard, id } = placeOf(mongos, op);
  const body = Doc.of([
    ['killOp', 1],
    ['op', id],
    ['$db', 'admin'],
  ]);
  const { signal } = call.client.peer;
  const errand = { db: 'admin', body, preference: primaryPreferred, retries: 'always', signal } as const;
  checked((await mongos.shards.send(shard, errand)).reply);
  return [
    ['shard', shard.name],
    ['shardid', id],
  ];
};

/** Returns a shard's operation with the id that the mongos uses. */
const named = (shard: Shard, operation: Doc): Doc => {
  const entries = operation.entries().map(([name, value]): Entry => {
    if (name === 'opid' && isNumber(value)) return [name, `${shard.name}:${toDouble(value)}`];
    return [name === 'client' ? 'client_s' : name, value];
  });
  return Doc.of([['shard', shard.name], ...entries]);
};

const operationsOn = async (mongos: Mongos, call: Call, spec: Value): Promise<readonly Doc[]> => {
  const own = call.body.entries().filter(([name]) => name === '$readPreference' || name === 'maxTimeMS');
  const body = Doc.of([
    ['aggregate', 1],
    ['pipeline', [Doc.of([['$currentOp', spec]])]],
    ['cursor', Doc.EMPTY],
    ...own,
    ['$db', 'admin'],
  ]);
  const all = mongos.catalog.shards.map(async shard => {
    const some = await pull(mongos, call, shard, { body, collection: '$cmd.aggregate' });
    return some.map(one => named(shard, one));
  });
  return (await Promise.all(all)).flat();
};

/** Lists the operations of all shards, or with `$local` those of the mongos. */
export const currentOp: Route = async (mongos, call, command, args): Promise<Fields> => {
  if (call.body.get('$local') === true) return (await command.run(call, args)) as Fields;
  checkCluster(call, 'inprog');
  return [['inprog', await operationsOn(mongos, call, Doc.of([['allUsers', true]]))]];
};

/** `{ $currentOp: { localOps: true } }` lists the operations of the mongos, otherwise those of the shards. */
export const aggregateOperations: Route = async (mongos, call, command, args) => {
  const pipeline = call.body.get('pipeline');
  const [first, ...rest] = isArray(pipeline) ? pipeline : [];
  const spec = isDoc(first) ? first.get('$currentOp') : undefined;
  if (!isDoc(spec) || spec.get('localOps') === true || call.db !== 'admin' || typeof call.target === 'string')
    return command.run(call, args);
  // The operations of shards require the privilege, even the user's own operations.
  checkCluster(call, 'inprog');
  const docs = await operationsOn(mongos, call, spec.without('localOps'));
  return new Scratch(mongos.runtime, call).answer(mongos, call.body.with('pipeline', [giving(docs), ...rest]));
};
