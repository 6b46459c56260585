import type { Soon } from '@tessera/contracts';
import type { Sort } from '@tessera/mql/engine';
import {
  CommandError,
  Doc,
  isDoc,
  usesNear,
  usesText,
  byDistance,
  fail,
  isAtLeast,
  parsePipeline,
  parseProjection,
  parseQuery,
  parseSort,
} from '@tessera/mql/engine';
import type { Collection, Plan, Source } from '@tessera/store';
import { boundedPlan, limited, mapped, nameOf, planOf, isView } from '@tessera/store';
import { findAmong, findIn } from '../engine/find.js';
import type { Find } from '../engine/find.js';
import { readable } from '../engine/buckets.js';
import { readerOf } from '../engine/pipeline.js';
import type { Language } from '../engine/language.js';
import { tailOf } from '../engine/tail.js';
import { allowanceOf } from './allowance.js';
import { readingLanguageFor } from './collation.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Reply } from './command.js';
import { command, hintOf, namespaceOf, valueOf } from './command.js';
import { openCursor, openList } from './cursor-reply.js';
import { viewsMatching } from './system-views.js';
import type { Args, Schema } from './schema.js';
import { any, bool, integer, object, since, string, indexHint, until } from './schema.js';

const schema = {
  collectionUUID,
  filter: object(),
  sort: object(),
  projection: object(),
  hint: indexHint(),
  skip: integer(0),
  limit: integer(0),
  batchSize: integer(0),
  singleBatch: bool(),
  returnKey: bool(),
  showRecordId: bool(),
  min: object(),
  max: object(),
  collation: object(),
  allowDiskUse: since('4.4', bool()),
  comment: until('4.4', string(), any()),
  allowPartialResults: bool(),
  noCursorTimeout: bool(),
  oplogReplay: bool(),
  tailable: bool(),
  awaitData: bool(),
  let: since('5.0', object()),
  includeQueryStatsMetrics: any(),
} satisfies Schema;

type FindArgs = Args<typeof schema>;

