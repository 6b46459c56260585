import type { Doc } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { keysIn } from '@tessera/store';

/**
 * The name of something that only one transaction at a time may write: a namespace, a record, or a key of a unique
 * index.
 */
export type Claim = string;

/** A write of one document, before it happens. */
export interface RowWrite {
  readonly collection: Collection;
  /** Undefined for an insert. */
  readonly record: string | undefined;
  readonly before: Doc | undefined;
  /** Undefined for a delete. */
  readonly after: Doc | undefined;
}

/** A key that a unique index gains or loses. */
export interface UniqueKey {
  readonly index: string;
  readonly key: string;
}

/** Returns the keys that a write adds to or removes from unique indexes. Unchanged keys cannot conflict. */
export const uniqueKeysOf = ({ collection, before, after }: RowWrite): readonly UniqueKey[] =>
  collection.indexes.flatMap(({ definition }) => {
    if (!definition.unique && !definition.prepareUnique) return [];
    const old = before === undefined ? [] : keysIn(definition, before).keys;
    const young = after === undefined ? [] : keysIn(definition, after).keys;
    const changed = [...old.filter(key => !young.includes(key)), ...young.filter(key => !old.includes(key))];
    return changed.map(key => ({ index: definition.name, key }));
  });

/** Names cannot contain zero bytes, so claims are unambiguous. */
export const claimOfRecord = (ns: string, record: string): Claim => `${ns}\0\0${record}`;

export const claimOfKey = (ns: string, { index, key }: UniqueKey): Claim => `${ns}\0${index}\0${key}`;

export const claimOfNamespace = (ns: string): Claim => ns;
