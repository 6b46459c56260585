import type { Value } from '@tessera/mql/engine';
import {
  CommandError,
  Doc,
  createCollation,
  fail,
  isAtLeast,
  isDoc,
  isNumber,
  lookup,
  parseSort,
  toDouble,
} from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';
import type { Distribution } from './distribution.js';
import { shardFor, shardsFor, shardsWith } from './distribution.js';
import type { Mongos } from './mongos.js';
import { pull } from './pull.js';
import { fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { passTo, toHome, withToken } from './routes.js';
import type { Shard } from './shard.js';
import { keysFor } from './shard-key.js';
import { executedOn, oneAtATime } from './tries.js';
import { BatchReply, errorAt, statementsIn, withPart } from './write-batch.js';

/**
 * The shards of a statement. `first`: one shard after the other, until one modifies something; `holder`: the shard that
 * stores the first document of the sort order.
 */
type Target =
  | { readonly to: 'all'; readonly shards: readonly Shard[] }
  | { readonly to: 'first'; readonly shards: readonly Shard[] }
  | { readonly to: 'holder'; readonly shards: readonly Shard[]; readonly sought: Sought };

/** A filter and the sort order that selects one of the matching documents. */
interface Sought {
  readonly filter: Doc;
  readonly sort: Doc;
  readonly collation: Value | undefined;
}

const distributionFor = ({ catalog }: Mongos, { db, target }: Call): Distribution | undefined =>
  typeof target === 'string' ? catalog.distributionOf(`${db}.${target}`) : undefined;

const docOf = (value: Value | undefined): Doc => (isDoc(value) ? value : Doc.EMPTY);

/** The mongos assigns a missing `_id`, because it may determine the shard. */
const insertTarget = (mongos: Mongos, call: Call, distribution: Distribution, doc: Doc): readonly [Doc, Shard] => {
  const whole = doc.has('_id') ? doc : Doc.of([['_id', call.engine.newObjectId()], ...doc.entries()]);
  return [whole, shardFor(distribution, whole)];
};

interface Statement {
  readonly index: number;
  readonly value: Value;
  readonly target: Target;
}

/** Groups statements by shard. An ordered batch keeps their order; otherwise there is one group per shard. */
const runsOf = (statements: readonly Statement[], isOrdered: boolean): readonly (readonly Statement[])[] => {
  const runs: Statement[][] = [];
  const single = ({ target }: Statement): Shard | undefined =>
    target.shards.length === 1 ? target.shards[0] : undefined;
  for (const one of statements) {
    const shard = single(one);
    const candidates = isOrdered ? runs.slice(-1) : runs;
    const run = shard === undefined ? undefined : candidates.find(([first]) => single(first!) === shard);
    if (run === undefined) runs.push([one]);
    else run.push(one);
  }
  return runs;
};

const isOrdered = ({ body }: Call): boolean => body.get('ordered') !== false;

const sent = async (
  mongos: Mongos,
  call: Call,
  field: string,
  shard: Shard,
  run: readonly Statement[],
): Promise<Fields> => {
  const part = { indexes: run.map(({ index }) => index), statements: run.map(({ value }) => value) };
  const { reply } = await mongos.pass(call, shard, { body: withPart(call, field, part), writes: true });
  return fieldsIn(reply);
};

const hasEffect = (fields: Fields): boolean =>
  fields.some(([name, value]) => (name === 'n' && isNumber(value) && toDouble(value) > 0) || name === 'writeErrors');

/** Returns whether the shard must be searched for. */
const isSearched = ({ to, shards }: Target): boolean => to !== 'all' && shards.length > 1;

/**
 * Returns the shards of a statement. A retry goes to the shard that executed it, because the documents may have changed
 * since.
 */
const shardsOf = async (
  mongos: Mongos,
  call: Call,
  { target, index }: Pick<Statement, 'target' | 'index'>,
): Promise<readonly Shard[]> => {
  const { shards } = target;
  if (target.to === 'all' || !isSearched(target)) return shards;
  const known = await executedOn(mongos, call, shards, index);
  if (target.to === 'first') return [...new Set([...known, ...shards])];
  return [known[0] ?? (await holderOf(mongos, call, shards, target.sought)) ?? shards[0]!];
};

const performRun = async (mongos: Mongos, call: Call, field: string, run: readonly Statement[], reply: BatchReply) => {
  const [statement] = run as [Statement];
  const { target } = statement;
  const indexes = run.map(one => one.index);
  const shards = await shardsOf(mongos, call, statement);
  for (const shard of shards) {
    const fields = await sent(mongos, call, field, shard, run);
    const isLast = shard === shards.at(-1);
    if (target.to === 'all' || isLast || hasEffect(fields)) reply.add(fields, indexes);
    if (target.to === 'first' && hasEffect(fields)) return;
  }
};

const perform = async (mongos: Mongos, call: Call, field: string, run: readonly Statement[], reply: BatchReply) => {
  const [{ target, index }] = run as [Statement];
  const work = (): Promise<void> => performRun(mongos, call, field, run, reply);
  try {
    await (isSearched(target) ? oneAtATime(mongos, call, work) : work());
  } catch (error) {
    // An error aborts the transaction, so the batch cannot continue.
    if (!(error instanceof CommandError) || call.generic.transaction !== undefined) throw error;
    reply.fail(errorAt(index, error));
  }
};

const performAll = async (
  mongos: Mongos,
  call: Call,
  field: string,
  statements: readonly (Statement | Doc)[],
): Promise<Fields> => {
  const reply = new BatchReply();
  const stop = isOrdered(call) ? statements.findIndex(one => one instanceof Doc) : -1;
  const some = stop === -1 ? statements : statements.slice(0, stop);
  for (const run of runsOf(
    some.filter((one): one is Statement => !(one instanceof Doc)),
    isOrdered(call),
  )) {
    await perform(mongos, call, field, run, reply);
    if (reply.hasFailed && isOrdered(call)) return withToken(mongos, call, reply.fields);
  }
  for (const one of stop === -1 ? statements : [statements[stop]!]) if (one instanceof Doc) reply.fail(one);
  return withToken(mongos, call, reply.fields);
};

/** Returns a statement and its target, or the error of the statement. */
const attempt = (index: number, work: () => Statement): Statement | Doc => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return errorAt(index, error);
  }
};

