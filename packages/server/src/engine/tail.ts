import type { Doc, Matcher } from '@tessera/mql/engine';
import { fail, isDue, pause } from '@tessera/mql/engine';
import type { Collection, Source, Walk, DatabaseValue } from '@tessera/store';
import { isView } from '@tessera/store';

/** Returns the matching documents of a capped collection, including those inserted later. It is never exhausted. */
export const tailOf = (read: () => DatabaseValue, ns: string, matcher: Matcher): Source => {
  let last: string | undefined;
  let value: DatabaseValue | undefined;
  let records: Collection['records'] | undefined;
  let walk: Walk<Doc> | undefined;

  /** Continues after the last document read. @throws CommandError 136 if that document was removed in the meantime */
  const renew = (newest: DatabaseValue): void => {
    value = newest;
    const collection = value.namespaces.get(ns);
    if (collection === undefined || isView(collection)) throw fail('QueryPlanKilled', `collection dropped: ${ns}`);
    if (collection.records === records) return;
    records = collection.records;
    if (last !== undefined && records.get(last) === undefined) {
      throw fail('CappedPositionLost', 'CollectionScan died due to position in capped collection being deleted');
    }
    walk = records.walk(last === undefined ? undefined : `${last}\0`, undefined);
  };

  return {
    exhausted: false,
    next: () => {
      const newest = read();
      if (newest !== value) renew(newest);
      while (walk!.next()) {
        last = walk!.key;
        const doc = walk!.value.view();
        if (matcher.matches(doc)) return doc;
        if (isDue()) return pause;
      }
      return undefined;
    },
  };
};
