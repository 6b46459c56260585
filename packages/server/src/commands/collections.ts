import type { Entry, Value, Version } from '@tessera/mql/engine';
import {
  Doc,
  detached,
  compare,
  createCollation,
  expressionCompiler,
  fail,
  forbiddenScripts,
  fullCollation,
  isAtLeast,
  isDoc,
  isNumber,
  parseQuery,
  parseValidator,
  showDoc,
  toDouble,
  usesEncryption,
} from '@tessera/mql/engine';
import type { Capped, Collection, IndexDefinition, TimeSeries, Validator, Namespace, View } from '@tessera/store';
import {
  dbOf,
  emptyCollection,
  emptySeries,
  idIndexWith,
  listedIndex,
  listedSeries,
  nameOf,
  parseClusteredIndex,
  seriesIndex,
  seriesOptions,
  isView,
  namespacesOf,
} from '@tessera/store';
import { accessibleCollections } from '../auth/access.js';
import type { Draft } from '../engine/database.js';
import { internalDatabases } from '../engine/database.js';
import type { Engine } from '../engine/engine.js';
import { languageOf } from '../engine/language.js';
import { checkNewName } from '../engine/writer.js';
import { cappedSize } from './capped.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf, valueOf } from './command.js';
import { openList } from './cursor-reply.js';
import { imagesOption } from '../streams/images-option.js';
import type { Args, Schema } from './schema.js';
import { any, array, bool, integer, object, since, string, structure } from './schema.js';
import { describedViews, dropViews } from './system-views.js';
import { checkView } from './view-definition.js';
import { checkSeriesOptions, timeSeriesOf } from './time-series.js';

const createSchema = {
  capped: bool(),
  autoIndexId: bool(),
  idIndex: object(),
  size: integer(0),
  max: integer(),
  storageEngine: object(),
  validator: object(),
  validationLevel: string(),
  validationAction: string(),
  indexOptionDefaults: object(),
  viewOn: string(),
  pipeline: array(),
  collation: object(),
  changeStreamPreAndPostImages: imagesOption(),
  timeseries: since('5.0', object()),
  expireAfterSeconds: since('5.0', integer()),
  clusteredIndex: since('5.3', any()),
  encryptedFields: since('6.0', object()),
  temp: bool(),
  flags: any(),
} satisfies Schema;

type CreateArgs = Args<typeof createSchema>;

/** Returns the maximum number of documents. Zero and negative numbers mean no limit. */
export const maxOf = (max: number | undefined): number =>
  max === undefined || max <= 0 ? Number.POSITIVE_INFINITY : max;

const cappedOf = ({ capped, size, max }: CreateArgs, version: Version): Capped | undefined => {
  if (capped !== true) {
    if (size === undefined && max === undefined) return undefined;
    throw fail(
      'InvalidOptions',
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
    );
  }
  if (size === undefined || size === 0)
    throw fail('InvalidOptions', "the 'size' field is required when 'capped' is true");
  return { size: cappedSize(size, version), max: maxOf(max) };
};

const oneOf = <T extends string>(field: string, value: string | undefined, allowed: readonly T[], standard: T): T => {
  if (value === undefined) return standard;
  const found = allowed.find(one => one === value);
  if (found === undefined)
    throw fail('BadValue', `Enumeration value '${value}' for field '${field}' is not a valid value.`);
  return found;
};

/**
 * Returns the validator that a collection's options describe. It may come from a file, so it is not refused for its
 * combination with other options.
 * @throws CommandError if it is malformed
 */