/** Returns the shard if there is only one, or any shard for an empty batch, which the shard rejects. */
const onlyShard = (distribution: Distribution, { body }: Call, field: string): Shard | undefined => {
  const shards = shardsWith(distribution);
  return shards.length === 1 || statementsIn(body, field).length === 0 ? shards[0] : undefined;
};

export const insert: Route = async (mongos, call, command) => {
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return toHome(mongos, call, command);
  const only = onlyShard(distribution, call, 'documents');
  if (only !== undefined) return passTo(mongos, call, command, only);
  const statements = statementsIn(call.body, 'documents').map((doc, index) =>
    attempt(index, () => {
      const [value, shard] = insertTarget(mongos, call, distribution, doc as Doc);
      return { index, value, target: { to: 'all', shards: [shard] } };
    }),
  );
  return performAll(mongos, call, 'documents', statements);
};

const missingShardKey = (what: 'update' | 'delete'): Error =>
  fail(
    'InvalidOptions',
    `A single ${what} on a sharded collection must contain an exact match on _id (and have the collection default collation) or contain the shard key (and have the simple collation)`,
  );

/** The filter of a statement, and whether it applies to one document or many. */
interface Aim {
  readonly filter: Doc;
  readonly isMulti: boolean;
  readonly isUpsert: boolean;
  readonly collation: Value | undefined;
  readonly sort?: Value | undefined;
}

/**
 * Returns the target of a statement. Before 7.0, a write of one document must identify its shard.
 * @throws CommandError 61, 72
 */
const targetFor = (call: Call, distribution: Distribution, aim: Aim, what: 'update' | 'delete'): Target => {
  const { filter, isMulti, isUpsert, collation, sort } = aim;
  const shards = shardsFor(distribution, filter, collation !== undefined);
  if (isUpsert && shards.length > 1) {
    throw fail(
      'ShardKeyNotFound',
      'Failed to target upsert by query :: could not extract exact shard key :: this server requires the shard key in the query of an upsert',
    );
  }
  if (isMulti) return { to: 'all', shards };
  const isExact = shards.length === 1 || hasEqualId(filter);
  if (!isExact && !isAtLeast(call.engine.version, '7.0')) throw missingShardKey(what);
  return isDoc(sort) ? { to: 'holder', shards, sought: { filter, sort, collation } } : { to: 'first', shards };
};

const hasEqualId = (filter: Doc): boolean => {
  const id = filter.get('_id');
  return id !== undefined && !(isDoc(id) && id.keys()[0]?.startsWith('$') === true && !id.has('$eq'));
};

/**
 * Checks that a change of the shard key keeps the document on its shard.
 * @throws CommandError 31025
 */
