import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, checkKnownIn, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call, Command, Fields, Reply } from '@tessera/server/parts';
import { openStream } from '@tessera/server/parts';
import { configContents } from './config-database.js';
import type { Distribution } from './distribution.js';
import { shardsFor } from './distribution.js';
import { explainedAggregate } from './explain-route.js';
import { gathered, indexesFor, isSpreadOver, pullAll } from './gathering.js';
import type { Mongos } from './mongos.js';
import { aggregateOperations } from './operation-routes.js';
import { aggregateInto, outputOf } from './output-routes.js';
import { firstMatch, namesIn, readWith, stagesOf } from './reading.js';
import type { Route } from './routes.js';
import { passTo, toHome, withToken } from './routes.js';
import { Scratch } from './scratch.js';
import { originOfShards } from './shard-streams.js';
import type { Shard } from './shard.js';

const numberOf = (value: Value | undefined): number => (isNumber(value) ? toDouble(value) : 0);

const docOf = (value: Value | undefined): Doc => (isDoc(value) ? value : Doc.EMPTY);

const targetsOf = (distribution: Distribution, filter: Doc, { body }: Call): readonly Shard[] =>
  shardsFor(distribution, filter, body.has('collation'));

/** Returns the find command for each of several shards: whole documents, and as many as the result may need. */
const findPart = (body: Doc): Doc => {
  const without = new Set(['projection', 'skip', 'limit', 'batchSize', 'singleBatch', 'returnKey', 'showRecordId']);
  const limit = numberOf(body.get('limit'));
  const part: Entry[] = body.entries().filter(([name]) => !without.has(name));
  if (limit > 0) part.push(['limit', BigInt(limit + numberOf(body.get('skip')))]);
  return Doc.of([...part, ['batchSize', 0x7fff_ffff]]);
};

const distributionFor = ({ catalog }: Mongos, { db, target }: Call): Distribution | undefined =>
  typeof target === 'string' ? catalog.distributionOf(`${db}.${target}`) : undefined;

/** Reads the part of the `config` database that is computed rather than stored. */
const inConfig = async (mongos: Mongos, call: Call): Promise<Fields | undefined> => {
  if (call.db !== 'config' || typeof call.target !== 'string') return undefined;
  const docs = configContents(mongos.catalog, call.engine.clock).get(call.target);
  if (docs === undefined) return undefined;
  const scratch = new Scratch(mongos.runtime, call);
  await scratch.put({ name: call.target, docs, options: Doc.EMPTY });
  return scratch.answer(mongos, call.body);
};

/** Adds the time of the snapshot to the reply of a snapshot read. */
const fromSnapshot =
  (route: Route): Route =>
  async (mongos, call, command, args) => {
    const given = call.body.get('readConcern');
    const concern = mongos.atOneTime(given);
    const isOwn = call.generic.transaction === undefined && isDoc(concern) && concern.get('level') === 'snapshot';
    if (!isOwn) return route(mongos, call, command, args);
    const reply = await route(mongos, { ...call, body: call.body.with('readConcern', concern) }, command, args);
    const at = concern.get('atClusterTime');
    if (at === undefined || 'fields' in reply) return reply;
    return withTime(reply, ['atClusterTime', at]);
  };

/** Adds the time to the cursor, if the reply has one. A single shard has already added it. */
const withTime = (fields: Fields, time: Entry): Fields => {
  const cursor = fields.find(([name]) => name === 'cursor')?.[1];
  if (!isDoc(cursor)) return [...fields.filter(([name]) => name !== time[0]), time];
  return fields.map(([name, value]) => [name, name === 'cursor' ? cursor.withAll([time]) : value]);
};

const findWhole: Route = async (mongos, call, command) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return throughViews(mongos, call, command);
  const shards = targetsOf(distribution, docOf(call.body.get('filter')), call);
  if (shards.length === 1) return passTo(mongos, call, command, shards[0]!);
  const name = call.target as string;
  const docs = await pullAll(mongos, call, shards, { body: findPart(call.body), collection: name });
  const scratch = new Scratch(mongos.runtime, call);
  await scratch.put({ name, docs, options: Doc.EMPTY, indexes: await indexesFor(mongos, call, name) });
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

