import type { Collection, Edit, DatabaseValue, Namespace } from '@tessera/store';
import { insertRecord, placeRecord, removeRecord, isView } from '@tessera/store';
import type { Transaction } from './transaction.js';

/**
 * Applies a transaction's writes to a collection that others have written to in the meantime. All old index keys are
 * removed before new ones are added.
 */
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
 * Returns the newest data with a transaction's writes. No other operation has written the same documents in the
 * meantime.
 * @throws CommandError 11000 if a key of a unique index exists nevertheless
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
