/** An entry that one version of a tree has and another has not, or has otherwise. */
export interface Difference<V> {
  readonly key: string;
  /** Undefined: it was not there. */
  readonly before: V | undefined;
  /** Undefined: it is there no more. */
  readonly after: V | undefined;
}

/** What a tree is made of, as far as whoever compares it looks. */
export interface Branch<V> {
  readonly keys: readonly string[];
  /** Of a leaf: the values. Of another: its children. */
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

/** Leaves out what stands in both: first what they begin and end with, which is nearly all. */
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
 * What is different between two versions of a tree, in the order of the keys. It costs as much as there is different: what
 * both share is not looked at, wherever it has moved to.
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
