import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '@tessera/server/parts';
import { onAll } from './broadcast-routes.js';
import { shardsFor } from './distribution.js';
import type { Mongos } from './mongos.js';
import type { Route } from './routes.js';
import { toHome } from './routes.js';
import type { Shard } from './shard.js';
import { hostOf } from './shard.js';

const docOf = (value: Value | undefined): Doc => (isDoc(value) ? value : Doc.EMPTY);

/** The explained command, or the first statement of a write command. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly filter: Doc;
  readonly hasCollation: boolean;
  readonly isWrite: boolean;
}

const statementIn = (inner: Doc, field: string): Doc => {
  const list = inner.get(field);
  return isArray(list) ? docOf(list[0]) : Doc.EMPTY;
};

const subjectOf = (inner: Doc): Subject | undefined => {
  const [kind, name] = inner.entries()[0] ?? [];
  if (kind === undefined || typeof name !== 'string') return undefined;
  const subject = { kind, name, hasCollation: inner.has('collation'), isWrite: false };
  switch (kind) {
    case 'find':
      return { ...subject, filter: docOf(inner.get('filter')) };
    case 'count':
    case 'distinct':
      return { ...subject, filter: docOf(inner.get('query')) };
    case 'findAndModify':
    case 'findandmodify':
      return { ...subject, filter: docOf(inner.get('query')), isWrite: true };
    case 'update':
      return { ...subject, filter: docOf(statementIn(inner, 'updates').get('q')), isWrite: true };
    case 'delete':
      return { ...subject, filter: docOf(statementIn(inner, 'deletes').get('q')), isWrite: true };
    default:
      return { ...subject, filter: docOf(statementIn(inner, 'pipeline').get('$match')) };
  }
};

const targetsOf = ({ catalog }: Mongos, db: string, { name, filter, hasCollation }: Subject): readonly Shard[] => {
  const distribution = catalog.distributionOf(`${db}.${name}`);
  return distribution === undefined ? [catalog.homeOf(db)] : shardsFor(distribution, filter, hasCollation);
};

/** A shard and its explain reply. */
interface Explained {
  readonly shard: Shard;
  readonly reply: Doc;
}

const sections: ReadonlySet<string> = new Set(['queryPlanner', 'executionStats', 'command']);

const plannedBy = ({ shard, reply }: Explained): Doc =>
  Doc.of([
    ['shardName', shard.name],
    ['connectionString', hostOf(shard)],
    ...reply.entries().filter(([name]) => !sections.has(name)),
    ...docOf(reply.get('queryPlanner')).entries(),
  ]);

const statsOf = ({ reply }: Explained): Doc => docOf(reply.get('executionStats'));

const totals = ['nReturned', 'executionTimeMillis', 'totalKeysExamined', 'totalDocsExamined'] as const;

/** The time is the maximum, because shards run in parallel. */
const totalOf = (name: (typeof totals)[number], all: readonly Explained[]): Entry => {
  const numbers = all.map(one => {
    const value = statsOf(one).get(name);
    return isNumber(value) ? toDouble(value) : 0;
  });
  return [name, name === 'executionTimeMillis' ? Math.max(...numbers) : numbers.reduce((sum, one) => sum + one, 0)];
};

const executedBy = (stage: string, all: readonly Explained[]): Fields => {
  if (!all.some(({ reply }) => reply.has('executionStats'))) return [];
  const sums = totals.map(name => totalOf(name, all));
  const shards = all.map(one => Doc.of([['shardName', one.shard.name], ...statsOf(one).entries()]));
  const stages = Doc.of([['stage', stage], ...sums, ['shards', shards]]);
  return [['executionStats', Doc.of([...sums, ['executionStages', stages]])]];
};

const stageOf = (inner: Doc, { isWrite }: Subject, shards: readonly Shard[]): string => {
  if (isWrite) return 'SHARD_WRITE';
  if (shards.length === 1) return 'SINGLE_SHARD';
  return inner.has('sort') ? 'SHARD_MERGE_SORT' : 'SHARD_MERGE';
};

const own = ({ server: { address }, engine: { version } }: Call, inner: Doc): Fields => [
  [
    'serverInfo',
    Doc.of([
      ['host', address],
      ['version', version.text],
    ]),
  ],
  ['command', inner],
];

const explainOn = async (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<readonly Explained[]> => {
  const all = await onAll(mongos, call, shards, { body: call.body, writes: false });
  return all.map((fields, i) => ({ shard: shards[i]!, reply: Doc.of(fields) }));
};

/** Explains an aggregation: each shard's part is reported separately, and the mongos merges the results. */
export const explainedAggregate = async (
  mongos: Mongos,
  call: Call,
  inner: Doc,
  shards: readonly Shard[],
): Promise<Fields> => {
  const all = await explainOn(mongos, call, shards);
  const parts = all.map(({ shard, reply }): Entry => {
    const rest = reply.entries().filter(([name]) => name !== 'command' && name !== 'serverInfo');
    return [shard.name, Doc.of([['host', shard.members[0]!.state.address], ...rest])];
  });
  return [['mergeType', 'mongos'], ['splitPipeline', null], ['shards', Doc.of(parts)], ...own(call, inner)];
};

/** Explains a command on every shard that it concerns. */
export const explain: Route = async (mongos, call, command: Command) => {
  const inner = docOf(call.target);
  const subject = subjectOf(inner);
  if (subject === undefined) return toHome(mongos, call, command);
  const shards = targetsOf(mongos, call.db, subject);
  if (subject.kind === 'aggregate') {
    const isSharded = mongos.catalog.distributionOf(`${call.db}.${subject.name}`) !== undefined;
    return isSharded ? explainedAggregate(mongos, call, inner, shards) : toHome(mongos, call, command);
  }
  const all = await explainOn(mongos, call, shards);
  const stage = stageOf(inner, subject, shards);
  const planner = Doc.of([
    ['mongosPlannerVersion', 1],
    [
      'winningPlan',
      Doc.of([
        ['stage', stage],
        ['shards', all.map(plannedBy)],
      ]),
    ],
  ]);
  return [['queryPlanner', planner], ...executedBy(stage, all), ...own(call, inner)];
};
