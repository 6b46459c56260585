import { openStream } from '../commands/aggregate.js';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { fail } from '../errors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { toDouble } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber } from '../value/value.js';
import { configContents } from './config-database.js';
import type { Distribution } from './distribution.js';
import { shardsFor } from './distribution.js';
import type { Mongos } from './mongos.js';
import { aggregateOperations } from './operation-routes.js';
import { pull } from './pull.js';
import { namesIn, readWith } from './reading.js';
import type { Listed } from './reading.js';
import { fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { passTo, toHome, withToken, writesIn } from './routes.js';
import { Scratch } from './scratch.js';
import { originOfShards } from './shard-streams.js';
import type { Shard } from './shard.js';

const numberOf = (value: Value | undefined): number => (isNumber(value) ? toDouble(value) : 0);

const docOf = (value: Value | undefined): Doc => (isDoc(value) ? value : Doc.EMPTY);

const targetsOf = (distribution: Distribution, filter: Doc, { body }: Call): readonly Shard[] =>
  shardsFor(distribution, filter, body.has('collation'));

/** What every shard is asked on the way to a find over several: whole documents, as many as may be wanted. */
const findPart = (body: Doc): Doc => {
  const without = new Set(['projection', 'skip', 'limit', 'batchSize', 'singleBatch', 'returnKey', 'showRecordId']);
  const limit = numberOf(body.get('limit'));
  const part: Entry[] = body.entries().filter(([name]) => !without.has(name));
  if (limit > 0) part.push(['limit', BigInt(limit + numberOf(body.get('skip')))]);
  return Doc.of([...part, ['batchSize', 0x7fff_ffff]]);
};

const options = ({ options: all }: Listed): Doc => Doc.of(all.entries().filter(([name]) => name === 'collation'));

const pullAll = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  { body, collection }: { readonly body: Doc; readonly collection: string },
): Promise<readonly Doc[]> =>
  (await Promise.all(shards.map(shard => pull(mongos, call, shard, { body, collection })))).flat();

const isOurs = ({ catalog }: Mongos, { db, target }: Call): Distribution | undefined =>
  typeof target === 'string' ? catalog.distributionOf(`${db}.${target}`) : undefined;

/** The part of the `config` database that is not kept as documents. */
const inConfig = async (mongos: Mongos, call: Call): Promise<Fields | undefined> => {
  if (call.db !== 'config' || typeof call.target !== 'string') return undefined;
  const docs = configContents(mongos.catalog, call.engine.clock).get(call.target);
  if (docs === undefined) return undefined;
  const scratch = new Scratch(mongos.runtime, call);
  await scratch.put({ name: call.target, docs, options: Doc.EMPTY });
  return scratch.answer(mongos, call.body);
};

/** One that reads from a snapshot says of what time it is. */
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

/** In its cursor, if it has one. A shard has told of it already if it was the only one. */
const withTime = (fields: Fields, time: Entry): Fields => {
  const cursor = fields.find(([name]) => name === 'cursor')?.[1];
  if (!isDoc(cursor)) return [...fields.filter(([name]) => name !== time[0]), time];
  return fields.map(([name, value]) => [name, name === 'cursor' ? cursor.withAll([time]) : value]);
};

const findWhole: Route = async (mongos, call, command) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const distribution = isOurs(mongos, call);
  if (distribution === undefined) return throughViews(mongos, call, command);
  const shards = targetsOf(distribution, docOf(call.body.get('filter')), call);
  if (shards.length === 1) return passTo(mongos, call, command, shards[0]!);
  const name = call.target as string;
  const docs = await pullAll(mongos, call, shards, { body: findPart(call.body), collection: name });
  const scratch = new Scratch(mongos.runtime, call);
  await scratch.put({ name, docs, options: Doc.EMPTY });
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

/** The documents of everything that is read, whole, in a scratch. */
const gathered = async (
  mongos: Mongos,
  call: Call,
  all: readonly Listed[],
  match: Doc | undefined,
): Promise<Scratch> => {
  const scratch = new Scratch(mongos.runtime, call);
  const generic = [
    'lsid',
    'txnNumber',
    'autocommit',
    'startTransaction',
    'readConcern',
    '$readPreference',
    'maxTimeMS',
  ];
  const own = call.body.entries().filter(([name]) => generic.includes(name));
  for (const one of all) {
    if (one.isView) {
      await scratch.put({ name: one.name, view: one.options });
      continue;
    }
    const filters = match !== undefined && one.name === call.target ? [match] : [];
    const language = call.body.entries().filter(([name]) => name === 'let' || name === 'collation');
    const body = Doc.of([
      ['aggregate', one.name],
      ['pipeline', filters],
      ['cursor', Doc.of([['batchSize', 0x7fff_ffff]])],
      ...(filters.length > 0 ? language : []),
      ...own,
      ['$db', call.db],
    ]);
    const docs = await pullAll(mongos, call, mongos.catalog.shardsOf(call.db, one.name), {
      body,
      collection: one.name,
    });
    await scratch.put({ name: one.name, docs, options: options(one) });
  }
  return scratch;
};

