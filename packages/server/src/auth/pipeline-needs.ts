import type { Doc, Value } from '@tessera/mql/engine';
import { isArray, isDoc } from '@tessera/mql/engine';
import type { Action } from './actions.js';
import type { Need } from './need.js';
import { collectionOf, need } from './need.js';
import type { Target } from './privilege.js';
import { cluster } from './privilege.js';

/** Returns the collection of a name, or of `{ db, coll }`. */
const place = (value: Value | undefined, db: string): Target => {
  const name = isDoc(value) ? value.get('coll') : value;
  const other = isDoc(value) ? value.get('db') : undefined;
  const home = typeof other === 'string' ? other : db;
  return collectionOf(home, name);
};

const mergeActions = (spec: Value): readonly Action[] => {
  if (!isDoc(spec)) return ['insert', 'update'];
  const matched = spec.get('whenMatched') ?? 'merge';
  const missing = spec.get('whenNotMatched') ?? 'insert';
  const updating = matched === 'keepExisting' || matched === 'fail' ? [] : ['update'];
  return [...updating, ...(missing === 'insert' ? ['insert'] : [])];
};

/** For each stage that writes, the collection that it writes to. */
const outputs = {
  $out: place,
  $merge: (spec: Value, db: string): Target => place(isDoc(spec) ? spec.get('into') : spec, db),
} as const;

const isOutput = (name: string): name is keyof typeof outputs => Object.hasOwn(outputs, name);

type OfStage = (spec: Value, db: string, source: Target) => readonly Need[];

const foreign =
  (field: 'from' | 'coll'): OfStage =>
  (spec, db) => {
    if (!isDoc(spec)) return [];
    const from = spec.get(field);
    const target = place(from, db);
    if (from === undefined) return pipelineNeeds(db, target, spec.get('pipeline'));
    return isArray(spec.get('pipeline')) ? pipelineNeeds(db, target, spec.get('pipeline')) : [need('find', target)];
  };

/** All collections of all databases. */
const everywhere: Target = { kind: 'collection', db: '', collection: '' };

const listing = (on: Target): readonly Need[] => [need('listCollections', on), need('listIndexes', on)];

const ofStage: Readonly<Record<string, OfStage>> = {
  $lookup: foreign('from'),
  $graphLookup: foreign('from'),
  $unionWith: (spec, db, source) =>
    typeof spec === 'string' ? [need('find', place(spec, db))] : foreign('coll')(spec, db, source),
  $facet: (spec, db, source) =>
    isDoc(spec) ? spec.entries().flatMap(([, stages]) => stagesNeeds(db, source, stages)) : [],
  $out: (spec, db) => ['insert', 'remove'].map(action => need(action, outputs.$out(spec, db))),
  $merge: (spec, db) => mergeActions(spec).map(action => need(action, outputs.$merge(spec, db))),
  $collStats: (_spec, _db, source) => [need('collStats', source)],
  $indexStats: (_spec, _db, source) => [need('indexStats', source)],
  $listSearchIndexes: (_spec, _db, source) => [need('listSearchIndexes', source)],
  $planCacheStats: (_spec, _db, source) => [need('planCacheRead', source)],
  $changeStream: (spec, _db, source) => {
    const target = isDoc(spec) && spec.get('allChangesForCluster') === true ? everywhere : source;
    return [need('changeStream', target), need('find', target)];
  },
  $currentOp: spec => (isDoc(spec) && spec.get('allUsers') === true ? [need('inprog', cluster)] : []),
  $listSessions: spec => (isDoc(spec) && spec.get('allUsers') === true ? [need('listSessions', cluster)] : []),
  $listLocalSessions: spec => (isDoc(spec) && spec.get('allUsers') === true ? [need('listSessions', cluster)] : []),
  $documents: () => [],
  $listCatalog: (_spec, _db, source) =>
    source.kind === 'database' ? [need('listDatabases', cluster), ...listing(everywhere)] : listing(source),
  $listClusterCatalog: (_spec, db, source) => [
    db === 'admin' ? need('listClusterCatalog', cluster) : need('listCollections', source),
  ],
  $queryStats: () => [need('queryStatsRead', cluster)],
};

/** Stages that produce their own documents, without reading the collection. */
const readsNothing: ReadonlySet<string> = new Set(
  `$collStats $indexStats $listSearchIndexes $planCacheStats $changeStream $currentOp $listSessions $listLocalSessions
  $documents $queryStats $listCatalog $listClusterCatalog`.split(/\s+/),
);

const firstOf = (stage: Value | undefined): string => (isDoc(stage) ? (stage.keys()[0] ?? '') : '');

const stageNeeds = (stage: Doc, db: string, source: Target): readonly Need[] => {
  const [name, spec] = stage.entries()[0] ?? ['', null];
  return Object.hasOwn(ofStage, name) ? ofStage[name]!(spec, db, source) : [];
};

const stagesNeeds = (db: string, source: Target, stages: Value | undefined): readonly Need[] =>
  (isArray(stages) ? stages : []).filter(isDoc).flatMap(stage => stageNeeds(stage, db, source));

/** Returns the needs of a pipeline that reads from the source. */
export const pipelineNeeds = (db: string, source: Target, stages: Value | undefined): readonly Need[] => {
  const reading = isArray(stages) && readsNothing.has(firstOf(stages[0])) ? [] : [need('find', source)];
  return [...reading, ...stagesNeeds(db, source, stages)];
};

/** Returns the collections that a pipeline writes to. */
export const outputsOf = (db: string, stages: Value | undefined): readonly Target[] =>
  (isArray(stages) ? stages : []).filter(isDoc).flatMap(stage => {
    const [name, spec] = stage.entries()[0] ?? ['', null];
    return isOutput(name) ? [outputs[name](spec, db)] : [];
  });