const checkTail = ({ tailable, awaitData, sort }: FindArgs, collection: Collection | undefined): void => {
  if (awaitData === true && tailable !== true) {
    throw fail('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'");
  }
  if (tailable !== true) return;
  if (sort !== undefined && sort.size > 0 && !sort.has('$natural')) {
    throw fail('BadValue', 'cannot use tailable option with a sort other than {$natural: 1}');
  }
  if (collection !== undefined && collection.settings.capped === undefined) {
    throw fail('BadValue', 'error processing query: tailable cursor requested on non capped collection');
  }
};

const sortOf = (sort: Doc | undefined, filter: Doc | undefined, language: Language): Sort | undefined => {
  if (sort !== undefined && sort.size > 0) return parseSort(sort, language.context);
  return filter !== undefined && usesNear(filter) ? byDistance : undefined;
};

/** Checks the options of a search for texts or the nearest places. @throws CommandError 2 */
const checkSearch = ({ filter = Doc.EMPTY, sort, hint, tailable }: FindArgs): void => {
  const kind = usesText(filter) ? 'text' : usesNear(filter) ? 'geoNear' : undefined;
  if (kind === undefined) return;
  if (sort?.has('$natural') === true) throw fail('BadValue', `${kind} expression not allowed with $natural sort order`);
  if (kind === 'text' ? hintOf(hint) !== undefined : isDoc(hint) && hint.has('$natural'))
    throw fail('BadValue', `${kind} and hint not allowed in same query`);
  if (tailable === true) throw fail('BadValue', `${kind} and tailable cursor not allowed in same query`);
};

/** @throws CommandError 168 for record numbers, 5626500 for `$near` */
const checkSeriesFind = ({ filter, showRecordId }: FindArgs): void => {
  if (showRecordId === true)
    throw fail('InvalidPipelineOperator', 'showRecordId is not allowed on a time-series collection');
  if (usesNear(filter ?? Doc.EMPTY))
    throw fail(5626500, '$near and $nearSphere are not allowed on a time-series collection; use the stage $geoNear');
};

const metadataIn = (spec: Doc | undefined): readonly unknown[] =>
  spec?.entries().map(([, value]) => (isDoc(value) ? value.get('$meta') : undefined)) ?? [];

/**
 * Whether the projection contains metadata of the scan.
 * @throws CommandError 2 for the keys of a sort without one, 40218 for the score of a search without one
 */
const needsMetadata = ({ filter, projection, sort }: FindArgs): boolean => {
  const names = metadataIn(projection);
  if ((names.includes('textScore') || metadataIn(sort).includes('textScore')) && !usesText(filter ?? Doc.EMPTY))
    throw fail(40218, 'query requires text score metadata, but it is not available');
  if (names.includes('sortKey') && (sort?.size ?? 0) === 0)
    throw fail('BadValue', 'cannot use sortKey $meta projection without a sort');
  return ['recordId', 'indexKey', 'sortKey'].some(name => names.includes(name));
};

const compile = (call: Call, args: FindArgs, language: Language): Find => {
  const { filter, sort, projection, hint, skip, limit } = args;
  checkSearch(args);
  return {
    needsMetadata: needsMetadata(args),
    matcher: parseQuery(filter ?? Doc.EMPTY, language.context),
    sort: sortOf(sort, filter, language),
    projection:
      projection === undefined || projection.size === 0
        ? undefined
        : parseProjection(projection, { ...language.context, filter }),
    hint: hintOf(hint),
    collation: language.collationSpec,
    skip: skip ?? 0,
    limit: limit ?? 0,
    // Before 5.0, the server notices at the limit that a cursor is exhausted. Later versions keep it open.
    foresees: !isAtLeast(call.engine.version, '5.0'),
    allowance: sort === undefined ? undefined : allowanceOf(call, 'find', args.allowDiskUse),
    returnKey: args.returnKey === true,
    showRecordId: args.showRecordId === true,
  };
};

const tailed = (call: Call, ns: string, find: Find): Source => {
  const { matcher, projection } = find;
  const tail = tailOf(() => valueOf(call), ns, matcher);
  const source = limited(tail, find);
  return projection === undefined ? source : mapped(source, doc => projection(doc, matcher));
};

/** Adds the context to messages of errors during execution, but not to those of parsing. */
export const executing = <T>(call: Call, what: string, work: () => Soon<T>): Soon<T> => {
  const failed = (error: unknown): never => {
    if (!(error instanceof CommandError) || !isAtLeast(call.engine.version, '8.0')) throw error;
    throw new CommandError(error.code, `${what} :: caused by :: ${error.message}`, error.extra, error.labels);
  };
  try {
    const done = work();
    return done instanceof Promise ? done.catch(failed) : done;
  } catch (error) {
    return failed(error);
  }
};

/** Returns the collection without the indexes that are not part of the Stable API: sparse ones, and those of text. */
const withStableIndexes = (collection: Collection): Collection => ({
  ...collection,
  indexes: collection.indexes.filter(({ definition }) => !definition.sparse && definition.kind !== 'text'),
});

const planIn = (collection: Collection, find: Find, args: FindArgs): Plan =>
  boundedPlan(collection, find.hint, args, find.collation) ?? planOf(collection, find);

const run = (call: Call, args: FindArgs): Soon<Reply> => {
  const ns = namespaceOf(call);
  const value = valueOf(call);
  const namespace = readable(value, ns);
  const collection = isView(namespace) ? undefined : namespace;
  checkTail(args, collection);
  if (collection?.settings.timeSeries !== undefined) checkSeriesFind(args);
  const language = readingLanguageFor(call, ns, { collation: args.collation, bindings: args.let });
  const find = compile(call, args, language);
  const cursor = {
    batchSize: args.batchSize ?? undefined,
    singleBatch: args.singleBatch === true,
    noTimeout: args.noCursorTimeout === true,
  };
  if (isView(namespace)) {
    // A find on a view is an aggregate, whose stages have no operators of projections.
    if (args.projection !== undefined && args.projection.size > 0)
      parsePipeline([Doc.of([['$project', args.projection]])], {
        collation: language.collation,
        scripts: language.scripts,
      });
    const allowance = allowanceOf(call, 'aggregate', args.allowDiskUse);
    const docs = readerOf(value, call.db, language, { allowance }).collection(nameOf(ns));
    return openCursor(call, ns, findAmong(docs, find), cursor);
  }
  if (collection === undefined) return openList(call, ns, viewsMatching(value, ns, find.matcher), cursor);
  if (args.tailable === true && collection.records.size > 0) {
    return openCursor(call, ns, tailed(call, ns, find), {
      ...cursor,
      tail: { kind: 'capped', awaitData: args.awaitData === true },
    });
  }
  const { apiStrict } = call.generic;
  if (apiStrict && usesText(args.filter ?? Doc.EMPTY))
    throw fail('NoQueryExecutionPlans', 'text indexes are not part of API Version 1, which apiStrict requires');
  const plan = planIn(apiStrict ? withStableIndexes(collection) : collection, find, args);
  return executing(call, `Executor error during find command: ${ns}`, () =>
    openCursor(call, ns, findIn(collection, find, plan), cursor),
  );
};

export const find: Command = command({
  name: 'find',
  schema,
  readConcern: true,
  stable: true,
  help: 'Finds documents.',
  run,
});
