import type { Soon } from '@tessera/contracts';
import type { Terminal, Value } from '@tessera/mql/engine';
import {
  Doc,
  checkKnownIn,
  checkStageNames,
  fail,
  heldDocuments,
  inOneGo,
  isAtLeast,
  isDoc,
  typeName,
} from '@tessera/mql/engine';
import { iterate } from '@tessera/store';
import type { Language } from '../engine/language.js';
import { readerOf, resolve, runOn, startsWithCollStats, unresolved } from '../engine/pipeline.js';
import { piecewise } from './turns.js';
import { allowanceOf } from './allowance.js';
import { readingLanguageFor } from './collation.js';
import { collStatsOf } from './coll-stats.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Reply } from './command.js';
import { checkNamespace, command, hintOf, valueOf } from './command.js';
import { openCursor, openList } from './cursor-reply.js';
import { explanationOf } from './explain.js';
import { executing } from './find.js';
import { compilePipeline, ownStages } from './own-stages.js';
import { checkTarget, mergeInTurns, replaceInTurns } from './output.js';
import { checkState } from '../repl/replicated.js';
import { isChangeStream, openChangeStream } from '../streams/open-stream.js';
import { usesSearch } from '../search/stages.js';
import type { Origin } from '../streams/origin.js';
import { originOf } from '../streams/origin.js';
import { checkViewsRead } from './view-definition.js';
import type { Args, Schema } from './schema.js';
import { any, array, bool, integer, object, parseFields, required, since, string, indexHint, until } from './schema.js';

const schema = {
  collectionUUID,
  pipeline: required(array()),
  cursor: object(),
  explain: bool(),
  allowDiskUse: bool(),
  bypassDocumentValidation: bool(),
  collation: object(),
  comment: until('4.4', string(), any()),
  hint: indexHint(),
  let: since('5.0', object()),
  includeQueryStatsMetrics: any(),
} satisfies Schema;

type AggregateArgs = Args<typeof schema>;

/** Returns the collection's name. `aggregate: 1` has none: its first stage produces the documents. */
const nameFor = (call: Call): string => {
  const { target } = call;
  if (typeof target === 'string') return target;
  if (target === 1 || (typeof target === 'object' && typeName(target) === 'double') || target === 1n)
    return '$cmd.aggregate';
  throw fail(
    'TypeMismatch',
    `BSON field 'aggregate.aggregate' is the wrong type '${typeName(target)}', expected type 'string' or the number 1`,
  );
};

