import type { Doc } from '@tessera/mql/engine';
import { compare, fail, isArray, isNumber, isSameCollation, rankOf } from '@tessera/mql/engine';
import type { Bounds, Range } from './bounds.js';
import { boundsIn, coversAll } from './bounds.js';
import type { Collection, Index } from './collection.js';
import type { NearSearch } from './place-bounds.js';
import { placeBoundsIn } from './place-bounds.js';
import type { PlaceShape } from './place-keys.js';
import type { Predicate } from './predicate.js';
import { searchRangesIn } from './search-ranges.js';
import { wildcardBoundsIn } from './wildcard-bounds.js';
import type { WildcardShape } from './wildcard-keys.js';

export interface SortKey {
  readonly path: string;
  readonly direction: 1 | -1;
}

/** How to find the documents that a query may match. Each of them must still be tested. */
export interface Plan {
  /** Undefined: read all records in natural order. */
  readonly index: Index | undefined;
  readonly ranges: readonly Range[];
  /**
   * The only key to look up, if an equality pins a unique index on one field. It is also the start of the only range.
   */
  readonly point: string | undefined;
  readonly downward: boolean;
  /** Whether the documents are in the requested order. */
  readonly sorted: boolean;
  /** Whether the ranges contain exactly the documents that satisfy the only predicate, if its `exact` is set. */
  readonly exact?: boolean;
  /** Set to search for the documents nearest to a point. The ranges contain all that can match, in another order. */
  readonly near?: NearSearch | undefined;
  /** Whether the ranges are those of the terms of a text search. A document may be in several. */
  readonly searches?: true | undefined;
}

export interface PlanRequest {
  readonly predicates: readonly Predicate[];
  /** The predicates of the parts of an `$or`, of which every result satisfies one. */
  readonly alternatives?: readonly Pick<PlanRequest, 'predicates'>[] | undefined;
  /** The terms of a text search, of which every result contains one. */
  readonly terms?: readonly string[] | undefined;
  /** Undefined if no order is requested, or if no index can provide it. */
  readonly sort: readonly SortKey[] | undefined;
  /** The name of an index, its key, or `{ $natural: ±1 }`. */
  readonly hint: string | Doc | undefined;
  /** The collation document of the query. Indexes with another collation cannot be used for strings. */
  readonly collation: Doc | undefined;
}

const everything: readonly Range[] = [{ from: '', to: '\uffff\uffff' }];

/** Returns the plan for natural order. In a clustered collection, that is the order of `_id`. */
const naturalPlan = ({ indexes: [first] }: Collection, downward: boolean, sorted: boolean): Plan =>
  first?.definition.clustered === true
    ? { index: first, ranges: everything, point: undefined, downward, sorted }
    : { index: undefined, ranges: [], point: undefined, downward, sorted };

const pointOf = ({ definition }: Index, bounds: Bounds | undefined): string | undefined =>
  definition.unique && definition.fields.length === 1 && bounds?.points === 1 && bounds.ranges.length === 1
    ? bounds.ranges[0]!.from
    : undefined;

/**
 * Returns the direction in which an index has the requested order, or undefined. Fields pinned to one value are not
 * considered.
 */
const directionOf = (
  { definition, multikey }: Index,
  sort: readonly SortKey[] | undefined,
  bounds: Bounds | undefined,
): 1 | -1 | undefined => {
  // Arrays are sorted by their smallest or largest element, which may be outside of the bounds.
  if (sort === undefined || multikey || definition.hashed) return undefined;
  if (bounds !== undefined && bounds.points > bounds.single) return undefined;
  const fields = definition.fields.slice(bounds?.single ?? 0);
  let direction: 1 | -1 | undefined;
  for (const [at, key] of sort.entries()) {
    const field = fields[at];
    if (field?.path !== key.path) return undefined;
    const here = field.direction === key.direction ? 1 : -1;
    if (direction !== undefined && direction !== here) return undefined;
    direction = here;
  }
  return direction ?? 1;
};

/** Removes pinned fields from a sort, because they do not affect the order. */
const withoutPinned = (
  sort: readonly SortKey[] | undefined,
  { definition }: Index,
  bounds: Bounds | undefined,
): readonly SortKey[] | undefined => {
  if (sort === undefined || bounds === undefined || bounds.points > bounds.single) return sort;
  const pinned = new Set(definition.fields.slice(0, bounds.single).map(field => field.path));
  return sort.filter(key => !pinned.has(key.path));
};

interface Candidate {
  readonly plan: Plan;
  readonly score: number;
}

/** Whether a sort is by distance, which the collation does not affect. */
const isByDistance = (sort: readonly SortKey[] | undefined): boolean => sort?.[0]?.path === '$meta distance';

const considerPlaces = (index: Index, place: PlaceShape, { predicates, sort }: PlanRequest): Candidate | undefined => {
  const bounds = placeBoundsIn(index, place, predicates);
  if (bounds === undefined) return undefined;
  const { ranges, near } = bounds;
  const sorted = near !== undefined && isByDistance(sort);
  return {
    plan: { index, ranges, point: undefined, downward: false, sorted, near },
    score: near === undefined ? 15 : 2000,
  };
};

const considerWildcard = (
  index: Index,
  wildcard: WildcardShape,
  { predicates }: PlanRequest,
): Candidate | undefined => {
  const bounds = wildcardBoundsIn(index, wildcard, predicates);
  if (bounds === undefined) return undefined;
  const { ranges, points, ranged } = bounds;
  const plan: Plan = { index, ranges, point: undefined, downward: false, sorted: false };
  // An index on the field itself is better.
  return { plan, score: 20 * points + (ranged ? 10 : 0) - 1 };
};

