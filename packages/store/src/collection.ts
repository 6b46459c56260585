import type { BinaryValue, Pieces, Value } from '@tessera/mql/engine';
import { Doc, eachEntry, fail, inOneGo, isDue, pause, showDoc } from '@tessera/mql/engine';
import type { Predicate } from './predicate.js';
import type { PinnedBuckets, TimeSeries } from './time-series.js';
import type { IndexKeys, IndexShape } from './index-keys.js';
import type { PlaceShape } from './place-keys.js';
import { placeKeys } from './place-keys.js';
import type { WildcardShape } from './wildcard-keys.js';
import { wildcardKeys } from './wildcard-keys.js';
import { indexKeys, valuesOfKey } from './index-keys.js';
import { recordKey } from './key.js';
import { sortedPositions } from './sorted-positions.js';
import type { Edit } from './tree.js';
import { Tree } from './tree.js';

/** A filter on documents: of a partial index or of a validator. */
export interface Condition {
  matches(doc: Doc): boolean;
}

export interface PartialFilter extends Condition {
  readonly filter: Doc;
  /** The filter as predicates; undefined if they cannot express it completely. */
  readonly predicates: readonly Predicate[] | undefined;
}

export interface IndexDefinition extends IndexShape {
  readonly name: string;
  /** The key as it was given: `{ a: 1, b: -1 }`. */
  readonly key: Doc;
  readonly unique: boolean;
  /**
   * Whether the index is being converted to a unique one. Existing documents may share keys, but writes must not add
   * duplicates.
   */
  readonly prepareUnique: boolean;
  readonly hashed: boolean;
  readonly hidden: boolean;
  /** Whether it is the index on `_id` of a collection created with `clusteredIndex`. */
  readonly clustered: boolean;
  /** Set if the entries of the index are not the values of its fields. */
  readonly kind: 'text' | '2d' | '2dsphere' | 'wildcard' | undefined;
  /** Set for an index of places. */
  readonly place?: PlaceShape | undefined;
  readonly wildcard?: WildcardShape | undefined;
  /** The keys of a document in a text index, with their values: one for each term, with its score. */
  readonly textKeys?: ((doc: Doc) => ReadonlyMap<string, () => readonly Value[]>) | undefined;
  readonly partial: PartialFilter | undefined;
  readonly expireAfterSeconds: number | undefined;
  /** The specification as listIndexes shows it. */
  readonly spec: Doc;
}

export interface Index {
  readonly definition: IndexDefinition;
  /**
   * The record key for each index key. In a non-unique index, index keys end with the record key, so that entries with
   * equal values are adjacent and in record order.
   */
  readonly entries: Tree<string>;
  /** Whether any document ever had an array on one of its paths. */
  readonly multikey: boolean;
}

export interface Capped {
  /** The maximum size of all documents in bytes. */
  readonly size: number;
  /** The maximum number of documents. */
  readonly max: number;
}

/** The condition that documents must satisfy to be written. */
export interface Validator extends Condition {
  readonly filter: Doc;
  /** Returns `errInfo.details` for a document that does not match; undefined before 5.0. */
  readonly explain: ((doc: Doc) => Doc) | undefined;
  /** `moderate`: documents that did not satisfy the validator before an update may stay so. */
  readonly level: 'strict' | 'moderate' | 'off';
}

/** The settings with which a collection was created. */
export interface CollectionSettings {
  readonly ns: string;
  readonly uuid: BinaryValue;
  /** The options as listCollections shows them. */
  readonly options: Doc;
  readonly capped: Capped | undefined;
  /** Set only if the validator rejects documents. A warning validator has no effect, because this server has no log. */
  readonly validator: Validator | undefined;
  readonly timeSeries?: TimeSeries | undefined;
}

/** One version of a collection. It is immutable. */
export interface Collection {
  readonly settings: CollectionSettings;
  readonly records: Tree<Doc>;
  readonly nextRecord: number;
  /** The size of all documents in bytes. */
  readonly bytes: number;
  /** The indexes, with that on `_id` first. */
  readonly indexes: readonly Index[];
  /** The buckets of a time series that were written as such. */
  readonly pinned?: PinnedBuckets | undefined;
  /** For the bucket collection of a time series: the series, whose measurements are stored. */
  readonly series?: Collection | undefined;
}

export const dbOf = (ns: string): string => ns.slice(0, ns.indexOf('.'));
export const nameOf = (ns: string): string => ns.slice(ns.indexOf('.') + 1);

const idKey: Doc = Doc.of([['_id', 1]]);