const batchSizeOf = (call: Call, { cursor }: Pick<AggregateArgs, 'cursor'>): number | undefined => {
  if (cursor === undefined) {
    throw fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  return parseFields(cursor, { batchSize: integer(0) }, 'aggregate.cursor', call.engine.version).batchSize;
};

const needsOwnSource = new Set(
  `$changeStream $currentOp $listLocalSessions $documents $listSessions $listCatalog $listClusterCatalog`.split(' '),
);

/** Checks that the first stage fits the target: a collection, or the number 1. @throws CommandError 73 */
const checkFirstStage = (specs: readonly Value[], name: string): void => {
  checkStageNames(specs, ownStages);
  const [first] = specs;
  const stage = isDoc(first) ? first.keys()[0]! : 'an empty pipeline';
  if (name !== '$cmd.aggregate') {
    if (stage !== '$documents') return;
    throw fail('InvalidNamespace', `'${stage}' can only be run with {aggregate: 1}`);
  }
  if (needsOwnSource.has(stage)) return;
  throw fail('InvalidNamespace', `{aggregate: 1} is not valid for '${stage}'; a collection is required.`);
};

/** Returns the start of messages about errors during execution. From 8.0 on it contains the namespace. */
const during = (call: Call, ns: string): string =>
  isAtLeast(call.engine.version, '8.0')
    ? `Executor error during aggregate command on namespace: ${ns}`
    : 'PlanExecutor error during aggregation';

const written = (
  call: Call,
  terminal: Terminal,
  docs: readonly Doc[],
  language: Language,
  args: AggregateArgs,
): Soon<Reply> => {
  const { role } = call.server;
  // The member may have lost its role as primary in the meantime.
  if (role.kind === 'member') checkState(role.member, call, aggregate);
  const options = { unchecked: args.bypassDocumentValidation === true };
  const done =
    terminal.kind === 'out'
      ? replaceInTurns(call, terminal, docs, options)
      : mergeInTurns(call, terminal, docs, language, options);
  const reply = (): Soon<Reply> => openList(call, checkNamespace(call.db, nameFor(call)), [], { batchSize: undefined });
  return done instanceof Promise ? done.then(reply) : reply();
};

/** The fields of an `aggregate` with which a change stream is opened. */
export interface StreamArgs {
  readonly pipeline: readonly Value[];
  readonly cursor: Doc | undefined;
  readonly collation: Doc | undefined;
  readonly let: Doc | undefined;
}

/**
 * Opens the change stream that the pipeline starts with.
 * @param origin undefined on a standalone, which has no change streams
 */
export const openStream = (call: Call, args: StreamArgs, origin: Origin | undefined): Soon<Reply> => {
  const ns = checkNamespace(call.db, nameFor(call));
  const batchSize = batchSizeOf(call, args);
  checkKnownIn(args.pipeline, call.engine.version);
  const { pipeline, collation, let: bindings } = args;
  return openChangeStream(call, { ns, pipeline, collation, bindings, batchSize, during: during(call, ns) }, origin);
};

const run = (call: Call, args: AggregateArgs): Soon<Reply> => {
  const { search } = call.server;
  if (search?.isLoaded === false && usesSearch(args.pipeline)) return search.load().then(() => run(call, args));
  const name = nameFor(call);
  const ns = checkNamespace(call.db, name);
  // A plan without statistics needs no pauses.
  if (args.explain === true) return { fields: inOneGo(explanationOf(call, call.body, 'queryPlanner')) };
  const batchSize = batchSizeOf(call, args);
  // A mongos has checked the stages already, and may send internal ones.
  if (!call.client.isInternal) checkKnownIn(args.pipeline, call.engine.version);
  if (isChangeStream(args.pipeline)) {
    const { role } = call.server;
    return openStream(call, args, role.kind === 'member' ? originOf(role.member) : undefined);
  }
  checkFirstStage(args.pipeline, name);
  const value = valueOf(call);
  const resolved = startsWithCollStats(args.pipeline) ? unresolved(value, ns) : resolve(value, ns);
  const language = readingLanguageFor(call, ns, { collation: args.collation, bindings: args.let });
  const pipeline = compilePipeline(call, resolved, args.pipeline, language);
  checkViewsRead(
    value,
    pipeline.collections.map(other => `${call.db}.${other}`),
    language.collationSpec,
  );
  if (pipeline.terminal !== undefined) checkTarget(call, pipeline.terminal);
  if (pipeline.terminal !== undefined && call.readConcern?.level === 'linearizable') {
    const stage = `$${pipeline.terminal.kind}`;
    throw fail('InvalidOptions', `${stage} cannot be used with a 'linearizable' read concern level`);
  }
  const reader = readerOf(value, call.db, language, {
    collStats: (spec, other) =>
      collStatsOf(call, value, other === undefined ? resolved.baseNs : `${call.db}.${other}`, spec),
    allowance: allowanceOf(call, 'aggregate', args.allowDiskUse),
  });
  const results = runOn(resolved.base, { pipeline, language, reader, hint: hintOf(args.hint) });
  return executing(call, during(call, ns), () => {
    if (pipeline.terminal === undefined) return openCursor(call, ns, iterate(results), { batchSize });
    const { terminal } = pipeline;
    const docs = piecewise(call, heldDocuments(results, '$out'));
    const write = (held: readonly Doc[]): Soon<Reply> => written(call, terminal, held, language, args);
    return docs instanceof Promise ? docs.then(write) : write(docs);
  });
};

export const aggregate: Command = command({
  name: 'aggregate',
  schema,
  readConcern: true,
  writeConcern: true,
  stable: true,
  help: 'Runs an aggregation pipeline.',
  run,
});