const spread = ({ catalog }: Mongos, { db }: Call, all: readonly Listed[]): boolean =>
  all.some(({ name }) => catalog.shardsOf(db, name).length > 1);

/** A command that reads by name: what is on several shards is gathered first, also if it is read by a view. */
const throughViews = async (mongos: Mongos, call: Call, command: Command): Promise<Fields | Reply> => {
  if (typeof call.target !== 'string' || !mongos.catalog.isSpread(call.db)) return toHome(mongos, call, command);
  const all = await readWith(mongos, call, [call.target]);
  if (!spread(mongos, call, all)) return toHome(mongos, call, command);
  const scratch = await gathered(mongos, call, all, undefined);
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

const stagesOf = ({ body }: Call): readonly Value[] => {
  const pipeline = body.get('pipeline');
  return isArray(pipeline) ? pipeline : [];
};

/** They tell of a shard itself. */
const perShard: ReadonlySet<string> = new Set(['$collStats', '$indexStats', '$planCacheStats']);

const firstStage = (call: Call): string | undefined => {
  const [first] = stagesOf(call);
  return isDoc(first) ? first.keys()[0] : undefined;
};

/** What every shard says of itself, and then the rest of the stages. */
const overShards = async (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<Fields> => {
  const [first, ...rest] = stagesOf(call);
  const name = call.target as string;
  const docs = await pullAll(mongos, call, shards, { body: call.body.with('pipeline', [first!]), collection: name });
  const scratch = new Scratch(mongos.runtime, call);
  const numbered = docs.map((doc, i) => (doc.has('_id') ? doc : Doc.of([['_id', i], ...doc.entries()])));
  await scratch.put({ name, docs: numbered, options: Doc.EMPTY });
  const unset = Doc.of([['$unset', '_id']]);
  return scratch.answer(mongos, call.body.with('pipeline', docs.some(doc => doc.has('_id')) ? rest : [unset, ...rest]));
};

/** The results of the stages before it are written by the shard that has the collection. */
const writeOut = async (
  mongos: Mongos,
  call: Call,
  all: readonly Listed[],
  match: Doc | undefined,
): Promise<Fields> => {
  const stages = stagesOf(call);
  const last = stages.at(-1) as Doc;
  const into = last.get('$out') ?? last.get('$merge');
  const given = isDoc(into) ? (into.get('into') ?? into.get('coll')) : into;
  const name = isDoc(given) ? given.get('coll') : given;
  const other = isDoc(given) ? given.get('db') : isDoc(into) ? into.get('db') : undefined;
  const db = typeof other === 'string' ? other : call.db;
  if (typeof name === 'string' && mongos.catalog.distributionOf(`${db}.${name}`) !== undefined) {
    const stage = last.keys()[0]!;
    throw fail(
      28769,
      `${stage} into the sharded collection ${db}.${name} is not supported by this server: write to one that is not sharded`,
    );
  }
  const scratch = await gathered(mongos, call, all, match);
  const docs = await scratch.whole(call.body.with('pipeline', stages.slice(0, -1)));
  const body = Doc.of([
    ['aggregate', 1],
    ['pipeline', [Doc.of([['$documents', docs]]), last]],
    ['cursor', Doc.EMPTY],
    ...call.body.entries().filter(([key]) => ['writeConcern', 'lsid', 'maxTimeMS', 'let'].includes(key)),
    ['$db', call.db],
  ]);
  const { reply } = await mongos.pass(call, mongos.catalog.settle(db), { body, writes: true });
  const cursor = docOf(fieldsIn(reply).find(([key]) => key === 'cursor')?.[1]);
  return [['cursor', cursor.with('ns', `${call.db}.${call.target as string}`)]];
};

const aggregateWhole: Route = async (mongos, call, command, args) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const first = firstStage(call);
  if (first === '$listLocalSessions') return command.run(call, args);
  if (first === '$currentOp') return aggregateOperations(mongos, call, command, args);
  if (first === '$changeStream' && mongos.catalog.shards.length > 1)
    return openStream(call, args, originOfShards(mongos.catalog));
  if (typeof call.target !== 'string' || !mongos.catalog.isSpread(call.db)) return toHome(mongos, call, command);
  const own = mongos.catalog.shardsOf(call.db, call.target);
  if (own.length > 1 && first !== undefined && perShard.has(first)) return overShards(mongos, call, own);
  const stages = stagesOf(call);
  const all = await readWith(mongos, call, [call.target, ...namesIn(stages)]);
  if (!spread(mongos, call, all)) return toHome(mongos, call, command);
  const match = first === '$match' ? (stages[0] as Doc) : undefined;
  if (writesIn(call, command)) return writeOut(mongos, call, all, match);
  const scratch = await gathered(mongos, call, all, match);
  return withToken(mongos, call, await scratch.answer(mongos, call.body));
};

/** Each shard counts its own. */
export const count: Route = async (mongos, call, command) => {
  const config = await inConfig(mongos, call);
  if (config !== undefined) return config;
  const distribution = isOurs(mongos, call);
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
  const distribution = isOurs(mongos, call);
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