export const idIndex: IndexDefinition = {
  name: '_id_',
  key: idKey,
  fields: [{ path: '_id', parts: ['_id'], direction: 1 }],
  unique: true,
  prepareUnique: false,
  sparse: false,
  collation: undefined,
  hashed: false,
  hidden: false,
  clustered: false,
  kind: undefined,
  partial: undefined,
  expireAfterSeconds: undefined,
  spec: Doc.of([
    ['v', 2],
    ['key', idKey],
    ['name', '_id_'],
  ]),
};

export const emptyCollection = (settings: CollectionSettings, onId: IndexDefinition = { ...idIndex }): Collection => ({
  settings,
  records: Tree.empty(),
  nextRecord: 1,
  bytes: 0,
  indexes: [{ definition: onId, entries: Tree.empty(), multikey: false }],
});

/** Returns an empty time series. It has no index on `_id`. */
export const emptySeries = (settings: CollectionSettings, first: IndexDefinition | undefined): Collection => ({
  ...emptyCollection(settings),
  indexes: first === undefined ? [] : [{ definition: first, entries: Tree.empty(), multikey: false }],
});

const none: IndexKeys = { keys: [], multikey: false };

/**
 * Returns the keys of a document in an index: none if the index is partial and excludes the document.
 * @throws CommandError 16766 for an array in a hashed index, 171 for parallel arrays
 */
export const keysIn = (definition: IndexDefinition, doc: Doc): IndexKeys => {
  if (definition.partial !== undefined && !definition.partial.matches(doc)) return none;
  if (definition.textKeys !== undefined) return { keys: [...definition.textKeys(doc).keys()], multikey: false };
  if (definition.place !== undefined) return placeKeys(definition, definition.place, doc);
  if (definition.wildcard !== undefined) return wildcardKeys(definition, definition.wildcard, doc);
  if (definition.kind !== undefined) return none;
  const found = indexKeys(definition, doc);
  if (definition.hashed && found.multikey) throw hashedArray(definition, doc);
  return found;
};

const hashedArray = ({ fields }: IndexDefinition, doc: Doc): Error => {
  const field = fields.find(({ parts }) => eachEntry([{ parts }], doc, () => undefined))!;
  const message = 'Error: hashed indexes do not currently support array values. Found array at path: ';
  return fail(16766, `${message}${field.path}`);
};

const entryKey = (definition: IndexDefinition, key: string, record: string): string =>
  // `join` creates a flat string. Concatenation would keep its parts in memory until the first comparison, and beside
  // the result afterwards.
  definition.unique ? key : [key, record].join('');

