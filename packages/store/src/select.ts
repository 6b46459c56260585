import type { Doc, Matcher, Paced, Pause, Pieces, Sort } from '@tessera/mql/engine';
import { inOneGo, isDue, pause, sortBy } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import type { Plan, PlanRequest } from './plan.js';
import type { Row } from './row.js';
import { countUse } from './plan-uses.js';
import { nearRows } from './near-rows.js';
import { planFor } from './plan.js';
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

const matching = function* (collection: Collection, plan: Plan, matcher: Matcher): Generator<Row | Pause> {
  const scan = scanOf(collection, plan);
  while (scan.prepare?.() === false) if (isDue()) yield pause;
  while (scan.next()) {
    if (isDue()) yield pause;
    const { doc } = scan;
    if (matcher.matches(doc)) yield { record: scan.record, doc, entry: scan.entry };
  }
};

const noRows: readonly Row[] = [];

const rowsAt = (entry: string, collection: Collection, { index }: Plan, matcher: Matcher): readonly Row[] => {
  const record = index!.entries.get(entry);
  if (record === undefined) return noRows;
  const doc = collection.records.get(record)!.view();
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

/** Returns the matching documents. Nothing is read before the first one is requested. */
export const docsOf = function* (collection: Collection, plan: Plan, matcher: Matcher): Generator<Doc | Pause> {
  for (const row of rowsOf(collection, plan, matcher)) yield row === pause ? pause : row.doc;
};

/** Returns those of the documents that match. */
export const filtered = function* (docs: Paced<Doc>, matcher: Matcher): Generator<Doc | Pause> {
  for (const doc of docs) if (doc === pause || matcher.matches(doc)) yield doc;
};

/** Returns the matching rows in the order of the sort, at most `limit`. */
export const selected = function* (
  collection: Collection,
  selection: Selection,
  limit: number = Number.POSITIVE_INFINITY,
): Pieces<Row[]> {
  const plan = planOf(collection, selection);
  const rows = rowsOf(collection, plan, selection.matcher);
  if (!plan.sorted && selection.sort !== undefined)
    return yield* sortBy(rows, row => row.doc, selection.sort, { limit });
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

/** Returns the same rows as `selected`, without pauses. */
export const select = (collection: Collection, selection: Selection, limit?: number): Row[] =>
  inOneGo(selected(collection, selection, limit));
