import type { Allowance, Matcher, Paced, Projection, Sort, SortOptions } from '@tessera/mql/engine';
import { Doc, noteMetadata, sortBy, sortDocs } from '@tessera/mql/engine';
import type { Collection, Limits, Plan, Row, Source } from '@tessera/store';
import {
  filtered,
  iterate,
  limited,
  listed,
  made,
  mapped,
  pointRows,
  recordNumber,
  rowsOf,
  valuesOfKey,
  wildcardEntry,
} from '@tessera/store';

export interface Find extends Limits {
  readonly matcher: Matcher;
  readonly sort: Sort | undefined;
  readonly hint: string | Doc | undefined;
  readonly collation: Doc | undefined;
  readonly projection: Projection | undefined;
  /** Whether to return index keys instead of documents. */
  readonly returnKey: boolean;
  readonly allowance: Allowance | undefined;
  /** Whether the projection reads the record's number, its index key or its sort key by `$meta`. */
  readonly needsMetadata: boolean;
  /** Whether to add the record's number as `$recordId`. */
  readonly showRecordId: boolean;
}

const projectDoc = (doc: Doc, { projection, matcher }: Find): Doc =>
  projection === undefined ? doc : projection(doc, matcher);

/** Returns the index key of a row. If an array has several keys, it is the one through which the row was found. */
const keyOfRow = ({ doc, record, entry }: Row, { index }: Plan): Doc => {
  if (index === undefined || entry === undefined) return Doc.EMPTY;
  const { definition } = index;
  const key = definition.unique ? entry : entry.slice(0, -record.length);
  const { wildcard } = definition;
  if (wildcard?.at === 0) return wildcardEntry(definition, wildcard, doc, key);
  const values = valuesOfKey(definition, doc, key);
  return Doc.of(definition.fields.map(({ path }, i) => [path, values[i] ?? null]));
};

/** Notes the metadata that `$meta` reads. */
export const noteScan = (row: Row, plan: Plan, sort?: Sort): void => {
  noteMetadata(row.doc, {
    recordId: BigInt(recordNumber(row.record)),
    ...(row.entry === undefined ? {} : { indexKey: keyOfRow(row, plan) }),
    ...(sort === undefined ? {} : { sortKey: sort.key(row.doc) }),
  });
};

const present = (row: Row, plan: Plan, find: Find): Doc => {
  if (find.returnKey) return keyOfRow(row, plan);
  if (find.needsMetadata) noteScan(row, plan, find.sort);
  const doc = projectDoc(row.doc, find);
  return find.showRecordId ? doc.with('$recordId', BigInt(recordNumber(row.record))) : doc;
};

const sortOptionsOf = ({ skip, limit, allowance }: Find): SortOptions => ({
  limit: limit === 0 ? undefined : skip + limit,
  bound: allowance?.sort,
});

const sourceOf = (collection: Collection, find: Find, plan: Plan): Source<Row> => {
  const { matcher, sort } = find;
  if (!plan.sorted && sort !== undefined) {
    return made(sortBy(rowsOf(collection, plan, matcher), row => row.doc, sort, sortOptionsOf(find)));
  }
  const point = pointRows(collection, plan, matcher);
  return point === undefined ? iterate(rowsOf(collection, plan, matcher)) : listed(point);
};

/** Returns the results of a find on one version of a collection, following the plan. */
export const findIn = (collection: Collection, find: Find, plan: Plan): Source => {
  return mapped(limited(sourceOf(collection, find, plan), find), row => present(row, plan, find));
};

/** Returns the results of a find on other documents, such as those of a view. */
export const findAmong = (all: Paced<Doc>, find: Find): Source => {
  const docs = filtered(all, find.matcher);
  const { sort } = find;
  const sorted = sort !== undefined && sort.pattern.length > 0;
  const source = sorted ? made(sortDocs(docs, sort, sortOptionsOf(find))) : iterate(docs);
  return mapped(limited(source, find), doc => projectDoc(doc, find));
};
