import type { TimestampValue } from '@tessera/mql/engine';
import { DateValue, Doc, isDoc, parseQuery } from '@tessera/mql/engine';
import type { Row, DatabaseValue, Namespace } from '@tessera/store';
import { select, isView } from '@tessera/store';
import type { Draft } from '../engine/database.js';
import type { Ids } from '../engine/writer.js';
import { insertInto, replaceRow, writable } from '../engine/writer.js';

/** The read and write concern of commands without one, set by `setDefaultRWConcern` and shared by all members. */
export interface Defaults {
  writeConcern: Doc | undefined;
  readConcern: Doc | undefined;
  /** When they were last set, as cluster time and as wall clock time. */
  setAt: { readonly opTime: TimestampValue; readonly wall: number } | undefined;
}

const ns = 'config.settings';
const matcher = parseQuery(Doc.of([['_id', 'ReadWriteConcernDefaults']]));

const rowIn = (namespace: Namespace | undefined): Row | undefined =>
  namespace === undefined || isView(namespace)
    ? undefined
    : select(namespace, { matcher, sort: undefined, hint: undefined, collation: undefined }, 1)[0];

/** Returns the defaults that the data contains. */
export const defaultsIn = ({ namespaces }: DatabaseValue): Defaults => {
  const doc = rowIn(namespaces.get(ns))?.doc ?? Doc.EMPTY;
  const [writeConcern, readConcern] = [doc.get('defaultWriteConcern'), doc.get('defaultReadConcern')];
  const wall = doc.get('updateWallClockTime');
  return {
    writeConcern: isDoc(writeConcern) ? writeConcern : undefined,
    readConcern: isDoc(readConcern) ? readConcern : undefined,
    setAt: wall instanceof DateValue ? { opTime: doc.get('updateOpTime') as TimestampValue, wall: wall.ms } : undefined,
  };
};

/** Writes the defaults to `config.settings`, where mongod has them as well. */
export const writeDefaults = (ids: Ids, draft: Draft, { writeConcern, readConcern, setAt }: Defaults): void => {
  const after = Doc.fromBytes(
    Doc.of([
      ['_id', 'ReadWriteConcernDefaults'],
      ...(readConcern === undefined ? [] : [['defaultReadConcern', readConcern] as const]),
      ...(writeConcern === undefined ? [] : [['defaultWriteConcern', writeConcern] as const]),
      ['updateOpTime', setAt!.opTime],
      ['updateWallClockTime', new DateValue(setAt!.wall)],
    ]).bytes,
  );
  const collection = writable(ids, draft, ns);
  const row = rowIn(collection);
  if (row === undefined) insertInto(draft, collection, after, { unchecked: true });
  else replaceRow(draft, collection, { row, after, change: { by: 'replacement' } }, { unchecked: true });
};
