import type { BinaryValue, Entry, Value, Version } from '@tessera/mql/engine';
import { Doc, isAtLeast, isDoc } from '@tessera/mql/engine';
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

/** Returns the index options before a change by `collMod`. Options that are not set are false. */
const indexBefore = ({ indexes }: Described, change: Doc): Doc => {
  const old = indexes.find(one => one.get('name') === change.get('name'));
  const names = ['expireAfterSeconds', 'hidden', 'prepareUnique'].filter(name => change.has(name));
  return Doc.of(
    names.flatMap((name): readonly Entry[] => {
      const value = old?.get(name) ?? (name === 'expireAfterSeconds' ? undefined : false);
      return value === undefined ? [] : [[name, value]];
    }),
  );
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
      return op.change;
    case 'drop':
    case 'dropDatabase':
      return undefined;
  }
};

/** `stateBeforeChange` of a modified collection. */
export const stateBefore = (op: CollectionOp): Doc | undefined => {
  if (op.kind !== 'modify' || op.after.uuid === undefined) return undefined;
  const index = op.change.get('index');
  const options: Entry[] = [['uuid', op.after.uuid], ...op.before.options.entries()];
  return Doc.of([
    ['collectionOptions', Doc.of(options)],
    ...(isDoc(index) ? [['indexOptions', indexBefore(op.before, index)] as const] : []),
  ]);
};

/** `nsType`, from 8.1 on. */
export const nsTypeOf = (op: CollectionOp, version: Version): Value | undefined => {
  if (op.kind !== 'create' || !isAtLeast(version, '8.1')) return undefined;
  if (op.made.options.has('timeseries')) return 'timeseries';
  return op.made.uuid === undefined ? 'view' : 'collection';
};
