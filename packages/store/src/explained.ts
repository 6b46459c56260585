/** Plans and their execution as `explain` describes them. */
import type { Entry, Matcher, Pieces, Version } from '@tessera/mql/engine';
import { Doc, isAtLeast, isDue, pause, showDoc } from '@tessera/mql/engine';
import type { Collection, Index } from './collection.js';
import type { Plan } from './plan.js';
import { scanOf } from './scan.js';
import type { Selection } from './select.js';

/** A query whose plan is described. */
export interface Explained {
  readonly filter: Doc;
  readonly sort: Doc | undefined;
  readonly matcher: Matcher;
}

/**
 * Returns the plan's stage for the lookup of a single key, for which mongod has a special stage. Before 8.0, only an index
 * on `_id` has one.
 */
const pointStage = ({ definition }: Index, version: Version): Doc | undefined => {
  const { clustered, name, key } = definition;
  if (!isAtLeast(version, '8.0')) {
    if (clustered)
      return Doc.of([
        ['stage', 'CLUSTERED_IXSCAN'],
        ['direction', 'forward'],
      ]);
    return name === '_id_' ? Doc.of([['stage', 'IDHACK']]) : undefined;
  }
  if (clustered) return Doc.of([['stage', 'EXPRESS_CLUSTERED_IXSCAN']]);
  return Doc.of([
    ['stage', 'EXPRESS_IXSCAN'],
    ['keyPattern', showDoc(key)],
    ['indexName', name],
  ]);
};

/** Returns the stage of a text search. */
const searchStage = (index: Index, { search, predicates }: Matcher): Doc => {
  const { definition } = index;
  const { terms, negated, phrases, negatedPhrases } = search!;
  const leading = definition.key.keys().slice(0, definition.key.keys().indexOf('_fts'));
  return Doc.of([
    ['stage', 'TEXT_MATCH'],
    ['indexPrefix', Doc.of(leading.map(path => [path, predicates.find(one => one.path === path)!.value]))],
    ['indexName', definition.name],
    [
      'parsedTextQuery',
      Doc.of([
        ['terms', terms],
        ['negatedTerms', [...negated]],
        ['phrases', phrases],
        ['negatedPhrases', negatedPhrases],
      ]),
    ],
    ['textIndexVersion', definition.spec.get('textIndexVersion')!],
    [
      'inputStage',
      Doc.of([
        ['stage', 'TEXT_OR'],
        ['inputStages', terms.map(() => indexStage(index, ['direction', 'backward']))],
      ]),
    ],
  ]);
};

const scanStage = (plan: Plan, { filter, matcher }: Explained, version: Version): Doc => {
  const direction: Entry = ['direction', plan.downward ? 'backward' : 'forward'];
  if (plan.searches === true) return searchStage(plan.index!, matcher);
  if (plan.index === undefined) return Doc.of([['stage', 'COLLSCAN'], direction]);
  const point = plan.point !== undefined && filter.size === 1 ? pointStage(plan.index, version) : undefined;
  if (point !== undefined) return point;
  if (plan.near !== undefined) return nearStage(plan.index);
  if (plan.index.definition.clustered) return Doc.of([['stage', 'CLUSTERED_IXSCAN'], direction]);
  return Doc.of([
    ['stage', 'FETCH'],
    ['inputStage', indexStage(plan.index, direction)],
  ]);
};

const nearStage = ({ definition: { kind, key, name } }: Index): Doc =>
  Doc.of([
    ['stage', kind === '2d' ? 'GEO_NEAR_2D' : 'GEO_NEAR_2DSPHERE'],
    ['keyPattern', key],
    ['indexName', name],
    ['indexVersion', 2],
  ]);

const indexStage = ({ definition, multikey }: Index, direction: Entry): Doc =>
  Doc.of([
    ['stage', 'IXSCAN'],
    ['keyPattern', definition.key],
    ['indexName', definition.name],
    ['isMultiKey', multikey],
    ['isUnique', definition.unique],
    ['isSparse', definition.sparse],
    ['isPartial', definition.partial !== undefined],
    ['indexVersion', 2],
    direction,
  ]);

/** Returns the stages of a plan. There is none for a collection that does not exist. */
export const planStages = (plan: Plan | undefined, query: Explained, version: Version): Doc => {
  const { sort } = query;
  if (plan === undefined) return Doc.of([['stage', 'EOF']]);
  const scan = scanStage(plan, query, version);
  if (sort === undefined || sort.size === 0 || plan.sorted) return scan;
  return Doc.of([
    ['stage', 'SORT'],
    ['sortPattern', sort],
    ['inputStage', scan],
  ]);
};

/** The form in which an execution is described. */
interface Execution {
  readonly stages: Doc;
  readonly verbosity: string;
  /** How many documents the command looks up at most. */
  readonly most: number;
}

/** Executes a plan, and returns its `executionStats`. */
export const executionStats = function* (
  collection: Collection | undefined,
  plan: Plan | undefined,
  { matcher, sort }: Pick<Selection, 'matcher' | 'sort'>,
  { stages, verbosity, most }: Execution,
): Pieces<Doc> {
  // A sort without an index needs all documents.
  const enough = sort === undefined || plan?.sorted === true ? most : Number.POSITIVE_INFINITY;
  let found = 0;
  let looked = 0;
  let keys = 0;
  if (collection !== undefined && plan !== undefined) {
    const scan = scanOf(collection, plan);
    while (found < enough && scan.next()) {
      if (isDue()) yield pause;
      looked += 1;
      if (matcher.matches(scan.doc)) found += 1;
    }
    if (plan.index !== undefined) keys = scan.examined;
  }
  return Doc.of([
    ['executionSuccess', true],
    ['nReturned', Math.min(found, most)],
    ['executionTimeMillis', 0],
    ['totalKeysExamined', keys],
    ['totalDocsExamined', looked],
    ['executionStages', stages.with('nReturned', found)],
    // The other plans that were tried. Without any, mongod also reports an empty list.
    ...(verbosity === 'allPlansExecution' ? [['allPlansExecution', []] as const] : []),
  ]);
};
