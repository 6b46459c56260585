import type { Soon } from '@tessera/contracts';
import type { Entry, Pieces, Value } from '@tessera/mql/engine';
import { Doc, compare, fail, isArray, isDoc, showDoc } from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from '@tessera/store';
import {
  buildIndex,
  checkClusteredOption,
  checkIndexOptions,
  checkSeriesIndex,
  countUsesFrom,
  dropIndex,
  existsAlready,
  knownPart,
  listedIndex,
  parseIndexSpec,
  requireAllFit,
  isView,
} from '@tessera/store';
import { readable } from '../engine/buckets.js';
import type { Draft } from '../engine/database.js';
import type { Engine } from '../engine/engine.js';
import { loadLanguages, needsLanguages, textAnalysis } from '../engine/text-index.js';
import { writable } from '../engine/writer.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf, valueOf } from './command.js';
import { openList } from './cursor-reply.js';
import { any, bool, documents, integer, required, structure } from './schema.js';
import { changeInTurns } from './turns.js';

const mostIndexes = 64;

interface NewIndexes {
  readonly indexes: readonly Doc[];
  readonly ignoreUnknownIndexOptions: boolean | undefined;
}

const created = (call: Call, given: NewIndexes): Soon<Fields> => {
  const ns = namespaceOf(call);
  if (ns === 'config.transactions')
    throw fail('IllegalOperation', 'not allowed to create index on config.transactions');
  if (given.indexes.length === 0) throw fail('BadValue', 'Must specify at least one index to create');
  return changeInTurns(call, 'createIndexes', draft => built(call.engine, draft, ns, given));
};

/** Creates the indexes that do not exist yet. */
function* built(
  engine: Engine,
  draft: Draft,
  ns: string,
  { indexes, ignoreUnknownIndexOptions }: NewIndexes,
): Pieces<Fields> {
  const isNew = draft.get(ns) === undefined;
  let collection = writable(engine, draft, ns);
  if (collection.series !== undefined)
    throw fail('CommandNotSupported', `The buckets of a time series cannot have indexes of their own: ${ns}`);
  const collation = collection.settings.options.get('collation');
  const inherited = isDoc(collation) ? collation : undefined;
  const series = collection.settings.timeSeries;
  const before = collection.indexes.length;
  for (const given of indexes) {
    const spec = ignoreUnknownIndexOptions === true ? knownPart(given) : given;
    checkIndexOptions(spec, engine.version);
    checkClusteredOption(spec, collection.indexes[0]?.definition.spec);
    const definition = parseIndexSpec(spec, { inherited, isSeries: series !== undefined, analysis: textAnalysis() });
    if (series !== undefined) checkSeriesIndex(series, spec, definition);
    if (
      existsAlready(
        definition,
        collection.indexes.map(index => index.definition),
      )
    )
      continue;
    if (collection.indexes.length >= mostIndexes)
      throw fail('CannotCreateIndex', `add index fails, too many indexes for ${ns}`);
    draft.guard?.indexed(collection);
    requireAllFit(definition, collection);
    collection = yield* buildIndex(collection, definition, draft.edit);
    countUsesFrom(definition, engine.clock.wallTime());
    if (definition.expireAfterSeconds !== undefined) engine.expiry.start();
  }
  draft.set(collection);
  const specs = collection.indexes.slice(before).map(({ definition }) => definition.spec);
  const { uuid } = collection.settings;
  // Indexes of a collection with documents are built and logged together.
  if (collection.records.size === 0)
    for (const spec of specs) draft.note({ kind: 'createIndexes', ns, uuid, specs: [spec] });
  else if (specs.length > 0) draft.note({ kind: 'createIndexes', ns, uuid, specs });
  const after = collection.indexes.length;
  const fields: Entry[] = [
    ['numIndexesBefore', before],
    ['numIndexesAfter', after],
    ['createdCollectionAutomatically', isNew],
  ];
  if (after === before) fields.push(['note', 'all indexes already exist']);
  return fields;
}