const checkSameShard = (distribution: Distribution, { filter }: Aim, change: Value | undefined): void => {
  if (!isDoc(change)) return;
  const { fields } = distribution.key;
  const isReplacement = change.keys()[0]?.startsWith('$') !== true;
  const set = isReplacement ? change : docOf(change.get('$set'));
  for (const { name, path } of fields) {
    const value = isReplacement ? lookup(change, path) : set.get(name);
    if (value === undefined || (isReplacement && name === '_id')) continue;
    const was = keysFor(distribution.key, filter);
    const now = keysFor(distribution.key, filter.with(name, value));
    const [before, after] = [was, now].map(points =>
      points?.length === 1
        ? shardsFor(distribution, Doc.of(fields.map((field, i) => [field.name, points[0]![i]!])), false)[0]
        : undefined,
    );
    if (before !== after && before !== undefined && after !== undefined)
      throw fail(
        'CommandNotSupported',
        'This server does not support a change of the shard key that moves a document to another shard',
      );
  }
};

export const update: Route = async (mongos, call, command) => {
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return toHome(mongos, call, command);
  const only = onlyShard(distribution, call, 'updates');
  if (only !== undefined) return passTo(mongos, call, command, only);
  const statements = statementsIn(call.body, 'updates').map((one, index) =>
    attempt(index, () => {
      const given = one as Doc;
      const aim: Aim = {
        filter: docOf(given.get('q')),
        isMulti: given.get('multi') === true,
        isUpsert: given.get('upsert') === true,
        collation: given.get('collation'),
        sort: given.get('sort'),
      };
      checkSameShard(distribution, aim, given.get('u'));
      return { index, value: given, target: targetFor(call, distribution, aim, 'update') };
    }),
  );
  return performAll(mongos, call, 'updates', statements);
};

const isZero = (value: Value | undefined): boolean => isNumber(value) && toDouble(value) === 0;

export const deleteRoute: Route = async (mongos, call, command) => {
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return toHome(mongos, call, command);
  const only = onlyShard(distribution, call, 'deletes');
  if (only !== undefined) return passTo(mongos, call, command, only);
  const statements = statementsIn(call.body, 'deletes').map((one, index) =>
    attempt(index, () => {
      const given = one as Doc;
      const aim: Aim = {
        filter: docOf(given.get('q')),
        isMulti: isZero(given.get('limit')),
        isUpsert: false,
        collation: given.get('collation'),
      };
      return { index, value: given, target: targetFor(call, distribution, aim, 'delete') };
    }),
  );
  return performAll(mongos, call, 'deletes', statements);
};

/** Returns the shard that stores the first matching document of the sort order. */
const holderOf = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  { filter, sort, collation }: Sought,
): Promise<Shard | undefined> => {
  const generic = ['lsid', 'txnNumber', 'autocommit', 'startTransaction', 'readConcern', 'let'];
  const own = call.body.entries().filter(([name]) => generic.includes(name));
  const withoutNumber = call.generic.transaction === undefined ? own.filter(([name]) => name !== 'txnNumber') : own;
  const body = Doc.of([
    ['find', call.target],
    ['filter', filter],
    ...(collation === undefined ? [] : ([['collation', collation]] as const)),
    ...(sort.size === 0 ? [] : ([['sort', sort]] as const)),
    ['limit', 1n],
    ...withoutNumber,
    ['$db', call.db],
  ]);
  const found = await Promise.all(
    shards.map(async shard => ({
      shard,
      docs: await pull(mongos, call, shard, { body, collection: call.target as string }),
    })),
  );
  const { compare } = parseSort(sort, { collation: isDoc(collation) ? createCollation(collation) : undefined });
  const some = found.filter(({ docs }) => docs.length > 0).sort((a, b) => compare(a.docs[0]!, b.docs[0]!));
  return some[0]?.shard;
};

export const findAndModify: Route = async (mongos, call, command) => {
  const distribution = distributionFor(mongos, call);
  if (distribution === undefined) return toHome(mongos, call, command);
  const { body } = call;
  const shards = shardsFor(distribution, docOf(body.get('query')), body.has('collation'));
  if (shards.length === 1) return passTo(mongos, call, command, shards[0]!);
  if (!isAtLeast(call.engine.version, '7.0') || body.get('upsert') === true)
    throw fail('ShardKeyNotFound', 'Query for sharded findAndModify must contain the shard key');
  const sort = body.get('sort');
  const sought = { filter: docOf(body.get('query')), sort: docOf(sort), collation: body.get('collation') };
  return oneAtATime(mongos, call, async () => {
    const [shard] = await shardsOf(mongos, call, { target: { to: 'holder', shards, sought }, index: 0 });
    return passTo(mongos, call, command, shard!);
  });
};

export const refuseSpread: Route = (mongos, call, command) => {
  if (distributionFor(mongos, call) === undefined) return toHome(mongos, call, command);
  throw fail('CommandNotSupported', `${command.name} on a sharded collection is not supported by this server`);
};
