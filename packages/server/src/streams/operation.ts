import type { BinaryValue, Entry, Value, Version } from '@tessera/mql/engine';
import { Doc, compare, isAtLeast } from '@tessera/mql/engine';
import type { Described, Op } from '../log/op.js';
import { dbOf, nameOf } from '../store/collection.js';

/** What happened to collections and views: all but what happened to documents. */
export type CollectionOp = Exclude<Op, { readonly kind: 'insert' | 'update' | 'delete' | 'noop' }>;

/** `{ db, coll }` */
export const nsDoc = (ns: string): Doc =>
  Doc.of([
    ['db', dbOf(ns)],
    ['coll', nameOf(ns)],
  ]);

/** The UUID of the collection; views have none. */
export const uuidOf = (op: CollectionOp): BinaryValue | undefined => {
  switch (op.kind) {
    case 'create':
      return op.made.uuid;
    case 'drop':
      return op.dropped.uuid;
    case 'rename':
      return op.renamed.uuid;
    case 'modify':
      return op.after.uuid;
    case 'dropDatabase':
      return undefined;
    default:
      return op.uuid;
  }
};

/** Streams tell of it without `showExpandedEvents`, too. */
export const isClassic = (op: CollectionOp): boolean =>
  op.kind === 'rename' || op.kind === 'dropDatabase' || (op.kind === 'drop' && op.dropped.uuid !== undefined);

/** The fields of `after` that are others than those of `before`. */
const changed = (before: Doc, after: Doc): readonly Entry[] =>
  after.entries().filter(([name, value]) => {
    const old = before.get(name);
    return old === undefined || compare(old, value) !== 0;
  });

/** What one index is and the other is not, it is said not to be: an index that is not hidden is listed without the word. */
const saying = (index: Doc, other: Doc): Doc =>
  Doc.of([
    ...index.entries(),
    ...other
      .entries()
      .flatMap(([name, value]): readonly Entry[] => (value === true && !index.has(name) ? [[name, false]] : [])),
  ]);

/** An index that `collMod` changed, as it was and as it is. */
const changedIndex = (before: Described, after: Described): readonly [before: Doc, after: Doc] | undefined => {
  for (const index of after.indexes) {
    const old = before.indexes.find(one => one.get('name') === index.get('name'));
    if (old !== undefined && compare(old, index) !== 0) return [saying(old, index), saying(index, old)];
  }
  return undefined;
};

const modification = (before: Described, after: Described): Doc => {
  if (after.uuid === undefined) return after.options;
  const options = changed(before.options, after.options);
  const index = changedIndex(before, after);
  if (index === undefined) return Doc.of(options);
  const [old, now] = index;
  return Doc.of([['index', Doc.of([['name', now.get('name')!], ...changed(old, now)])], ...options]);
};

const idIndex = ({ indexes, uuid }: Described): readonly Entry[] => {
  const [first] = indexes;
  return uuid === undefined || first === undefined || first.has('clustered') ? [] : [['idIndex', first]];
};

/** `operationDescription` */
export const descriptionOf = (op: CollectionOp): Doc | undefined => {
  switch (op.kind) {
    case 'create':
      return Doc.of([...op.made.options.entries(), ...idIndex(op.made)]);
    case 'rename': {
      const dropped = op.dropped?.uuid;
      return Doc.of([['to', nsDoc(op.to)], ...(dropped === undefined ? [] : [['dropTarget', dropped] as const])]);
    }
    case 'createIndexes':
    case 'dropIndexes':
      return Doc.of([['indexes', op.specs]]);
    case 'shardCollection':
      return op.description;
    case 'modify':
      return modification(op.before, op.after);
    case 'drop':
    case 'dropDatabase':
      return undefined;
  }
};

/** `stateBeforeChange` of a collection that was modified. */
export const stateBefore = (op: CollectionOp): Doc | undefined => {
  if (op.kind !== 'modify' || op.after.uuid === undefined) return undefined;
  const index = changedIndex(op.before, op.after);
  const options: Entry[] = [['uuid', op.after.uuid], ...op.before.options.entries()];
  return Doc.of([
    ['collectionOptions', Doc.of(options)],
    ...(index === undefined ? [] : [['indexOptions', Doc.of(changed(index[1], index[0]))] as const]),
  ]);
};

/** `nsType`, since 8.1. */
export const nsTypeOf = (op: CollectionOp, version: Version): Value | undefined => {
  if (op.kind !== 'create' || !isAtLeast(version, '8.1')) return undefined;
  if (op.made.options.has('timeseries')) return 'timeseries';
  return op.made.uuid === undefined ? 'view' : 'collection';
};
