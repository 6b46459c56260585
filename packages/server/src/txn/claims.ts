import type { Doc } from '@tessera/mql/engine';
import type { Collection } from '../store/collection.js';
import { keysIn } from '../store/collection.js';

/** One thing that two may not write at a time: a namespace, a record, a key of a unique index. */
export type Claim = string;

/** A document that is about to be written. */
export interface RowWrite {
  readonly collection: Collection;
  /** Undefined: it is new. */
  readonly record: string | undefined;
  readonly before: Doc | undefined;
  /** Undefined: it is removed. */
  readonly after: Doc | undefined;
}

/** A key that a unique index gains or loses. */
export interface UniqueKey {
  readonly index: string;
  readonly key: string;
}

/** Keys that stay are nobody's business. */
export const uniqueKeysOf = ({ collection, before, after }: RowWrite): readonly UniqueKey[] =>
  collection.indexes.flatMap(({ definition }) => {
    if (!definition.unique && !definition.prepareUnique) return [];
    const old = before === undefined ? [] : keysIn(definition, before).keys;
    const young = after === undefined ? [] : keysIn(definition, after).keys;
    const changed = [...old.filter(key => !young.includes(key)), ...young.filter(key => !old.includes(key))];
    return changed.map(key => ({ index: definition.name, key }));
  });

/** No name has a zero byte in it. */
export const claimOfRecord = (ns: string, record: string): Claim => `${ns}\0\0${record}`;

export const claimOfKey = (ns: string, { index, key }: UniqueKey): Claim => `${ns}\0${index}\0${key}`;

export const claimOfNamespace = (ns: string): Claim => ns;