const duplicate = (collection: Collection, definition: IndexDefinition, doc: Doc, at: string): Error => {
  const { name, key, fields, collation } = definition;
  const values = definition.textKeys?.(doc).get(at)?.() ?? valuesOfKey(definition, doc, at);
  const keyValue = Doc.of(fields.map((field, i) => [field.path, values[i] ?? null]));
  const by = collation === undefined ? '' : ` collation: ${showDoc(collation.spec)}`;
  return fail(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.settings.ns} index: ${name}${by} dup key: ${showDoc(keyValue)}`,
    [
      ['keyPattern', key],
      ['keyValue', keyValue],
    ],
  );
};

const checkUnique = (collection: Collection, index: Index, keys: readonly string[], doc: Doc, record: string): void => {
  const { unique, prepareUnique } = index.definition;
  if (!unique && !prepareUnique) return;
  for (const key of keys) {
    const isTaken = unique ? isHeld(index.entries.probe(key), record) : isShared(index, key, record);
    if (isTaken) throw duplicate(collection, index.definition, doc, key);
  }
};

const isHeld = (holder: string | undefined, record: string): boolean => holder !== undefined && holder !== record;

/** Whether another record has the key in an index whose keys end with record keys. */
const isShared = ({ entries }: Index, key: string, record: string): boolean => {
  const walk = entries.walk(key, `${key}\uffff`);
  while (walk.next()) if (walk.key === key + walk.value && walk.value !== record) return true;
  return false;
};

const withEntries = (index: Index, added: IndexKeys, record: string, edit: Edit): Index => {
  let { entries } = index;
  for (const key of added.keys) entries = entries.set(entryKey(index.definition, key, record), record, edit);
  const multikey = index.multikey || added.multikey;
  return entries === index.entries && multikey === index.multikey
    ? index
    : { definition: index.definition, entries, multikey };
};

const withoutEntries = (index: Index, keys: readonly string[], record: string, edit: Edit): Index => {
  let { entries } = index;
  for (const key of keys) entries = entries.delete(entryKey(index.definition, key, record), edit);
  const { definition, multikey } = index;
  return entries === index.entries ? index : { definition, entries, multikey };
};

/**
 * Adds a document with an `_id`.
 * @throws CommandError 11000 if a unique index already has its key; then nothing changes
 */
export const insertRecord = (collection: Collection, doc: Doc, edit: Edit): Collection => {
  const record = recordKey(collection.nextRecord);
  const { indexes } = collection;
  const keys = indexes.map(index => keysIn(index.definition, doc));
  for (let i = 0; i < indexes.length; i++) checkUnique(collection, indexes[i]!, keys[i]!.keys, doc, record);
  const grown: Collection = {
    settings: collection.settings,
    records: collection.records.set(record, doc, edit),
    nextRecord: collection.nextRecord + 1,
    bytes: collection.bytes + doc.byteLength,
    indexes: indexes.map((index, i) => withEntries(index, keys[i]!, record, edit)),
    pinned: collection.pinned,
    series: collection.series,
  };
  return collection.settings.capped === undefined ? grown : trimmed(grown, edit);
};

/** Removes the oldest documents of a capped collection until the rest is within the limits. */
const trimmed = (collection: Collection, edit: Edit): Collection => {
  const { size, max } = collection.settings.capped!;
  let rest = collection;
  while (rest.bytes > size || rest.records.size > max) {
    const oldest = rest.records.walk(undefined, undefined);
    if (rest.records.size < 2 || !oldest.next()) return rest;
    rest = removeRecord(rest, oldest.key, oldest.value, edit);
  }
  return rest;
};

/** Returns the keys that are not among others. A text index has a key for each word, so there may be thousands. */
const except = (keys: readonly string[], others: readonly string[]): readonly string[] => {
  if (others.length < 16) return keys.filter(key => !others.includes(key));
  const known = new Set(others);
  return keys.filter(key => !known.has(key));
};

/** The change of one index by the replacement of a document. */
interface KeyChange {
  readonly removed: readonly string[];
  readonly added: IndexKeys;
}

/**
 * Whether a new version of a document has the keys of the old one, because the values of the index's fields are the same
 * objects.
 */
const keepsKeys = ({ kind, partial, fields }: IndexDefinition, before: Doc, after: Doc): boolean => {
  if (kind !== undefined || partial !== undefined) return false;
  for (const { parts } of fields) if (before.get(parts[0]!) !== after.get(parts[0]!)) return false;
  return true;
};

const keyChange = ({ definition }: Index, before: Doc, after: Doc): KeyChange | undefined => {
  if (keepsKeys(definition, before, after)) return undefined;
  const old = keysIn(definition, before);
  const young = keysIn(definition, after);
  return {
    removed: except(old.keys, young.keys),
    added: { keys: except(young.keys, old.keys), multikey: young.multikey },
  };
};

/**
 * Replaces a document.
 * @param stored the document `after`, in memory of its own
 * @throws CommandError 11000 if a unique index already has one of its new keys; then nothing changes
 */
export const replaceRecord = (
  collection: Collection,
  record: string,
  before: Doc,
  after: Doc,
  edit: Edit,
  stored: Doc = after,
): Collection => {
  const changes = collection.indexes.map(index => keyChange(index, before, after));
  collection.indexes.forEach((index, i) => {
    const change = changes[i];
    if (change !== undefined) checkUnique(collection, index, change.added.keys, after, record);
  });
  return {
    settings: collection.settings,
    records: collection.records.set(record, stored, edit),
    nextRecord: collection.nextRecord,
    bytes: collection.bytes + after.byteLength - before.byteLength,
    indexes: collection.indexes.map((index, i) => {
      const change = changes[i];
      if (change === undefined) return index;
      return withEntries(withoutEntries(index, change.removed, record, edit), change.added, record, edit);
    }),
    pinned: collection.pinned,
    series: collection.series,
  };
};

/**
 * Adds a document under the key of a record that does not exist.
 * @throws CommandError 11000 if a unique index already has one of its keys; then nothing changes
 */
export const placeRecord = (collection: Collection, record: string, doc: Doc, edit: Edit): Collection => {
  const keys = collection.indexes.map(({ definition }) => keysIn(definition, doc));
  collection.indexes.forEach((index, i) => {
    checkUnique(collection, index, keys[i]!.keys, doc, record);
  });
  return {
    ...collection,
    records: collection.records.set(record, doc, edit),
    bytes: collection.bytes + doc.byteLength,
    indexes: collection.indexes.map((index, i) => withEntries(index, keys[i]!, record, edit)),
  };
};

export const removeRecord = (collection: Collection, record: string, doc: Doc, edit: Edit): Collection => ({
  settings: collection.settings,
  records: collection.records.delete(record, edit),
  nextRecord: collection.nextRecord,
  bytes: collection.bytes - doc.byteLength,
  indexes: collection.indexes.map(index => withoutEntries(index, keysIn(index.definition, doc).keys, record, edit)),
  pinned: collection.pinned,
  series: collection.series,
});

/** The index keys of all documents in ascending order, with their records. Equal keys are in record order. */
interface SortedEntries {
  readonly keys: readonly string[];
  readonly records: readonly string[];
  readonly multikey: boolean;
}

/** The number of entries between two chances to pause. */
const batch = 256;

const sortedEntries = function* (collection: Collection, definition: IndexDefinition): Pieces<SortedEntries> {
  const keys: string[] = [];
  const records: string[] = [];
  // Documents are often inserted in the order of their keys.
  let isSorted = true;
  let multikey = false;
  let last = '';
  const walk = collection.records.walk(undefined, undefined);
  while (walk.next()) {
    if (isDue()) yield pause;
    const found = keysIn(definition, walk.value);
    multikey ||= found.multikey;
    for (const key of found.keys) {
      isSorted &&= last <= key;
      keys.push(key);
      records.push(walk.key);
      last = key;
    }
  }
  if (isSorted) return { keys, records, multikey };
  const positions = yield* sortedPositions(keys);
  const sorted = { keys: [] as string[], records: [] as string[], multikey };
  for (let i = 0; i < positions.length; i++) {
    if (i % batch === 0 && isDue()) yield pause;
    sorted.keys.push(keys[positions[i]!]!);
    sorted.records.push(records[positions[i]!]!);
  }
  return sorted;
};

/** Returns the keys of an index whose keys end with record keys. */
const withRecords = function* (definition: IndexDefinition, { keys, records }: SortedEntries): Pieces<string[]> {
  const all: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    if (i % batch === 0 && isDue()) yield pause;
    all.push(entryKey(definition, keys[i]!, records[i]!));
  }
  return all;
};

/**
 * Builds an index on the existing documents.
 * @throws CommandError 11000 if the index is unique and two documents share a key
 */
export const buildIndex = function* (
  collection: Collection,
  definition: IndexDefinition,
  edit: Edit,
): Pieces<Collection> {
  const sorted = yield* sortedEntries(collection, definition);
  const { keys, records, multikey } = sorted;
  if (definition.unique) {
    const at = keys.findIndex((key, i) => key === keys[i + 1]);
    if (at !== -1) throw duplicate(collection, definition, collection.records.get(records[at + 1]!)!, keys[at]!);
  }
  const entries = Tree.ofSorted(definition.unique ? keys : yield* withRecords(definition, sorted), records, edit);
  return { ...collection, indexes: [...collection.indexes, { definition, entries, multikey }] };
};

/** Builds an index like `buildIndex`, without pauses. */
export const addIndex = (collection: Collection, definition: IndexDefinition, edit: Edit): Collection =>
  inOneGo(buildIndex(collection, definition, edit));

/** Returns the index as a unique one, or the `_id`s of documents that share keys. */
export const asUnique = (
  collection: Collection,
  { definition, multikey }: Index,
  spec: Doc,
  edit: Edit,
): Index | readonly (readonly Value[])[] => {
  const { keys, records } = inOneGo(sortedEntries(collection, definition));
  const shared: string[][] = [];
  for (let i = 1; i < keys.length; i++) {
    if (keys[i] !== keys[i - 1]) continue;
    if (keys[i] === keys[i - 2]) shared.at(-1)!.push(records[i]!);
    else shared.push([records[i - 1]!, records[i]!]);
  }
  if (shared.length > 0) return shared.map(held => held.map(record => collection.records.get(record)!.get('_id')!));
  const unique: IndexDefinition = { ...definition, unique: true, prepareUnique: false, spec };
  return { definition: unique, entries: Tree.ofSorted(keys, records, edit), multikey };
};

/** The entries whose size is measured to estimate that of an index. */
const measured = 100;

/** Returns the approximate size of an index in bytes, from the size of its first entries. */
export const indexSize = ({ entries }: Index): number => {
  const walk = entries.walk(undefined, undefined);
  let [seen, bytes] = [0, 0];
  for (; seen < measured && walk.next(); seen++) bytes += walk.key.length + walk.value.length;
  return seen === 0 ? 0 : Math.ceil((bytes / seen) * entries.size);
};

export const dropIndex = (collection: Collection, name: string): Collection => ({
  ...collection,
  indexes: collection.indexes.filter(index => index.definition.name !== name),
});
