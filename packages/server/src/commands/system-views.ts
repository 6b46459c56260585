/** The collection `system.views`, in which mongod keeps the definitions of views. Here it is computed from the views. */
import type { Matcher, Version } from '@tessera/mql/engine';
import { BinaryValue, Doc, utf8 } from '@tessera/mql/engine';
import { dbOf, idIndex, listedIndex, nameOf, isView, namespacesOf } from '@tessera/store';
import type { DatabaseValue, View } from '@tessera/store';
import type { Draft } from '../engine/database.js';

/** Returns the collection's entry in listCollections. */
export const describedViews = (db: string, version: Version): Doc => {
  const bytes = new Uint8Array(16);
  utf8(db).forEach((byte, i) => (bytes[i % 16]! ^= byte + i));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return Doc.of([
    ['name', 'system.views'],
    ['type', 'collection'],
    ['options', Doc.EMPTY],
    [
      'info',
      Doc.of([
        ['readOnly', false],
        ['uuid', new BinaryValue(4, bytes)],
      ]),
    ],
    ['idIndex', listedIndex(idIndex, `${db}.system.views`, version)],
  ]);
};

const definitionOf = ({ settings: { ns, options }, viewOn, pipeline }: View): Doc => {
  const collation = options.get('collation');
  return Doc.of([
    ['_id', ns],
    ['viewOn', viewOn],
    ['pipeline', pipeline],
    ...(collation === undefined ? [] : [['collation', collation] as const]),
  ]);
};

/** Returns the matching documents of a collection that does not exist: definitions of views, or none. */
export const viewsMatching = (value: DatabaseValue, ns: string, { matches }: Matcher): readonly Doc[] =>
  nameOf(ns) === 'system.views' ? namespacesOf(value, dbOf(ns)).filter(isView).map(definitionOf).filter(matches) : [];

/** Drops the views whose definitions match, and returns their number. */
export const dropViews = (draft: Draft, ns: string, matcher: Matcher): number => {
  const gone = viewsMatching(draft.finish(), ns, matcher);
  for (const definition of gone) draft.drop(definition.get('_id') as string);
  return gone.length;
};