export const validatorOf = (engine: Engine, command: 'create' | 'collMod', options: Doc): Validator | undefined => {
  const word = (name: string): string | undefined => options.get(name) as string | undefined;
  const level = oneOf(`${command}.validationLevel`, word('validationLevel'), ['strict', 'moderate', 'off'], 'strict');
  const action = oneOf(
    `${command}.validationAction`,
    word('validationAction'),
    ['error', 'warn', ...(isAtLeast(engine.version, '8.1') ? (['errorAndLog'] as const) : [])],
    'error',
  );
  const [given, spec] = [options.get('validator'), options.get('collation')];
  if (!isDoc(given) || given.size === 0) return undefined;
  const filter = given.view();
  const random = (): number => engine.random.unit();
  const ambience = {
    get nowMs() {
      return engine.clock.wallTime();
    },
    random,
  };
  const collation = isDoc(spec) ? createCollation(spec) : undefined;
  const expression = expressionCompiler({ collation, scripts: forbiddenScripts, failsLate: true }, ambience);
  const { matches, explain } = parseValidator(filter, { expression, collation, random });
  if (action === 'warn') return undefined;
  return { filter, matches, level, explain: isAtLeast(engine.version, '5.0') ? explain : undefined };
};

/** Returns the validator that a command sets. @throws CommandError 224 for keywords of encryption that it would not enforce */
export const newValidator = (engine: Engine, command: 'create' | 'collMod', options: Doc): Validator | undefined => {
  const made = validatorOf(engine, command, options);
  const filter = options.get('validator');
  const isLenient =
    (options.get('validationAction') ?? 'error') !== 'error' || options.get('validationLevel') === 'moderate';
  if (isLenient && isDoc(filter) && usesEncryption(filter))
    throw fail(
      224,
      "Encryption-related validator keywords are not allowed when the validation action is not 'error' or the level is 'moderate'",
    );
  return made;
};

/** @throws CommandError 72 for a validator in a database or collection of the server itself */
export const checkValidated = (ns: string, validator: Doc | undefined): void => {
  if (validator === undefined || validator.size === 0) return;
  const db = dbOf(ns);
  if (internalDatabases.has(db))
    throw fail(
      'InvalidOptions',
      `Document validators are not allowed on collection ${ns} in the ${db} internal database`,
    );
  if (nameOf(ns).startsWith('system.'))
    throw fail('InvalidOptions', `Document validators not allowed on system collection ${ns}`);
};

/** Converts a long to an int where it fits, as mongod's catalog stores numbers. */
const plainly = (value: Value): Value =>
  typeof value === 'bigint' && value >= 0n && value <= 0x7fffffffn ? Number(value) : value;

const unlisted: ReadonlySet<string> = new Set(['idIndex', 'autoIndexId']);

const isSimple = (name: string, value: Value): boolean =>
  name === 'collation' && isDoc(value) && value.get('locale') === 'simple';

/** Returns the options as listCollections shows them: those of the command, in its order. */
const optionsOf = (call: Call): Doc => {
  const shown = call.body
    .entries()
    .filter(([name, value]) => name in createSchema && !unlisted.has(name) && !isSimple(name, value));
  const entries = shown.map(([name, value]): Entry => {
    if (name === 'size' && isNumber(value))
      return [name, plainly(BigInt(cappedSize(Math.trunc(toDouble(value)), call.engine.version)))];
    if (name === 'max') return [name, plainly(value)];
    if (name === 'collation' && isDoc(value)) return [name, fullCollation(value)];
    if (name !== 'clusteredIndex' || !isDoc(value)) return [name, value];
    return [
      name,
      Doc.of([['v', 2], ...value.without('v').entries(), ...(value.has('name') ? [] : [['name', '_id_'] as const])]),
    ];
  });
  return detached(Doc.of(entries));
};

/** Returns the definition of the index on `_id`, if the command sets one. */
const idIndexOf = ({
  clusteredIndex,
  expireAfterSeconds,
  idIndex: given,
  collation,
  autoIndexId,
}: CreateArgs): IndexDefinition | undefined => {
  if (clusteredIndex === undefined || clusteredIndex === false) {
    if (expireAfterSeconds !== undefined) {
      throw fail('InvalidOptions', "'expireAfterSeconds' is only supported on time-series and clustered collections");
    }
    return given === undefined && collation === undefined ? undefined : idIndexWith(given, collation);
  }
  if (autoIndexId === false) throw fail(6026501, "'autoIndexId' cannot be false for a clustered collection");
  return parseClusteredIndex(clusteredIndex, expireAfterSeconds, collation);
};

