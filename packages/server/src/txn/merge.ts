import type { DatabaseValue, Namespace } from '../engine/database.js';
import { isView } from '../engine/database.js';
import type { Collection } from '../store/collection.js';
import { insertRecord, placeRecord, removeRecord } from '../store/collection.js';
import type { Edit } from '../store/tree.js';
import type { Transaction } from './transaction.js';

/** What a transaction did to a collection that others have written to meanwhile. All old keys go before the new ones come. */
const mergedCollection = (
  head: Collection,
  base: Collection,
  view: Collection,
  records: ReadonlySet<string>,
  edit: Edit,
): Collection => {
  let merged = head;
  for (const record of records) {
    const before = base.records.get(record);
    if (before !== undefined) merged = removeRecord(merged, record, before, edit);
  }
  for (const record of records) {
    const after = view.records.get(record);
    if (after === undefined) continue;
    merged =
      base.records.get(record) === undefined
        ? insertRecord(merged, after, edit)
        : placeRecord(merged, record, after, edit);
  }
  return merged;
};

const merged = (
  head: Namespace | undefined,
  base: Namespace | undefined,
  view: Namespace,
  records: ReadonlySet<string>,
  edit: Edit,
): Namespace =>
  head === base || head === undefined || base === undefined || isView(head) || isView(base) || isView(view)
    ? view
    : mergedCollection(head, base, view, records, edit);

/**
 * The newest data with what a transaction did. Nobody has written the same meanwhile.
 * @throws CommandError 11000 if a key of a unique index is taken all the same
 */
export const mergedInto = (head: DatabaseValue, { base, value, touched, ops }: Transaction): DatabaseValue => {
  const edit: Edit = { for: 'a transaction' };
  const changed = new Set([...touched.keys(), ...ops.flatMap(op => ('ns' in op ? [op.ns] : []))]);
  let { namespaces } = head;
  for (const ns of changed) {
    const view = value.namespaces.get(ns);
    if (view === undefined || view === base.namespaces.get(ns)) continue;
    const records = touched.get(ns) ?? new Set();
    namespaces = namespaces.set(
      ns,
      merged(head.namespaces.get(ns), base.namespaces.get(ns), view, records, edit),
      edit,
    );
  }
  return { ...head, namespaces };
};
