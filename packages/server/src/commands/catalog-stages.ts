/** The stages that list collections and views: `$listCatalog` and `$listClusterCatalog`. */
import type { Entry, OwnStage, Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc, typeName } from '@tessera/mql/engine';
import { dbOf, listedIndex, nameOf, databasesOf, isView, namespacesOf } from '@tessera/store';
import type { Namespace } from '@tessera/store';
import type { Resolved } from '../engine/pipeline.js';
import { described } from './collections.js';
import type { Call } from './command.js';
import { valueOf } from './command.js';
import { describedViews } from './system-views.js';

/** Returns the entry of `$listCatalog` for a collection or view, with its options and indexes in `md`. */
const catalogEntry = (namespace: Namespace, { engine: { version } }: Call): Doc => {
  const { ns, options } = namespace.settings;
  const own: Entry[] = [
    ['db', dbOf(ns)],
    ['name', nameOf(ns)],
  ];
  if (isView(namespace))
    return Doc.of([
      ...own,
      ...[['type', 'view'] as const, ['ns', ns] as const],
      ...[['viewOn', namespace.viewOn] as const, ['pipeline', namespace.pipeline] as const],
    ]);
  const { timeSeries, uuid } = namespace.settings;
  if (timeSeries !== undefined)
    return Doc.of([...own, ['type', 'timeseries'], ['ns', ns], ['viewOn', `system.buckets.${nameOf(ns)}`]]);
  const indexes = namespace.indexes
    .filter(({ definition }) => !definition.clustered)
    .map(({ definition, multikey }) =>
      Doc.of([
        ['spec', listedIndex(definition, ns, version)],
        ['ready', true],
        ['multikey', multikey],
      ]),
    );
  const md: Entry[] = [
    ['ns', ns],
    ['options', Doc.of([['uuid', uuid], ...options.entries()])],
    ['indexes', indexes],
  ];
  return Doc.of([...own, ['type', 'collection'], ['ns', ns], ['md', Doc.of(md)]]);
};

/** Returns all collections and views of the command's database, or of all databases for `admin`. */
const listedFor = (call: Call): readonly Namespace[] => {
  const value = valueOf(call);
  return (call.db === 'admin' ? databasesOf(value) : [call.db]).flatMap(db => namespacesOf(value, db));
};

export const listCatalog =
  (call: Call, { base, stages }: Resolved): OwnStage =>
  () => {
    if (typeof call.target !== 'string') {
      if (call.db === 'admin') return () => listedFor(call).map(namespace => catalogEntry(namespace, call));
      throw fail('InvalidNamespace', "$listCatalog with {aggregate: 1} must run on the database 'admin'");
    }
    if (stages.length > 0 || base?.settings.timeSeries !== undefined)
      throw fail(40602, '$listCatalog is only valid as the first stage in a pipeline');
    return () => (base === undefined ? [] : [catalogEntry(base, call)]);
  };

const requested = ['shards', 'tracked', 'balancingConfiguration'];

const checkSpec = (spec: Value): Doc => {
  if (!isDoc(spec)) throw fail(9621302, `$listClusterCatalog must take an object but found: ${typeName(spec)}`);
  for (const name of spec.keys())
    if (!requested.includes(name))
      throw fail('IDLUnknownField', `BSON field '$listClusterCatalog.${name}' is an unknown field.`);
  return spec;
};

/** Returns the entries of listCollections without `name`, and with what the catalog of a cluster adds. */
const clusterEntries = (db: string, entries: readonly Doc[], spec: Doc): readonly Doc[] =>
  entries.map(entry => {
    const added: Entry[] = [['sharded', false]];
    if (spec.get('tracked') === true) added.push(['tracked', false]);
    if (spec.get('shards') === true) added.push(['shards', []]);
    const ns = `${db}.${entry.get('name') as string}`;
    return Doc.of([['db', db], ['ns', ns], ...entry.without('name').entries(), ...added]);
  });

export const listClusterCatalog =
  (call: Call): OwnStage =>
  given => {
    if (typeof call.target === 'string') throw fail(9621301, '$listClusterCatalog must be run with {aggregate: 1}');
    const spec = checkSpec(given);
    return () => {
      const { version } = call.engine;
      const all = listedFor(call);
      return [...new Set(all.map(({ settings }) => dbOf(settings.ns)))].flatMap(db => {
        const own = all.filter(({ settings }) => dbOf(settings.ns) === db);
        const views = own.some(isView) ? [describedViews(db, version)] : [];
        return clusterEntries(db, [...own.flatMap(one => described(one, version)), ...views], spec);
      });
    };
  };