/** The ranges of `$lt` and `$lte` contain NaN, which is below all numbers but not less than any. */
const exactOperators: ReadonlySet<string> = new Set(['eq', 'in', 'gt', 'gte']);

const isExact = ({ definition }: Index, [only, ...others]: readonly Predicate[]): boolean => {
  const { path, parts } = definition.fields[0]!;
  return only?.path === path && others.length === 0 && parts.length === 1 && exactOperators.has(only.op);
};

const consider = (index: Index, request: PlanRequest, complete: boolean): Candidate | undefined => {
  const { place, wildcard } = index.definition;
  if (place !== undefined) return considerPlaces(index, place, request);
  if (wildcard !== undefined) return considerWildcard(index, wildcard, request);
  const bounds = boundsIn(index, request.predicates);
  const direction = directionOf(index, withoutPinned(request.sort, index, bounds), bounds);
  if (bounds === undefined && (direction === undefined || !complete)) return undefined;
  const plan: Plan = {
    index,
    ranges: bounds?.ranges ?? everything,
    point: pointOf(index, bounds),
    downward: direction === -1,
    sorted: direction !== undefined,
    exact: bounds !== undefined && isExact(index, request.predicates),
  };
  const unique = index.definition.unique && bounds?.points === index.definition.fields.length ? 1000 : 0;
  const score = unique + 20 * (bounds?.points ?? 0) + (bounds?.ranged === true ? 10 : 0) + (plan.sorted ? 5 : 0);
  return { plan, score };
};

/** Whether a collation does not affect the predicate, because its value contains no strings. */
export const isCollationFree = ({ value }: Pick<Predicate, 'value'>): boolean =>
  isArray(value) ? value.every(item => ![15, 20, 25].includes(rankOf(item))) : ![15, 20].includes(rankOf(value));

/** Returns the part of a request that an index can serve. */
const servable = (request: PlanRequest, { definition: { collation } }: Index): PlanRequest =>
  isSameCollation(request.collation, collation?.spec)
    ? request
    : {
        ...request,
        predicates: request.predicates.filter(isCollationFree),
        sort: isByDistance(request.sort) ? request.sort : undefined,
      };

const isNatural = (hint: string | Doc): 1 | -1 | undefined => {
  if (hint === '$natural') return 1;
  const direction = typeof hint === 'string' ? undefined : hint.get('$natural');
  if (direction !== undefined && (hint as Doc).size > 1)
    throw fail('BadValue', '$natural hint may not be combined with other fields');
  return isNumber(direction) ? (compare(direction, 0) < 0 ? -1 : 1) : undefined;
};

/** Returns the index that a hint names. @throws CommandError 2 if it does not exist */
export const indexOfHint = (collection: Collection, hint: string | Doc): Index => {
  const found = collection.indexes.find(({ definition }) =>
    typeof hint === 'string' ? definition.name === hint : compare(definition.key, hint) === 0,
  );
  if (found === undefined || found.definition.hidden) {
    throw fail(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  }
  return found;
};

const naturalOrder = (sort: readonly SortKey[] | undefined): 1 | -1 | undefined =>
  sort?.length === 1 && sort[0]!.path === '$natural' ? sort[0]!.direction : undefined;

/** Returns the plan of a text search. Undefined if the filter has none, or none that the text index can serve. */
const searchPlan = (collection: Collection, { terms, predicates, collation, sort }: PlanRequest): Plan | undefined => {
  if (terms === undefined) return undefined;
  const usable = collation === undefined ? predicates : predicates.filter(isCollationFree);
  const found = searchRangesIn(collection, terms, usable);
  return found && { ...found, point: undefined, downward: false, sorted: sort === undefined, searches: true };
};

/**
 * Returns the plan of a text search, or the cheapest plan. The order of preference is: an index pinned by equality, an
 * index with a range, an index in the requested order, a collection scan.
 * @throws CommandError 2 if the hinted index does not exist
 */
export const planFor = (collection: Collection, request: PlanRequest): Plan => {
  const hinted = request.hint === undefined ? undefined : isNatural(request.hint);
  const natural = naturalOrder(request.sort) ?? hinted;
  if (natural !== undefined && request.hint !== undefined && hinted === undefined)
    throw fail('BadValue', 'Sort and hint conflict: a $natural sort cannot use an index');
  if (natural !== undefined) return naturalPlan(collection, natural === -1, naturalOrder(request.sort) !== undefined);
  if (request.hint !== undefined) {
    const index = indexOfHint(collection, request.hint);
    const candidate = consider(index, servable(request, index), true);
    const answers = ({ predicates }: Pick<PlanRequest, 'predicates'>): boolean =>
      consider(index, servable({ ...request, predicates }, index), true) !== undefined;
    if (candidate === undefined && request.alternatives?.every(answers) === true)
      return naturalPlan(collection, false, request.sort === undefined);
    if (candidate === undefined && index.definition.wildcard !== undefined)
      throw fail(
        'NoQueryExecutionPlans',
        'error processing query: planner returned error :: caused by :: the hinted wildcard index does not answer the query',
      );
    return candidate?.plan ?? { index, ranges: everything, point: undefined, downward: false, sorted: false };
  }
  const search = searchPlan(collection, request);
  if (search !== undefined) return search;
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (index.definition.hidden || index.definition.kind === 'text') continue;
    const usable = servable(request, index);
    const complete = coversAll(index, usable.predicates);
    const { sparse, partial } = index.definition;
    if (!complete && (partial !== undefined || sparse)) continue;
    const candidate = consider(index, usable, complete);
    if (candidate !== undefined && (best === undefined || candidate.score > best.score)) best = candidate;
    // With a single predicate, no other plan is better than a point lookup.
    if (best?.plan.point !== undefined && request.predicates.length === 1) break;
  }
  return best?.plan ?? naturalPlan(collection, false, request.sort === undefined);
};
