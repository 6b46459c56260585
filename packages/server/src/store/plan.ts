import type { Doc } from '@tessera/mql/engine';
import { compare, fail, isArray, isNumber, rankOf } from '@tessera/mql/engine';
import type { Bounds, Range } from './bounds.js';
import { boundsIn, coversAll } from './bounds.js';
import type { Collection, Index } from './collection.js';
import type { Predicate } from './predicate.js';

export interface SortKey {
  readonly path: string;
  readonly direction: 1 | -1;
}

/** What to do to find the documents that a query may match; whoever follows it still tests each. */
export interface Plan {
  /** Undefined: all records in their natural order. */
  readonly index: Index | undefined;
  readonly ranges: readonly Range[];
  /** Of a unique index of one field, pinned by an equality: the only key to look up. It is also where the only range begins. */
  readonly point: string | undefined;
  readonly downward: boolean;
  /** Whether they come in the order that was asked for. */
  readonly sorted: boolean;
}

export interface PlanRequest {
  readonly predicates: readonly Predicate[];
  /** Undefined if no order is asked for, or one that no index has. */
  readonly sort: readonly SortKey[] | undefined;
  /** The name of an index, its key, or `{ $natural: ±1 }`. */
  readonly hint: string | Doc | undefined;
  /** The collation document of the query: an index of another one is of no use for strings. */
  readonly collation: Doc | undefined;
}

const everything: readonly Range[] = [{ from: '', to: '\uffff\uffff' }];

/** A clustered collection lies in the order of `_id`. */
const naturalPlan = ({ indexes: [first] }: Collection, downward: boolean, sorted: boolean): Plan =>
  first?.definition.clustered === true
    ? { index: first, ranges: everything, point: undefined, downward, sorted }
    : { index: undefined, ranges: [], point: undefined, downward, sorted };

const pointOf = ({ definition }: Index, bounds: Bounds | undefined): string | undefined =>
  definition.unique && definition.fields.length === 1 && bounds?.points === 1 && bounds.ranges.length === 1
    ? bounds.ranges[0]!.from
    : undefined;

/** 1 or -1 if walking the index that way gives the order; fields pinned to one value are not part of it any more. */
const directionOf = (
  { definition, multikey }: Index,
  sort: readonly SortKey[] | undefined,
  bounds: Bounds | undefined,
): 1 | -1 | undefined => {
  // The order of arrays is that of their least or greatest element, which need not lie within the bounds.
  if (sort === undefined || multikey || definition.hashed || definition.collation !== undefined) return undefined;
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

/** Sorting by fields that are all pinned is no sorting; a pinned field may also come in any place. */
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

const consider = (index: Index, request: PlanRequest, complete: boolean): Candidate | undefined => {
  const bounds = boundsIn(index, request.predicates);
  const direction = directionOf(index, withoutPinned(request.sort, index, bounds), bounds);
  if (bounds === undefined && (direction === undefined || !complete)) return undefined;
  const plan: Plan = {
    index,
    ranges: bounds?.ranges ?? everything,
    point: pointOf(index, bounds),
    downward: direction === -1,
    sorted: direction !== undefined,
  };
  const unique = index.definition.unique && bounds?.points === index.definition.fields.length ? 1000 : 0;
  const score = unique + 20 * (bounds?.points ?? 0) + (bounds?.ranged === true ? 10 : 0) + (plan.sorted ? 5 : 0);
  return { plan, score };
};

const sameCollation = (a: Doc | undefined, b: Doc | undefined): boolean =>
  a === undefined || b === undefined ? a === b : compare(a, b) === 0;

/** What no collation changes: neither a string nor anything that may have one inside. */
const isCollationFree = ({ value }: Predicate): boolean =>
  isArray(value) ? value.every(item => ![15, 20, 25].includes(rankOf(item))) : ![15, 20].includes(rankOf(value));

/** What of a request an index may serve. */
const servable = (request: PlanRequest, { definition: { collation } }: Index): PlanRequest =>
  sameCollation(request.collation, collation?.spec)
    ? request
    : { ...request, predicates: request.predicates.filter(isCollationFree), sort: undefined };

const isNatural = (hint: string | Doc): 1 | -1 | undefined => {
  if (hint === '$natural') return 1;
  const direction = typeof hint === 'string' ? undefined : hint.get('$natural');
  return isNumber(direction) ? (compare(direction, 0) < 0 ? -1 : 1) : undefined;
};

/** @throws CommandError 2 if there is no such index. */
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
  const { listedOnly, name } = found.definition;
  if (listedOnly !== undefined) {
    throw fail(
      'BadValue',
      `error processing query: planner returned error :: caused by :: this server looks nothing up by the index '${name}' of type ${listedOnly}`,
    );
  }
  return found;
};

const naturalOrder = (sort: readonly SortKey[] | undefined): 1 | -1 | undefined =>
  sort?.length === 1 && sort[0]!.path === '$natural' ? sort[0]!.direction : undefined;

/**
 * The cheapest way to what may match: an index pinned by equality, else by a range, else one that has the order, else all.
 * @throws CommandError 2 if the hinted index does not exist.
 */
export const planFor = (collection: Collection, request: PlanRequest): Plan => {
  const natural = naturalOrder(request.sort) ?? (request.hint === undefined ? undefined : isNatural(request.hint));
  if (natural !== undefined) return naturalPlan(collection, natural === -1, naturalOrder(request.sort) !== undefined);
  if (request.hint !== undefined) {
    const index = indexOfHint(collection, request.hint);
    const candidate = consider(index, servable(request, index), true);
    return candidate?.plan ?? { index, ranges: everything, point: undefined, downward: false, sorted: false };
  }
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (index.definition.hidden || index.definition.listedOnly !== undefined) continue;
    const usable = servable(request, index);
    const complete = coversAll(index, usable.predicates);
    const { sparse, partial } = index.definition;
    if (!complete && (partial !== undefined || sparse)) continue;
    const candidate = consider(index, usable, complete);
    if (candidate !== undefined && (best === undefined || candidate.score > best.score)) best = candidate;
    // Nothing leads to fewer than one document by a single predicate.
    if (best?.plan.point !== undefined && request.predicates.length === 1) break;
  }
  return best?.plan ?? naturalPlan(collection, false, request.sort === undefined);
};
