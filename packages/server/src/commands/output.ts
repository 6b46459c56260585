import type { Soon } from '@tessera/contracts';
import type { Pieces, Terminal, Value } from '@tessera/mql/engine';
import {
  CommandError,
  Doc,
  detached,
  eachEntry,
  equal,
  fail,
  isArray,
  isAtLeast,
  isDoc,
  isDue,
  isNullish,
  isOver,
  isSameCollation,
  lookupPlainly,
  parseQuery,
  pause,
  splitPath,
  toHex,
} from '@tessera/mql/engine';
import type { Collection, Row } from '@tessera/store';
import {
  addIndex,
  dbOf,
  emptyCollection,
  emptySeries,
  maxBatchBytes,
  select,
  seriesIndex,
  seriesOptions,
  isView,
} from '@tessera/store';
import type { Draft } from '../engine/database.js';
import { internalDatabases } from '../engine/database.js';
import type { Language } from '../engine/language.js';
import { copied, prepared } from '../engine/prepare.js';
import type { Moment, WriteOptions } from '../engine/writer.js';
import { insertInto, insertMade, momentOf, plainSettings, replaceRow, writable } from '../engine/writer.js';
import type { RowChange } from '../log/op.js';
import type { Call } from './command.js';
import { checkNamespace } from './command.js';
import { timeSeriesOf } from './time-series.js';
import { changeInTurns } from './turns.js';

type Out = Terminal & { readonly kind: 'out' };
type Merge = Terminal & { readonly kind: 'merge' };

const namespaceFor = (call: Call, { into }: Terminal): string => checkNamespace(into.db ?? call.db, into.collection);

/**
 * Refuses to write results into system collections and internal databases.
 * @throws CommandError 17385, 31319, 31320, 31321
 */
export const checkTarget = (
  call: Call,
  { kind, into: { db = call.db, collection } }: Pick<Terminal, 'kind' | 'into'>,
): void => {
  if (collection.startsWith('system.')) {
    if (kind === 'out') throw fail(17385, `Can't $out to special collection: ${collection}`);
    throw fail(31319, `Cannot $merge to special collection: ${collection}`);
  }
  if (!internalDatabases.has(db)) return;
  if (kind === 'out') throw fail(31321, `Can't $out to internal database: ${db}`);
  throw fail(31320, `Cannot $merge to internal database: ${db}`);
};

/**
 * Returns the empty collection that receives the results of `$out`, with the options and indexes of the replaced one.
 * @throws CommandError 7268700, 7406103 if the replaced collection is not a time series with the requested options
 */
const successor = (
  call: Call,
  ns: string,
  before: Collection | undefined,
  draft: Draft,
  wanted: Doc | undefined,
): Collection => {
  const { engine } = call;
  const given = wanted && timeSeriesOf(wanted, before?.settings.timeSeries?.expireAfterSeconds, engine.version);
  const existing = before?.settings.timeSeries;
  if (given !== undefined && before !== undefined && existing === undefined)
    throw fail(7268700, `$out cannot make a time series of ${ns}, which is a collection of another kind`);
  if (
    given !== undefined &&
    existing !== undefined &&
    !equal(seriesOptions(Doc.EMPTY, given), seriesOptions(Doc.EMPTY, existing))
  )
    throw fail(7406103, `The time series ${ns} has other options than $out requests`);
  const settings = { ...(before?.settings ?? plainSettings(engine, ns)), uuid: engine.newUuid() };
  const series = existing ?? given;
  let next: Collection;
  if (series === undefined) next = emptyCollection(settings, before?.indexes[0]?.definition);
  else {
    const options = before?.settings.options ?? detached(seriesOptions(Doc.EMPTY, series));
    const first = before === undefined ? seriesIndex(series, engine.version) : before.indexes[0]?.definition;
    next = emptySeries({ ...settings, options, timeSeries: series }, first);
  }
  for (const { definition } of before?.indexes.slice(1) ?? []) next = addIndex(next, definition, draft.edit);
  return next;
};