const seriesOf = (call: Call, ns: string, { timeseries, expireAfterSeconds }: CreateArgs): TimeSeries | undefined => {
  if (timeseries === undefined) return undefined;
  checkSeriesOptions(ns, call.body);
  return timeSeriesOf(timeseries, expireAfterSeconds, call.engine.version);
};

const created = (call: Call, ns: string, args: CreateArgs): Collection => {
  const series = seriesOf(call, ns, args);
  const { engine } = call;
  const options = optionsOf(call);
  checkValidated(ns, args.validator);
  const settings = {
    ns,
    uuid: call.newUuid ?? engine.newUuid(),
    options,
    capped: cappedOf(args, call.engine.version),
    validator: newValidator(engine, 'create', options),
  };
  if (series === undefined) return emptyCollection(settings, idIndexOf(args));
  const shown = detached(seriesOptions(options, series));
  return emptySeries(
    { ...settings, options: shown, timeSeries: series },
    seriesIndex(series, engine.version, args.collation),
  );
};

const viewOf = (call: Call, draft: Draft, ns: string, args: CreateArgs): View => {
  const { viewOn, pipeline, capped, collation, idIndex, changeStreamPreAndPostImages: images } = args;
  if (args.clusteredIndex !== undefined) throw fail(6026500, "'clusteredIndex' cannot be specified with 'viewOn'");
  if (viewOn === '') throw fail('BadValue', "'viewOn' cannot be empty");
  if (capped === true || idIndex !== undefined || images !== undefined)
    throw fail(
      'InvalidOptions',
      "'capped', 'idIndex' and 'changeStreamPreAndPostImages' cannot be specified with 'viewOn'",
    );
  if (collation !== undefined) createCollation(collation);
  const view: View = { settings: { ns, options: optionsOf(call) }, viewOn: viewOn!, pipeline: pipeline ?? [] };
  draft.create(view);
  checkView(draft.finish(), view);
  return view;
};

const checkExisting = (call: Call, existing: Namespace, ns: string, args: CreateArgs): Fields => {
  const series = seriesOf(call, ns, args);
  const given = optionsOf(call);
  const wanted = series === undefined ? given : seriesOptions(given, series);
  const same = compare(existing.settings.options, wanted) === 0;
  if (same && isAtLeast(call.engine.version, '7.0') && call.generic.transaction === undefined) return [];
  throw fail(
    'NamespaceExists',
    same
      ? `Collection already exists. NS: ${ns}`
      : `namespace ${ns} already exists, but with different options: ${showDoc(existing.settings.options)}`,
  );
};

const create = command({
  name: 'create',
  schema: createSchema,
  writeConcern: true,
  stable: true,
  help: 'Creates a collection or a view.',
  run: (call, args) => {
    const ns = namespaceOf(call);
    checkNewName(ns);
    const { expireAfterSeconds: seconds = 0 } = args;
    if (seconds < 0 || seconds > 0x7fffffff)
      throw fail('InvalidOptions', "'expireAfterSeconds' must be within the range of 0 to 2147483647");
    const { engine } = call;
    if (nameOf(ns).startsWith('system.buckets.') && args.timeseries === undefined)
      throw fail('IllegalOperation', `Cannot create the buckets of a time series without its options: ${ns}`);
    const existing = valueOf(call).namespaces.get(ns);
    if (existing !== undefined) return checkExisting(call, existing, ns, args);
    return call.data.change('create', draft => {
      if (args.viewOn !== undefined && args.timeseries === undefined) {
        viewOf(call, draft, ns, args);
        return [];
      }
      if (args.pipeline !== undefined) throw fail('InvalidOptions', "'pipeline' cannot be specified without 'viewOn'");
      if (args.collation !== undefined) createCollation(args.collation);
      draft.create(created(call, ns, args));
      if (args.expireAfterSeconds !== undefined) engine.expiry.start();
      return [];
    });
  },
});

