import type { BinaryValue, Entry, Value, Version } from '@tessera/mql/engine';
import { Doc, compare, isAtLeast } from '@tessera/mql/engine';
import { dbOf, nameOf } from '@tessera/store';
import type { Described, Op } from '../log/op.js';

/** Operations on collections and views, rather than on documents. */
export type CollectionOp = Exclude<Op, { readonly kind: 'insert' | 'update' | 'delete' | 'noop' }>;

/** `{ db, coll }` */
export const nsDoc = (ns: string): Doc =>
  Doc.of([
    ['db', dbOf(ns)],
    ['coll', nameOf(ns)],
  ]);

/** Returns the UUID of the collection; undefined for a view. */
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

/** Whether streams report the operation without `showExpandedEvents`, too. */
export const isClassic = (op: CollectionOp): boolean =>
  op.kind === 'rename' || op.kind === 'dropDatabase' || (op.kind === 'drop' && op.dropped.uuid !== undefined);

/** Returns the fields of `after` that differ from those of `before`. */
const changed = (before: Doc, after: Doc): readonly Entry[] =>
  after.entries().filter(([name, value]) => {
    const old = before.get(name);
    return old === undefined || compare(old, value) !== 0;
  });

/** Adds `false` for options that only the other index has, because listIndexes omits options that are not set. */
const saying = (index: Doc, other: Doc): Doc =>
  Doc.of([
    ...index.entries(),
    ...other
      .entries()
      .flatMap(([name, value]): readonly Entry[] => (value === true && !index.has(name) ? [[name, false]] : [])),
  ]);

/** Returns the index that `collMod` changed, before and after the change. */
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

/** `stateBeforeChange` of a modified collection. */
export const stateBefore = (op: CollectionOp): Doc | undefined => {
  if (op.kind !== 'modify' || op.after.uuid === undefined) return undefined;
  const index = changedIndex(op.before, op.after);
  const options: Entry[] = [['uuid', op.after.uuid], ...op.before.options.entries()];
  return Doc.of([
    ['collectionOptions', Doc.of(options)],
    ...(index === undefined ? [] : [['indexOptions', Doc.of(changed(index[1], index[0]))] as const]),
  ]);
};

/** `nsType`, from 8.1 on. */
export const nsTypeOf = (op: CollectionOp, version: Version): Value | undefined => {
  if (op.kind !== 'create' || !isAtLeast(version, '8.1')) return undefined;
  if (op.made.options.has('timeseries')) return 'timeseries';
  return op.made.uuid === undefined ? 'view' : 'collection';
};