const createIndexes = command({
  name: 'createIndexes',
  schema: {
    collectionUUID,
    indexes: required(documents()),
    commitQuorum: any(),
    ignoreUnknownIndexOptions: bool(),
    v: any(),
  },
  writeConcern: true,
  stable: true,
  help: 'Makes indexes.',
  run: (call, args): Soon<Fields> =>
    args.indexes.some(needsLanguages)
      ? loadLanguages(call.engine).then(() => created(call, args))
      : created(call, args),
});

const notFound = (ns: string): Error => fail('NamespaceNotFound', `ns not found ${ns}`);

const namedBy = (collection: Collection, which: Value): IndexDefinition => {
  const definitions = collection.indexes.map(index => index.definition);
  if (typeof which === 'string') {
    const found = definitions.find(({ name }) => name === which);
    if (found === undefined) throw fail('IndexNotFound', `index not found with name [${which}]`);
    return found;
  }
  if (!isDoc(which))
    throw fail(
      'TypeMismatch',
      "BSON field 'dropIndexes.index' is the wrong type, expected types '[string, object, array]'",
    );
  const found = definitions.filter(({ key }) => compare(key, which) === 0);
  if (found.length === 0) throw fail('IndexNotFound', `can't find index with key: ${showDoc(which)}`);
  if (found.length > 1)
    throw fail(
      'AmbiguousIndexKeyPattern',
      `${found.length} indexes found for key: ${showDoc(which)}, identify by name instead`,
    );
  return found[0]!;
};

const dropOne = (collection: Collection, which: Value): Collection => {
  const { name, clustered } = namedBy(collection, which);
  if (clustered) throw fail(5979800, 'Cannot drop the clustered index');
  if (name === '_id_') throw fail('InvalidOptions', 'cannot drop _id index');
  return dropIndex(collection, name);
};

const drop = (draft: Draft, ns: string, which: Value): Fields => {
  const collection = draft.collection(ns);
  if (collection === undefined) throw notFound(ns);
  const was = collection.indexes.length;
  const isAll = which === '*';
  const next = isAll
    ? { ...collection, indexes: collection.settings.timeSeries === undefined ? collection.indexes.slice(0, 1) : [] }
    : (isArray(which) ? which : [which]).reduce<Collection>(dropOne, collection);
  const gone = collection.indexes.filter(index => !next.indexes.includes(index));
  draft.set(next);
  const { uuid } = collection.settings;
  for (const { definition } of gone) draft.note({ kind: 'dropIndexes', ns, uuid, specs: [definition.spec] });
  if (isAll) {
    return [
      ['nIndexesWas', was],
      ['msg', 'non-_id indexes dropped for collection'],
    ];
  }
  return [['nIndexesWas', was]];
};

const dropIndexes = command({
  name: 'dropIndexes',
  aliases: ['deleteIndexes'],
  schema: { collectionUUID, index: required(any()) },
  writeConcern: true,
  stable: true,
  help: 'Removes indexes.',
  run: (call, { index }) => {
    const ns = namespaceOf(call);
    return call.data.change('dropIndexes', draft => drop(draft, ns, index));
  },
});

const listIndexes = command({
  name: 'listIndexes',
  schema: { cursor: structure({ batchSize: integer(0) }), includeBuildUUIDs: bool(), includeIndexBuildInfo: bool() },
  stable: true,
  help: 'Lists the indexes of a collection.',
  run: (call, { cursor }) => {
    const ns = namespaceOf(call);
    const namespace = readable(valueOf(call), ns);
    if (namespace === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${ns}`);
    if (isView(namespace)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
    const specs: readonly Doc[] = namespace.indexes.map(({ definition }) =>
      listedIndex(definition, ns, call.engine.version),
    );
    return openList(call, ns, specs, { batchSize: cursor?.batchSize });
  },
});

export const indexCommands: readonly Command[] = [createIndexes, dropIndexes, listIndexes];