const drop = command({
  name: 'drop',
  schema: { collectionUUID },
  writeConcern: true,
  stable: true,
  help: 'Drops a collection or a view.',
  run: (call): Fields => {
    const ns = namespaceOf(call);
    const { engine } = call;
    const existing = call.data.value.namespaces.get(ns);
    if (existing === undefined) {
      if (nameOf(ns) === 'system.views') call.data.change('drop', draft => dropViews(draft, ns, parseQuery(Doc.EMPTY)));
      if (isAtLeast(engine.version, '7.0')) return [];
      throw fail('NamespaceNotFound', 'ns not found');
    }
    if (nameOf(ns) === 'system.profile' && call.server.profiler.of(call.db).level > 0)
      throw fail('IllegalOperation', 'turn off profiling before dropping system.profile collection');
    call.data.change('drop', draft => draft.drop(ns));
    engine.cursors.invalidateOn(ns);
    return isView(existing)
      ? [['ns', ns]]
      : [
          ['nIndexesWas', existing.indexes.length],
          ['ns', ns],
        ];
  },
});

const dropDatabase = command({
  name: 'dropDatabase',
  writeConcern: true,
  stable: true,
  help: 'Drops all collections of a database.',
  run: (call): Fields => {
    const { engine, db } = call;
    if (call.server.role.kind === 'member' && internalDatabases.has(db))
      throw fail('IllegalOperation', `Cannot drop '${db}' database while replication is active`);
    const all = namespacesOf(call.data.value, db);
    call.server.profiler.forget(db);
    if (all.length === 0) return [];
    call.data.change('dropDatabase', draft => {
      for (const { settings } of all) draft.drop(settings.ns);
      draft.note({ kind: 'dropDatabase', db });
    });
    for (const { settings } of all) engine.cursors.invalidateOn(settings.ns);
    return [['dropped', db]];
  },
});

/** Returns the entries of listCollections for a collection or view. */
export const described = (namespace: Namespace, version: Version): readonly Doc[] => {
  if (isView(namespace)) return [describedView(namespace)];
  const { timeSeries } = namespace.settings;
  return timeSeries === undefined ? [describedCollection(namespace, version)] : listedSeries(namespace, timeSeries);
};

const describedView = ({ settings: { ns, options } }: View): Doc =>
  Doc.of([
    ['name', nameOf(ns)],
    ['type', 'view'],
    ['options', options],
    ['info', Doc.of([['readOnly', true]])],
  ]);

const describedCollection = (namespace: Collection, version: Version): Doc => {
  const { ns, options } = namespace.settings;
  const onId = namespace.indexes[0]?.definition;
  return Doc.of([
    ['name', nameOf(ns)],
    ['type', 'collection'],
    ['options', options],
    [
      'info',
      Doc.of([
        ['readOnly', false],
        ['uuid', namespace.settings.uuid],
      ]),
    ],
    ...(onId === undefined || onId.clustered ? [] : [['idIndex', listedIndex(onId, ns, version)] as const]),
  ]);
};

const byName = (a: Doc, b: Doc): number => compare(a.get('name'), b.get('name'));

const listCollections = command({
  name: 'listCollections',
  schema: {
    filter: object(),
    nameOnly: bool(),
    authorizedCollections: bool(),
    includePendingDrops: bool(),
    cursor: structure({ batchSize: integer(0) }),
  },
  stable: true,
  help: 'Lists the collections and views of a database.',
  run: (call, { filter, nameOnly, cursor, authorizedCollections }) => {
    const matcher = parseQuery(filter ?? Doc.EMPTY, {
      expression: languageOf(call.engine, undefined, undefined).context.expression,
    });
    const isShown = authorizedCollections === true ? accessibleCollections(call) : () => true;
    const all = namespacesOf(valueOf(call), call.db);
    const docs = all
      .filter(({ settings }) => isShown(nameOf(settings.ns)))
      .flatMap(namespace => described(namespace, call.engine.version))
      .concat(all.some(isView) && isShown('system.views') ? describedViews(call.db, call.engine.version) : [])
      .sort(byName)
      .filter(doc => matcher.matches(doc))
      .map(doc => (nameOnly === true ? Doc.of(doc.entries().slice(0, 2)) : doc));
    return openList(call, `${call.db}.$cmd.listCollections`, docs, { batchSize: cursor?.batchSize });
  },
});

export const collectionCommands: readonly Command[] = [create, drop, dropDatabase, listCollections];
