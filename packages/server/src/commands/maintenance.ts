import type { Soon } from '@tessera/contracts';
import type { BinaryValue, Entry, Pieces } from '@tessera/mql/engine';
import { Doc, detached, compare, fail, isDoc, isDue, pause, showDoc } from '@tessera/mql/engine';
import type { Collection, Edit, Index, View } from '@tessera/store';
import { addIndex, nameOf, asUnique, dropIndex, keysIn, isView } from '@tessera/store';
import type { Draft } from '../engine/database.js';
import { readable } from '../engine/buckets.js';
import { checkNewName } from '../engine/writer.js';
import { checkSeriesChange } from './time-series.js';
import { withLifetime } from './coll-mod-lifetime.js';
import { checkValidated, maxOf, newValidator } from './collections.js';
import { checkUuid, collectionUUID, isUuid } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf } from './command.js';
import { imagesOption } from '../streams/images-option.js';
import { piecewise } from './turns.js';
import { checkView } from './view-definition.js';
import type { Args, Field, Schema } from './schema.js';
import { any, array, bool, integer, object, required, since, string, structure } from './schema.js';

const dbOf = (ns: string): string => ns.slice(0, ns.indexOf('.'));

/** The field `dropTarget`: whether to drop the target, or the UUID that the target must have. */
const boolOrUuid: Field<boolean | BinaryValue | undefined> = {
  ...bool(),
  types: [...bool().types, 'binData'],
  read: (value, scope, name, version) => (isUuid(value) ? value : bool().read(value, scope, name, version)),
};

const renameCollection = command({
  name: 'renameCollection',
  schema: { collectionUUID, to: required(string()), dropTarget: boolOrUuid, stayTemp: bool() },
  adminOnly: true,
  writeConcern: true,
  help: 'Renames a collection.',
  run: (call, { to, dropTarget }): Fields => {
    const from = call.target;
    if (typeof from !== 'string' || !from.includes('.') || !to.includes('.')) {
      throw fail('InvalidNamespace', `Invalid namespace specified: both names must have the form database.collection`);
    }
    if (from === to) throw fail('IllegalOperation', "Can't rename a collection to itself");
    if (nameOf(to).includes('$') || nameOf(to).startsWith('system.buckets.'))
      throw fail('IllegalOperation', `Invalid collection name: ${nameOf(to)}`);
    if ([from, to].some(ns => nameOf(ns) === 'system.profile'))
      throw fail('IllegalOperation', 'The collection system.profile cannot be renamed or replaced');
    checkNewName(to);
    if (isUuid(dropTarget)) checkUuid(call, to, dropTarget);
    call.data.change('renameCollection', draft => {
      const source = draft.documents(from);
      if (source === undefined) throw fail('NamespaceNotFound', `Source collection ${from} does not exist`);
      if (source.settings.timeSeries !== undefined || source.series !== undefined)
        throw fail('IllegalOperation', `Cannot rename a time-series collection: ${from}`);
      if (isView(draft.get(to))) throw fail('NamespaceExists', `a view already exists with that name: ${to}`);
      if (draft.get(to) !== undefined && (dropTarget ?? false) === false)
        throw fail('NamespaceExists', 'target namespace exists');
      // Renaming across databases creates a new collection with the same documents.
      const uuid = dbOf(from) === dbOf(to) ? source.settings.uuid : call.engine.newUuid();
      draft.rename(from, { ...source, settings: { ...source.settings, ns: to, uuid } });
    });
    call.engine.cursors.invalidateOn(from);
    call.engine.cursors.invalidateOn(to);
    return [];
  },
});

const collModSchema = {
  collectionUUID,
  validator: object(),
  validationLevel: string(),
  validationAction: string(),
  index: structure({
    name: string(),
    keyPattern: object(),
    expireAfterSeconds: integer(),
    hidden: bool(),
    prepareUnique: since('5.2', bool()),
    unique: since('5.2', bool()),
    forceNonUnique: since('6.1', bool()),
  }),
  viewOn: string(),
  pipeline: array(),
  expireAfterSeconds: any(),
  timeseries: object(),
  timeseriesBucketsMayHaveMixedSchemaData: bool(),
  dryRun: since('5.2', bool()),
  changeStreamPreAndPostImages: imagesOption(),
  cappedSize: integer(1, 2 ** 50),
  cappedMax: integer(),
} satisfies Schema;