/** Performs `$out`: replaces the collection by a new one with the results, and with the old options and indexes. */
export const replaceInTurns = (
  call: Call,
  terminal: Out,
  results: Iterable<Doc>,
  options: WriteOptions,
): Soon<void> => {
  const ns = namespaceFor(call, terminal);
  const all = [...results];
  const replaced = changeInTurns(call, '$out', draft => replacedBy(call, draft, terminal, all, options));
  const ended = (isReplaced: boolean): void => {
    if (isReplaced) call.engine.cursors.invalidateOn(ns);
  };
  return replaced instanceof Promise ? replaced.then(ended) : ended(replaced);
};

/** Replaces the collection, and returns whether there was one. */
function* replacedBy(
  call: Call,
  draft: Draft,
  terminal: Out,
  results: readonly Doc[],
  options: WriteOptions,
): Pieces<boolean> {
  const ns = namespaceFor(call, terminal);
  const { stamp } = momentOf(call.engine, false);
  const before = draft.get(ns);
  if (isView(before)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  if (before?.settings.capped !== undefined)
    throw fail(17152, `namespace '${ns}' is capped so it can't be used for $out`);
  // Compute all results before dropping the old collection, because the pipeline may read from it.
  const docs = copied(results.map(doc => prepared(doc, () => call.engine.newObjectId(), stamp)));
  let next = successor(call, ns, before, draft, terminal.timeseries);
  const temporary = `${dbOf(ns)}.tmp.agg_out.${toHex(next.settings.uuid.bytes)}`;
  next = { ...next, settings: { ...next.settings, ns: temporary } };
  draft.create(next);
  for (const doc of docs) {
    if (isDue()) yield pause;
    next = insertInto(draft, next, doc, options);
  }
  draft.rename(temporary, { ...next, settings: { ...next.settings, ns } });
  return before !== undefined;
}

/**
 * Checks that a unique index with the collation of the pipeline covers the `on` fields of `$merge`. Returns whether it
 * also indexes documents in which they are missing or null: a sparse one does not.
 */
const checkUnique = (
  collection: Collection | undefined,
  on: readonly string[] | undefined,
  collation: Doc | undefined,
): { readonly nullish: boolean } => {
  const wanted = [...(on ?? ['_id'])].sort().join('\0');
  if (wanted === '_id' && (on === undefined || collection === undefined)) return { nullish: true };
  const inherited = collection?.settings.options.get('collation');
  const found = (collection?.indexes ?? []).filter(({ definition }) => {
    const own = definition.name === '_id_' ? inherited : definition.collation?.spec;
    const paths = definition.fields.map(field => field.path).sort();
    const isPlain = definition.unique && definition.partial === undefined && definition.kind === undefined;
    return isPlain && isSameCollation(isDoc(own) ? own : undefined, collation) && paths.join('\0') === wanted;
  });
  if (found.length === 0) throw fail(51183, 'Cannot find index to verify that join fields will be unique');
  return { nullish: found.some(({ definition: { sparse } }) => !sparse) };
};

interface Merging {
  readonly call: Call;
  readonly draft: Draft;
  readonly ns: string;
  readonly terminal: Merge;
  readonly on: readonly string[];
  /** Whether documents can match by null or missing fields. */
  readonly nullish: boolean;
  readonly language: Language;
  readonly moment: Moment;
  readonly options: WriteOptions;
}

const keyOf = (doc: Doc, { on, nullish }: Merging): readonly (readonly [string, Value])[] =>
  on.map(path => {
    const value = lookupPlainly(doc, splitPath(path));
    if (isArray(value)) throw fail(51185, `$merge write error: 'on' field '${path}' is an array`);
    const hasArray = eachEntry([{ parts: splitPath(path) }], doc, () => undefined);
    if (hasArray || (!nullish && isNullish(value))) {
      throw fail(
        51132,
        `$merge write error: 'on' field '${path}' cannot be missing, null or undefined if supporting index is sparse`,
      );
    }
    return [path, value ?? null];
  });

const existing = ({ draft, ns, language }: Merging, key: readonly (readonly [string, Value])[]): Row | undefined => {
  const collection = draft.documents(ns);
  if (collection === undefined) return undefined;
  const filter = Doc.of(key.map(([path, value]) => [path, Doc.of([['$eq', value]])]));
  const { collation, collationSpec } = language;
  const matcher = parseQuery(filter, { collation });
  const selection = { matcher, sort: undefined, hint: undefined, collation: collationSpec };
  return select(collection, selection, 1)[0];
};

const keepingId = (before: Doc, after: Doc): Doc =>
  after.has('_id') ? after : Doc.of([['_id', before.get('_id')!], ...after]);

const combined = ({ terminal: { whenMatched }, language }: Merging, before: Doc, incoming: Doc): Doc => {
  if (typeof whenMatched === 'function') return keepingId(before, whenMatched(before, incoming, language.ambience));
  if (whenMatched === 'merge') return incoming.entries().reduce((doc, [name, value]) => doc.with(name, value), before);
  return keepingId(before, incoming);
};

const checkSameId = (before: Doc, after: Doc): void => {
  if (equal(before.get('_id'), after.get('_id'))) return;
  throw fail(
    'ImmutableField',
    "$merge failed to update the matching document, did you attempt to modify the _id or the shard key? :: caused by :: Performing an update on the path '_id' would modify the immutable field '_id'",
  );
};

/** Returns how a matched document changes: with a pipeline's result, or with fields set individually. */
const changeBy = ({ whenMatched }: Merge): RowChange => ({
  by: whenMatched === 'replace' ? 'replacement' : 'pipeline',
});

/** @throws CommandError 52 for a field that can be inserted, but not set in an existing document */
const checkNames = (incoming: Doc): void => {
  const name = incoming.keys().find(key => key.startsWith('$'));
  if (name !== undefined)
    throw fail(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${name}' in '${name}' is not valid for storage.`,
    );
};

interface Item {
  readonly incoming: Doc;
  /** The document with an `_id`. */
  readonly withId: Doc;
  readonly key: readonly (readonly [string, Value])[];
}

const itemOf = (merging: Merging, incoming: Doc): Item => {
  const withId = incoming.has('_id') ? incoming : Doc.of([['_id', merging.call.engine.newObjectId()], ...incoming]);
  return { incoming, withId, key: keyOf(withId, merging) };
};

const mergeOne = (merging: Merging, { incoming, withId, key }: Item): void => {
  const { call, draft, ns, terminal, moment, options } = merging;
  const row = existing(merging, key);
  if (row === undefined) {
    if (terminal.whenNotMatched === 'discard') return;
    if (terminal.whenNotMatched === 'fail') {
      throw fail(
        13113,
        '$merge could not find a matching document in the target collection for at least one document in the source collection',
      );
    }
    insertMade(call.engine, draft, ns, withId, { ...options, moment });
    return;
  }
  if (terminal.whenMatched === 'keepExisting') return;
  if (terminal.whenMatched === 'fail') {
    // The insert throws the appropriate duplicate key error.
    insertMade(call.engine, draft, ns, withId, { ...options, moment });
    return;
  }
  if (typeof terminal.whenMatched === 'string') checkNames(incoming);
  const after = combined(merging, row.doc, incoming);
  checkSameId(row.doc, after);
  replaceRow(draft, draft.documents(ns)!, { row, after, change: changeBy(terminal) }, options);
};

/** Adds the cause to a duplicate key error. */
const explained = (error: CommandError, { on, terminal: { whenMatched } }: Merging): CommandError => {
  const pattern = error.extra.find(([name]) => name === 'keyPattern')?.[1];
  if (error.code !== 11000 || !isDoc(pattern)) return error;
  const isOn = whenMatched === 'fail' && [...pattern.keys()].sort().join('\0') === [...on].sort().join('\0');
  const why = isOn
    ? "$merge with whenMatched: fail found an existing document with the same values for the 'on' fields"
    : '$merge failed due to a DuplicateKey error';
  return new CommandError(error.code, `${why} :: caused by :: ${error.message}`, error.extra, error.labels);
};

/**
 * Writes a batch of results. As in mongod, a document that cannot be written does not keep the rest of the batch from
 * being written.
 * @throws CommandError the first failure
 */
const mergeBatch = function* (merging: Merging, batch: readonly Doc[]): Pieces<void> {
  let failure: CommandError | undefined;
  const items = [];
  for (const doc of batch) {
    if (isDue()) yield pause;
    items.push(itemOf(merging, doc));
  }
  for (const item of items) {
    if (isDue()) yield pause;
    try {
      mergeOne(merging, item);
    } catch (error) {
      if (!(error instanceof CommandError) || isOver(error)) throw error;
      failure ??= explained(error, merging);
    }
  }
  if (failure !== undefined) throw failure;
};

/** Divides results into batches of at most 16 MiB. */
const batchesOf = function* (all: Iterable<Doc>): Generator<readonly Doc[]> {
  let batch: Doc[] = [];
  let size = 0;
  for (const doc of all) {
    size += doc.byteLength;
    if (size > maxBatchBytes && batch.length > 0) {
      yield batch;
      [batch, size] = [[], doc.byteLength];
    }
    batch.push(doc);
  }
  yield batch;
};

/** Merges all results. Returns the error that ended the merge, whose earlier results remain. */
function* mergeAll(
  given: Omit<Merging, 'on' | 'nullish' | 'moment'>,
  all: readonly Doc[],
): Pieces<CommandError | undefined> {
  const { call, draft, ns, terminal, language } = given;
  const { engine } = call;
  const found = checkUnique(draft.documents(ns), terminal.on, language.collationSpec);
  // Before 8.1, documents never match by null or missing fields.
  const nullish = found.nullish && (isAtLeast(engine.version, '8.1') || terminal.on === undefined);
  writable(engine, draft, ns);
  const merging: Merging = { ...given, on: terminal.on ?? ['_id'], nullish, moment: momentOf(engine, false) };
  try {
    for (const batch of batchesOf(all)) yield* mergeBatch(merging, batch);
    return undefined;
  } catch (error) {
    if (error instanceof CommandError && !isOver(error)) return error;
    throw error;
  }
}

/** Performs `$merge`: writes the results in batches. Results written before a failure remain. */
export const mergeInTurns = (
  call: Call,
  terminal: Merge,
  results: Iterable<Doc>,
  language: Language,
  options: WriteOptions,
): Soon<void> => {
  const ns = namespaceFor(call, terminal);
  const all = [...results];
  const merged = changeInTurns(call, '$merge', draft =>
    mergeAll({ call, draft, ns, terminal, language, options }, all),
  );
  const ended = (failure: CommandError | undefined): void => {
    if (failure !== undefined) throw failure;
  };
  return merged instanceof Promise ? merged.then(ended) : ended(merged);
};

/** Returns the call with data whose changes are not interrupted. */
const atOnce = (call: Call): Call => {
  const { data } = call;
  return { ...call, data: { value: data.value, change: (what, work) => data.change(what, work) } };
};

/** Performs `$out` without pauses. */
export const replaceBy = (call: Call, terminal: Out, results: Iterable<Doc>, options: WriteOptions): void => {
  void replaceInTurns(atOnce(call), terminal, results, options);
};

/** Performs `$merge` without pauses. */
export const mergeInto = (
  call: Call,
  terminal: Merge,
  results: Iterable<Doc>,
  language: Language,
  options: WriteOptions,
): void => {
  void mergeInTurns(atOnce(call), terminal, results, language, options);
};
