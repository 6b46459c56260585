/** An entry that differs between two versions of a tree. */
export interface Difference<V> {
  readonly key: string;
  /** Undefined if the entry was added. */
  readonly before: V | undefined;
  /** Undefined if the entry was removed. */
  readonly after: V | undefined;
}

/** The part of a tree's node that comparisons need. */
export interface Branch<V> {
  readonly keys: readonly string[];
  /** The values of a leaf, or the children of an inner node. */
  readonly items: readonly (V | Branch<V>)[];
  readonly leaf: boolean;
}

/** A version of a tree. */
export interface Rooted<V> {
  readonly root: Branch<V>;
}

type Row<V> = readonly Branch<V>[];

const children = <V>(row: Row<V>): Row<V> => row.flatMap(({ items }) => items as readonly Branch<V>[]);

const heightOf = <V>(branch: Branch<V>): number => {
  let height = 0;
  for (let at = branch; !at.leaf; at = at.items[0] as Branch<V>) height += 1;
  return height;
};

/**
 * Removes the items that both rows have. Usually they differ only in the middle, so common starts and ends are removed
 * first.
 */
const withoutShared = <V>(a: Row<V>, b: Row<V>): readonly [Row<V>, Row<V>] => {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let tail = 0;
  while (from + tail < a.length && from + tail < b.length && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const restOfA = a.slice(from, a.length - tail);
  const restOfB = b.slice(from, b.length - tail);
  if (restOfA.length === 0 || restOfB.length === 0) return [restOfA, restOfB];
  const inA = new Set(restOfA);
  const inB = new Set(restOfB);
  return [restOfA.filter(branch => !inB.has(branch)), restOfB.filter(branch => !inA.has(branch))];
};

const entriesOf = function* <V>(row: Row<V>): Generator<readonly [string, V], undefined> {
  for (const { keys, items } of row) for (let i = 0; i < keys.length; i++) yield [keys[i]!, items[i] as V];
  return undefined;
};

const merged = function* <V>(a: Row<V>, b: Row<V>): Generator<Difference<V>> {
  const olds = entriesOf(a);
  const news = entriesOf(b);
  let old = olds.next().value;
  let young = news.next().value;
  while (old !== undefined || young !== undefined) {
    if (young === undefined || (old !== undefined && old[0] < young[0])) {
      yield { key: old![0], before: old![1], after: undefined };
      old = olds.next().value;
    } else if (old === undefined || young[0] < old[0]) {
      yield { key: young[0], before: undefined, after: young[1] };
      young = news.next().value;
    } else {
      if (old[1] !== young[1]) yield { key: old[0], before: old[1], after: young[1] };
      old = olds.next().value;
      young = news.next().value;
    }
  }
};

/**
 * Returns the differences between two versions of a tree, in key order. Shared nodes are skipped, even if they have
 * moved, so the cost is proportional to the number of differences.
 */
export const differences = function* <V>(before: Rooted<V>, after: Rooted<V>): Generator<Difference<V>> {
  if (before === after) return;
  let a: Row<V> = [before.root];
  let b: Row<V> = [after.root];
  let heightA = heightOf(before.root);
  let heightB = heightOf(after.root);
  while (heightA !== heightB || heightA > 0) {
    if (heightA >= heightB) a = children(a);
    if (heightB >= heightA) b = children(b);
    const height = Math.max(heightA, heightB) - 1;
    heightA = Math.min(heightA, height);
    heightB = Math.min(heightB, height);
    if (heightA === heightB) [a, b] = withoutShared(a, b);
  }
  yield* merged(a, b);
};