type CollModArgs = Args<typeof collModSchema>;
type IndexChange = NonNullable<CollModArgs['index']>;

const invalid = (message: string): Error => fail('InvalidOptions', message);

/** Checks the combination of options of a changed index. @throws CommandError 2, 72 */
const checkChange = ({ name, keyPattern, ...changes }: IndexChange): void => {
  const { expireAfterSeconds: seconds, unique, forceNonUnique } = changes;
  if ((name === undefined) === (keyPattern === undefined))
    throw invalid("Must specify either the 'name' or the 'keyPattern' of an index");
  if (Object.values(changes).every(change => change === undefined))
    throw invalid('no expireAfterSeconds, hidden, unique, or prepareUnique field');
  if (unique === false || forceNonUnique === false)
    throw fail('BadValue', "'unique' and 'forceNonUnique' can only be true");
  if (seconds !== undefined && (seconds < 0 || seconds > 0x7fffffff))
    throw invalid("TTL index 'expireAfterSeconds' option must be within 0 and 2147483647");
};

const indexFor = (collection: Collection, { name, keyPattern }: IndexChange): Index => {
  const [found, ...others] = collection.indexes.filter(({ definition }) =>
    name === undefined ? compare(definition.key, keyPattern) === 0 : definition.name === name,
  );
  if (others.length > 0)
    throw fail(
      'AmbiguousIndexKeyPattern',
      `index keyPattern ${showDoc(keyPattern!)} matches ${others.length + 1} indexes`,
    );
  if (found !== undefined) return found;
  throw fail('IndexNotFound', `cannot find index ${name ?? showDoc(keyPattern!)} for ns ${collection.settings.ns}`);
};

/**
 * Returns the index as a unique one.
 * @throws CommandError 72 without `prepareUnique`, 359 if several documents have the same key
 */
const madeUnique = (collection: Collection, index: Index, edit: Edit): Index => {
  const { definition } = index;
  if (!definition.prepareUnique) {
    throw fail('InvalidOptions', 'Cannot make index unique: set prepareUnique on it first, with another collMod');
  }
  const made = asUnique(collection, index, definition.spec.without('prepareUnique').with('unique', true), edit);
  if ('definition' in made) return made;
  throw fail(
    'CannotConvertIndexToUnique',
    'Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.',
    [['violations', made.map(ids => Doc.of([['ids', ids]]))]],
  );
};

/** Returns the collection with a changed expiry, visibility or uniqueness of an index, and the fields of the reply. */
const changeIndex = (
  collection: Collection,
  change: IndexChange,
  edit: Edit,
): { readonly next: Collection; readonly fields: Fields } => {
  checkChange(change);
  const index = indexFor(collection, change);
  const { definition } = index;
  if (definition.name === '_id_') throw invalid('The index on _id cannot be changed');
  const changedFields: Entry[] = [];
  let { spec } = definition;
  const { expireAfterSeconds = definition.expireAfterSeconds, hidden = definition.hidden } = change;
  if (change.expireAfterSeconds !== undefined) {
    if (definition.fields.length > 1) throw invalid('TTL indexes are single-field indexes');
    if (definition.expireAfterSeconds !== undefined)
      changedFields.push(['expireAfterSeconds_old', BigInt(definition.expireAfterSeconds)]);
    changedFields.push(['expireAfterSeconds_new', BigInt(change.expireAfterSeconds)]);
    spec = spec.with('expireAfterSeconds', change.expireAfterSeconds);
  }
  if (change.hidden !== undefined) {
    changedFields.push(['hidden_old', definition.hidden], ['hidden_new', change.hidden]);
    spec = change.hidden ? spec.with('hidden', true) : spec.without('hidden');
  }
  if (change.prepareUnique !== undefined && !definition.unique) {
    changedFields.push(['prepareUnique_old', definition.prepareUnique], ['prepareUnique_new', change.prepareUnique]);
    spec = change.prepareUnique ? spec.with('prepareUnique', true) : spec.without('prepareUnique');
  }
  const { prepareUnique = definition.prepareUnique } = definition.unique ? definition : change;
  let changed: Index = { ...index, definition: { ...definition, expireAfterSeconds, hidden, prepareUnique, spec } };
  if (change.unique === true && !definition.unique) {
    changed = madeUnique(collection, changed, edit);
    changedFields.push(['unique_new', true]);
  }
  if (change.forceNonUnique === true && definition.unique) {
    const plain = { ...changed.definition, unique: false, spec: spec.without('unique') };
    changed = addIndex(dropIndex(collection, definition.name), plain, edit).indexes.at(-1)!;
    changedFields.push(['forceNonUnique_new', true]);
  }
  return {
    next: { ...collection, indexes: collection.indexes.map(one => (one === index ? changed : one)) },
    fields: changedFields,
  };
};