/** Runs a command that reads a collection or a view. Collections on several shards are gathered first. */
const throughViews = async (mongos: Mongos, call: Call, command: Command): Promise<Fields | Reply> => {
  if (typeof call.target !== 'string' || !mongos.catalog.isSpread(call.db)) return toHome(mongos, call, command);
  const all = await readWith(mongos, call, [call.target]);
  if (!isSpreadOver(mongos, call, all)) return toHome(mongos, call, command);
  const scratch = await gathered(mongos, call, all, undefined);
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

/** Stages that describe a shard itself. */
const perShard: ReadonlySet<string> = new Set(['$collStats', '$indexStats', '$planCacheStats']);

const firstStage = (call: Call): string | undefined => {
  const [first] = stagesOf(call);
  return isDoc(first) ? first.keys()[0] : undefined;
};

/** Runs the first stage on every shard and the others on their combined results. */
const overShards = async (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<Fields> => {
  const [first, ...rest] = stagesOf(call);
  const name = call.target as string;
  const body = call.body.with('pipeline', [first!]);
  const parts = shards.map(async shard => {
    const some = await pullAll(mongos, call, [shard], { body, collection: name });
    return some.map(doc => doc.with('shard', shard.name));
  });
  const docs = (await Promise.all(parts)).flat();
  const scratch = new Scratch(mongos.runtime, call);
  const numbered = docs.map((doc, i) => (doc.has('_id') ? doc : Doc.of([['_id', i], ...doc.entries()])));
  await scratch.put({ name, docs: numbered, options: Doc.EMPTY });
  const unset = Doc.of([['$unset', '_id']]);
  return scratch.answer(mongos, call.body.with('pipeline', docs.some(doc => doc.has('_id')) ? rest : [unset, ...rest]));
};

const aggregateWhole: Route = async (mongos, call, command, args) => {
  checkKnownIn(stagesOf(call), call.engine.version);
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const first = firstStage(call);
  if (first === '$listLocalSessions') return command.run(call, args);
  if (first === '$currentOp') return aggregateOperations(mongos, call, command, args);
  if (first === '$changeStream' && mongos.catalog.shards.length > 1)
    return openStream(call, args, originOfShards(mongos.catalog));
  const explained = call.body.get('explain') === true ? distributionFor(mongos, call) : undefined;
  if (explained !== undefined) {
    const filter = docOf(docOf(stagesOf(call)[0]).get('$match'));
    return explainedAggregate(mongos, call, call.body, targetsOf(explained, filter, call));
  }
  const output = outputOf(call);
  if (output !== undefined) return aggregateInto(mongos, call, command, output);
  if (typeof call.target !== 'string' || !mongos.catalog.isSpread(call.db)) return toHome(mongos, call, command);
  const own = mongos.catalog.shardsOf(call.db, call.target);
  if (own.length > 1 && first !== undefined && perShard.has(first)) return overShards(mongos, call, own);
  const stages = stagesOf(call);
  const all = await readWith(mongos, call, [call.target, ...namesIn(stages)]);
  if (!isSpreadOver(mongos, call, all)) return toHome(mongos, call, command);
  const scratch = await gathered(mongos, call, all, firstMatch(call, all));
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

/** Sums the counts of all shards. */
export const count: Route = async (mongos, call, command) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return throughViews(mongos, call, command);
  const shards = targetsOf(distribution, docOf(call.body.get('query')), call);
  if (shards.length === 1) return passTo(mongos, call, command, shards[0]!);
  const [skip, limit] = [numberOf(call.body.get('skip')), Math.abs(numberOf(call.body.get('limit')))];
  const part = call.body.without('skip').without('limit');
  const body = limit === 0 ? part : part.with('limit', BigInt(skip + limit));
  const counts = await Promise.all(
    shards.map(async shard => numberOf((await mongos.pass(call, shard, { body, writes: false })).reply.get('n'))),
  );
  const left = Math.max(counts.reduce((sum, n) => sum + n, 0) - skip, 0);
  return [['n', limit === 0 ? left : Math.min(left, limit)]];
};

const distinctWhole: Route = async (mongos, call, command) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return throughViews(mongos, call, command);
  const filter = docOf(call.body.get('query'));
  const shards = targetsOf(distribution, filter, call);
  if (shards.length === 1) return passTo(mongos, call, command, shards[0]!);
  const name = call.target as string;
  const match = Doc.of([['$match', filter]]);
  const all = await readWith(mongos, call, [name]);
  const scratch = await gathered(mongos, call, all, match);
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

export const find: Route = fromSnapshot(findWhole);
export const aggregate: Route = fromSnapshot(aggregateWhole);
export const distinct: Route = fromSnapshot(distinctWhole);
