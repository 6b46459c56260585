import type { Doc, Matcher, Paced, Pause, Pieces, Sort } from '@tessera/mql/engine';
import { inOneGo, isDue, isPieces, pause, sortBy } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import type { Plan, PlanRequest } from './plan.js';
import type { Row } from './row.js';
import { countUse } from './plan-uses.js';
import { isInClosedBucket } from './pinned-buckets.js';
import { nearRows } from './near-rows.js';
import { planFor } from './plan.js';
import type { Scan } from './scan.js';
import { scanOf } from './scan.js';

export interface Selection {
  readonly matcher: Matcher;
  readonly sort: Sort | undefined;
  readonly hint: string | Doc | undefined;
  /** The document of the effective collation, if any. */
  readonly collation: Doc | undefined;
}

/** Returns the plan of a query, without counting the use of an index. */
export const explainedPlan = (collection: Collection, { matcher, sort, hint, collation }: Selection): Plan => {
  const request: PlanRequest = {
    predicates: matcher.predicates,
    alternatives: matcher.alternatives,
    terms: matcher.search?.terms,
    sort: sort === undefined || sort.pattern.length === 0 ? undefined : sort.pattern,
    hint,
    collation,
  };
  return planFor(collection, request);
};

/** Returns the plan of a query that is executed. */
export const planOf = (collection: Collection, selection: Selection): Plan => {
  const plan = explainedPlan(collection, selection);
  countUse(collection, plan);
  return plan;
};

/** Whether all documents that a plan finds match. */
const isCertain = ({ exact }: Plan, { complete, predicates }: Matcher): boolean =>
  exact === true && complete && predicates.length === 1;

const matching = function* (collection: Collection, plan: Plan, matcher: Matcher): Generator<Row | Pause> {
  const scan = scanOf(collection, plan);
  const certain = isCertain(plan, matcher);
  while (scan.prepare?.() === false) if (isDue()) yield pause;
  while (scan.next()) {
    if (isDue()) yield pause;
    const { doc } = scan;
    if (certain || matcher.matches(doc)) yield { record: scan.record, doc, entry: scan.entry };
  }
};

const noRows: readonly Row[] = [];

const rowsAt = (entry: string, collection: Collection, { index }: Plan, matcher: Matcher): readonly Row[] => {
  const record = index!.entries.get(entry);
  if (record === undefined) return noRows;
  const doc = collection.records.getRecord(record)!.view();
  const isFound = (matcher.complete && matcher.predicates.length === 1) || matcher.matches(doc);
  return isFound ? [{ record, doc, entry }] : noRows;
};

/** Returns the matching rows if the plan looks up a single key, else undefined. */
export const pointRows = (collection: Collection, plan: Plan, matcher: Matcher): readonly Row[] | undefined =>
  plan.point === undefined ? undefined : rowsAt(plan.point, collection, plan, matcher);

/** Returns the matching rows, lazily, in the order of the plan. */
export const rowsOf = (collection: Collection, plan: Plan, matcher: Matcher): Paced<Row> =>
  pointRows(collection, plan, matcher) ??
  (plan.near === undefined ? matching(collection, plan, matcher) : nearRows(collection, plan, plan.near, matcher));

/** The matching documents of a scan. A generator and a row for each document would cost as much as the scan. */
class ScannedDocs implements Iterator<Doc | Pause>, Iterable<Doc | Pause> {
  readonly #collection: Collection;
  readonly #plan: Plan;
  readonly #matcher: Matcher;
  #scan: Scan | undefined;
  readonly #isCertain: boolean;
  #hasPaused = false;

  constructor(collection: Collection, plan: Plan, matcher: Matcher) {
    this.#collection = collection;
    this.#plan = plan;
    this.#matcher = matcher;
    this.#isCertain = isCertain(plan, matcher);
  }

  next(): IteratorResult<Doc | Pause, undefined> {
    const scan = (this.#scan ??= scanOf(this.#collection, this.#plan));
    for (;;) {
      // The document that was reached before a pause is still to be tested.
      if (this.#hasPaused) this.#hasPaused = false;
      else if (!scan.next()) return { done: true, value: undefined };
      else if (isDue()) {
        this.#hasPaused = true;
        return { done: false, value: pause };
      }
      const { doc } = scan;
      if (this.#isCertain || this.#matcher.matches(doc)) return { done: false, value: doc };
    }
  }

  [Symbol.iterator](): this {
    return this;
  }
}

const docsAmong = function* (rows: () => Paced<Row>): Generator<Doc | Pause> {
  for (const row of rows()) yield row === pause ? pause : row.doc;
};

/** Returns the matching documents. Nothing is read before the first one is requested. */
export const docsOf = (collection: Collection, plan: Plan, matcher: Matcher): Paced<Doc> =>
  plan.point === undefined && plan.near === undefined && plan.searches === undefined
    ? new ScannedDocs(collection, plan, matcher)
    : docsAmong(() => rowsOf(collection, plan, matcher));

/** Returns those of the documents that match. */
export const filtered = function* (docs: Paced<Doc>, matcher: Matcher): Generator<Doc | Pause> {
  for (const doc of docs) if (doc === pause || matcher.matches(doc)) yield doc;
};

const gathered = function* (rows: Paced<Row>, plan: Plan, { sort }: Selection, limit: number): Pieces<readonly Row[]> {
  if (!plan.sorted && sort !== undefined) return yield* sortBy(rows, row => row.doc, sort, { limit });
  const found: Row[] = [];
  for (const row of rows) {
    if (row === pause) {
      yield pause;
      continue;
    }
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
};

/**
 * Returns the matching rows in the order of the sort, at most `limit`. If the plan looks up a single key, there is no
 * generator, because it costs as much as the lookup.
 */
const selected = (
  collection: Collection,
  selection: Selection,
  limit: number = Number.POSITIVE_INFINITY,
): readonly Row[] | Pieces<readonly Row[]> => {
  const plan = planOf(collection, selection);
  const { matcher } = selection;
  return pointRows(collection, plan, matcher) ?? gathered(rowsOf(collection, plan, matcher), plan, selection, limit);
};

const withoutClosed = function* (collection: Collection, rows: Paced<Row>): Generator<Row | Pause> {
  for (const row of rows) if (row === pause || !isInClosedBucket(collection, row.record)) yield row;
};

/** Returns rows as `selected` does, for a write: without the measurements in closed buckets, which do not change. */
export const changeable = (
  collection: Collection,
  selection: Selection,
  limit: number = Number.POSITIVE_INFINITY,
): readonly Row[] | Pieces<readonly Row[]> => {
  if (collection.pinned === undefined) return selected(collection, selection, limit);
  const plan = planOf(collection, selection);
  const rows = withoutClosed(collection, rowsOf(collection, plan, selection.matcher));
  return gathered(rows, plan, selection, limit);
};

/** Returns the same rows as `selected`, without pauses. */
export const select = (collection: Collection, selection: Selection, limit?: number): readonly Row[] => {
  const rows = selected(collection, selection, limit);
  return isPieces(rows) ? inOneGo(rows) : rows;
};