const withOptions = (collection: Collection, call: Call, args: CollModArgs): Collection => {
  const { validator, validationLevel, validationAction, changeStreamPreAndPostImages, cappedSize, cappedMax } = args;
  const { settings } = collection;
  checkValidated(settings.ns, validator);
  if ((cappedSize !== undefined || cappedMax !== undefined) && settings.capped === undefined) {
    throw fail('InvalidOptions', 'Collection must be capped.');
  }
  const given: Readonly<Record<string, string | Doc | number | undefined>> = {
    validator,
    validationLevel,
    validationAction,
    changeStreamPreAndPostImages,
    size: cappedSize,
    max: cappedMax,
  };
  let { options } = settings;
  for (const [name, value] of Object.entries(given)) if (value !== undefined) options = options.with(name, value);
  if (changeStreamPreAndPostImages?.get('enabled') === false) options = options.without('changeStreamPreAndPostImages');
  if (validator !== undefined)
    for (const [name, standard] of [
      ['validationLevel', 'strict'],
      ['validationAction', 'error'],
    ] as const)
      options = options.with(name, options.get(name) ?? standard);
  const capped = settings.capped && {
    size: cappedSize ?? settings.capped.size,
    max: cappedMax === undefined ? settings.capped.max : maxOf(cappedMax),
  };
  options = detached(options);
  return {
    ...collection,
    settings: { ...settings, options, capped, validator: newValidator(call.engine, 'collMod', options) },
  };
};

/** Returns the options that a `collMod` changes. An index is given by its name. */
const changeOf = ({ body }: Call, index: Index | undefined): Doc =>
  detached(
    Doc.of(
      body.entries().flatMap(([name, value]): Fields => {
        if (!Object.hasOwn(collModSchema, name) || name === 'collectionUUID' || name === 'dryRun') return [];
        if (index === undefined || !isDoc(value) || name !== 'index') return [[name, value]];
        return [
          [name, Doc.of([['name', index.definition.name], ...value.without('name').without('keyPattern').entries()])],
        ];
      }),
    ),
  );

const modifyView = (draft: Draft, ns: string, { viewOn, pipeline }: CollModArgs): Fields => {
  const view = draft.get(ns);
  if (!isView(view))
    throw fail('InvalidOptions', `'viewOn' and 'pipeline' are only allowed for views, but ${ns} is a collection`);
  const next = { viewOn: viewOn ?? view.viewOn, pipeline: pipeline ?? view.pipeline };
  const options = view.settings.options.with('viewOn', next.viewOn).with('pipeline', next.pipeline);
  const changed: View = { ...next, settings: { ns, options: detached(options) } };
  draft.modify(view, changed, changed.settings.options);
  checkView(draft.finish(), changed);
  return [];
};

/** Checks that a dry run only makes an index unique. @throws CommandError 72 */
const checkDryRun = ({ dryRun, index, ...others }: CollModArgs): void => {
  if (dryRun !== true) return;
  const { unique, name: _, keyPattern: __, ...changes } = index ?? {};
  if (unique === undefined || [...Object.values(others), ...Object.values(changes)].some(value => value !== undefined))
    throw invalid("'dryRun' is only supported for the conversion of an index to unique");
};

