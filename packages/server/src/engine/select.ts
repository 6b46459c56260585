import type { Matcher } from '../query/parse.js';
import type { Sort } from '../sort/sort.js';
import { sortBy } from '../sort/sort-docs.js';
import type { Collection } from '../store/collection.js';
import { beyondRecords } from '../store/key.js';
import type { Plan, PlanRequest } from '../store/plan.js';
import { planFor } from '../store/plan.js';
import { scanOf } from '../store/scan.js';
import type { Doc } from '../value/doc.js';

/** A document where it lies. */
export interface Row {
  readonly record: string;
  readonly doc: Doc;
  /** The entry of the index that led there. */
  readonly entry: string | undefined;
}

export interface Selection {
  readonly matcher: Matcher;
  readonly sort: Sort | undefined;
  readonly hint: string | Doc | undefined;
  /** The document of the collation in force, if any. */
  readonly collation: Doc | undefined;
}

export const planOf = (collection: Collection, { matcher, sort, hint, collation }: Selection): Plan => {
  const request: PlanRequest = {
    predicates: matcher.predicates,
    sort: sort === undefined || sort.pattern.length === 0 ? undefined : sort.pattern,
    hint,
    collation,
  };
  return planFor(collection, request);
};

const matching = function* (collection: Collection, plan: Plan, matcher: Matcher): Generator<Row> {
  const scan = scanOf(collection, plan);
  while (scan.next()) {
    const { doc } = scan;
    if (matcher.matches(doc)) yield { record: scan.record, doc, entry: scan.entry };
  }
};

/** At most one document can come of it. */
export const isPointLookup = ({ index, ranges }: Plan): boolean =>
  index !== undefined &&
  index.definition.unique &&
  index.definition.fields.length === 1 &&
  ranges.length === 1 &&
  ranges[0]!.to === ranges[0]!.from + beyondRecords;

const matchingPoint = (collection: Collection, { index, ranges }: Plan, matcher: Matcher): readonly Row[] => {
  const entry = ranges[0]!.from;
  const record = index!.entries.get(entry);
  if (record === undefined) return [];
  const doc = collection.records.get(record)!.view();
  return matcher.matches(doc) ? [{ record, doc, entry }] : [];
};

/** The rows that match, lazily, in the order of the plan. */
export const rowsOf = (collection: Collection, plan: Plan, matcher: Matcher): Iterable<Row> =>
  isPointLookup(plan) ? matchingPoint(collection, plan, matcher) : matching(collection, plan, matcher);

/** The rows that match in the order of the sort: all, or the first so many. */
export const select = (
  collection: Collection,
  selection: Selection,
  limit: number = Number.POSITIVE_INFINITY,
): Row[] => {
  const plan = planOf(collection, selection);
  const rows = rowsOf(collection, plan, selection.matcher);
  if (!plan.sorted && selection.sort !== undefined) return sortBy(rows, row => row.doc, selection.sort, limit);
  const found: Row[] = [];
  for (const row of rows) {
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
};