const collMod = command({
  name: 'collMod',
  schema: collModSchema,
  writeConcern: true,
  stable: true,
  help: 'Changes options of a collection, a view or an index.',
  run: (call, args): Fields => {
    const ns = namespaceOf(call);
    return call.data.change('collMod', draft => {
      if (draft.get(ns) === undefined)
        throw readable(draft.finish(), ns) === undefined
          ? fail('NamespaceNotFound', `ns does not exist: ${ns}`)
          : fail('InvalidNamespace', `The buckets of a time series cannot be changed: ${ns}`);
      checkDryRun(args);
      if (args.viewOn !== undefined || args.pipeline !== undefined) return modifyView(draft, ns, args);
      const other = Object.entries(args).find(([name, value]) => value !== undefined && name !== 'collectionUUID');
      if (isView(draft.get(ns)) && other !== undefined) throw invalid(`option not supported on a view: ${other[0]}`);
      const before = draft.collection(ns)!;
      if (before.settings.timeSeries !== undefined) checkSeriesChange(args);
      if (args.timeseriesBucketsMayHaveMixedSchemaData !== undefined && before.settings.timeSeries === undefined)
        throw invalid("'timeseriesBucketsMayHaveMixedSchemaData' is only supported on a time-series collection");
      const collection = withLifetime(withOptions(before, call, args), call, args);
      if (args.index === undefined) {
        draft.modify(before, collection, changeOf(call, undefined));
        return [];
      }
      const { next, fields } = changeIndex(collection, args.index, draft.edit);
      if (args.dryRun === true) return fields;
      draft.modify(before, next, changeOf(call, indexFor(before, args.index)));
      if (args.index.expireAfterSeconds !== undefined) call.engine.expiry.start();
      return fields;
    });
  },
});

/**
 * Compares an index with the collection's documents. Returns the number of expected entries, and of missing or extra
 * ones.
 */
const checkIndex = function* (
  { records }: Collection,
  { definition, entries }: Index,
): Pieces<{ readonly expected: number; readonly wrong: number }> {
  let expected = 0;
  let missing = 0;
  for (const [record, doc] of records) {
    if (isDue()) yield pause;
    for (const key of keysIn(definition, doc).keys) {
      expected += 1;
      if (entries.get(definition.unique ? key : key + record) !== record) missing += 1;
    }
  }
  return { expected, wrong: missing + Math.abs(entries.size - expected) };
};

const validate = command({
  name: 'validate',
  schema: {
    full: bool(),
    repair: bool(),
    metadata: bool(),
    checkBSONConformance: bool(),
    background: bool(),
    scandata: any(),
  },
  help: 'Checks that the indexes of a collection match its documents.',
  run: (call, { full, background }): Soon<Fields> => {
    if (full === true && background === true) {
      throw fail(
        'InvalidOptions',
        'Running the validate command with both { background: true } and { full: true } is not supported.',
      );
    }
    const ns = namespaceOf(call);
    const collection = call.data.value.namespaces.get(ns);
    if (collection === undefined) throw fail('NamespaceNotFound', `Collection '${ns}' does not exist to validate.`);
    if (isView(collection)) throw fail('CommandNotSupportedOnView', 'Cannot validate a view');
    return piecewise(call, validated(ns, collection));
  },
});

const validated = function* (ns: string, collection: Collection): Pieces<Fields> {
  const checks = [];
  for (const index of collection.indexes)
    checks.push({ name: index.definition.name, ...(yield* checkIndex(collection, index)) });
  const wrong = checks.filter(check => check.wrong > 0);
  return [
    ['ns', ns],
    ['uuid', collection.settings.uuid],
    ['nInvalidDocuments', 0n],
    ['nNonCompliantDocuments', 0n],
    ['nrecords', BigInt(collection.records.size)],
    ['nIndexes', collection.indexes.length],
    ['keysPerIndex', Doc.of(checks.map(({ name, expected }) => [name, BigInt(expected)]))],
    ['indexDetails', Doc.of(checks.map(({ name, wrong: bad }) => [name, Doc.of([['valid', bad === 0]])]))],
    ['valid', wrong.length === 0],
    ['repaired', false],
    ['warnings', []],
    ['errors', wrong.map(({ name, wrong: bad }) => `index ${name} disagrees with ${bad} entries`)],
    ['extraIndexEntries', []],
    ['missingIndexEntries', []],
    ['corruptRecords', []],
  ];
};

export const maintenance: readonly Command[] = [renameCollection, collMod, validate];
