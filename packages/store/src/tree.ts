import type { Branch } from './difference.js';
import { recordNumber } from './key.js';

/**
 * A token for changing a tree. Its owner may change the nodes that it created in place; all others are copied. A write
 * creates a token and drops it at its end, after which the nodes it created never change.
 */
export interface Edit {
  /** A description of the write, for debugging only. */
  readonly for: string;
}

/**
 * The maximum number of entries per node. A write copies one node per level, so smaller nodes make writes faster and
 * reads slower.
 */
const width = 64;

/** The bits of a record's number that select the item of a node, in a tree of full nodes. */
const bitsOfLevel = 6;

class Node<V> {
  /** The keys of a leaf. In an inner node, the lowest key of each child; the first one is ignored. */
  keys: string[];
  /** The values of a leaf, or the children of an inner node. */
  items: (V | Node<V>)[];
  readonly leaf: boolean;
  readonly owner: Edit | undefined;
  /** Whether an earlier version of the node has the same array of keys. */
  sharesKeys: boolean;

  constructor(keys: string[], items: (V | Node<V>)[], leaf: boolean, owner: Edit | undefined, sharesKeys = false) {
    this.keys = keys;
    this.items = items;
    this.leaf = leaf;
    this.owner = owner;
    this.sharesKeys = sharesKeys;
  }
}

/** Returns the first position whose key is not less than `key`. */
const placeOf = (keys: readonly string[], key: string): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * The same for writes, most of which append. Reads do not use it, because it accesses one more key, which is rarely in
 * the CPU cache.
 */
const lowerBound = (keys: readonly string[], key: string): number => {
  const { length } = keys;
  return length > 0 && keys[length - 1]! < key ? length : placeOf(keys, key);
};

/** Returns the position of the child for a key. */
const childOf = (keys: readonly string[], key: string): number => {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The same for writes. */
const childAt = (keys: readonly string[], key: string): number => {
  const last = keys.length - 1;
  return last > 0 && keys[last]! <= key ? last : childOf(keys, key);
};

/** Returns a node whose items can be changed in place. Replacing a value changes no keys, so they are not copied yet. */
const writable = <V>(node: Node<V>, edit: Edit): Node<V> =>
  node.owner === edit ? node : new Node(node.keys, node.items.slice(), node.leaf, edit, true);

/** Returns the keys of a writable node, to be changed in place. */
const writableKeys = <V>(node: Node<V>): string[] => {
  if (node.sharesKeys) {
    node.keys = node.keys.slice();
    node.sharesKeys = false;
  }
  return node.keys;
};

/** Splits a node that is too wide. If an entry was appended at the end, the left part stays full. */
const split = <V>(node: Node<V>, appended: boolean): Node<V> => {
  const at = appended ? width : width >> 1;
  const right = new Node(node.keys.slice(at), node.items.slice(at), node.leaf, node.owner);
  // Copy the array, because a truncated array keeps its capacity.
  node.keys = node.keys.slice(0, at);
  node.items = node.items.slice(0, at);
  return right;
};

/** All entries of one level of the tree. */
interface Level<V> {
  readonly keys: readonly string[];
  readonly items: readonly (V | Node<V>)[];
  readonly leaf: boolean;
}

/** Splits a level into nodes. */
const levelAbove = <V>({ keys, items, leaf }: Level<V>, edit: Edit): Level<V> => {
  const above: { readonly keys: string[]; readonly items: Node<V>[] } = { keys: [], items: [] };
  for (let at = 0; at < keys.length; at += width) {
    above.keys.push(keys[at]!);
    above.items.push(new Node<V>(keys.slice(at, at + width), items.slice(at, at + width), leaf, edit));
  }
  return { ...above, leaf: false };
};

/** Returns the leaf for a key. */
const leafOf = <V>(root: Node<V>, key: string): Node<V> => {
  let node = root;
  while (!node.leaf) node = node.items[childOf(node.keys, key)] as Node<V>;
  return node;
};

/**
 * Returns the leaf in which a record is if every record from the first on exists, as after insertions without removals.
 * Then all nodes are full, and the number leads to the record. A search would compare with keys at each level, most of
 * which are not in the CPU cache.
 */
const expectedLeaf = <V>(root: Node<V>, size: number, number: number): Node<V> | undefined => {
  let bits = 0;
  for (let reach = width; reach < size; reach *= width) bits += bitsOfLevel;
  let node: Node<V> | undefined = root;
  for (; bits > 0 && node?.leaf === false; bits -= bitsOfLevel)
    node = node.items[(number >> bits) % width] as Node<V> | undefined;
  return node?.leaf === true ? node : undefined;
};

/**
 * Looks up keys of records in one version of a tree. It first tries the position after the previous key, because most
 * of the cost in a large tree is the descent.
 */
export class Finder<V> {
  readonly #root: Node<V>;
  readonly #size: number;
  #leaf: Node<V> | undefined;
  #at = 0;

  constructor(root: Node<V>, size: number) {
    this.#root = root;
    this.#size = size;
  }

  get(key: string): V | undefined {
    const last = this.#leaf;
    if (last?.keys[this.#at + 1] === key) {
      this.#at += 1;
      return last.items[this.#at] as V;
    }
    const number = recordNumber(key) - 1;
    const expected = expectedLeaf(this.#root, this.#size, number);
    const place = number % width;
    if (expected?.keys[place] === key) {
      this.#leaf = expected;
      this.#at = place;
      return expected.items[place] as V;
    }
    let leaf = last;
    if (leaf === undefined || key < leaf.keys[0]! || key > leaf.keys[leaf.keys.length - 1]!) {
      leaf = leafOf(this.#root, key);
      this.#leaf = leaf;
    }
    this.#at = placeOf(leaf.keys, key);
    return leaf.keys[this.#at] === key ? (leaf.items[this.#at] as V) : undefined;
  }
}

/** An immutable sorted map with string keys: a B+tree whose versions share unchanged nodes. */
export class Tree<V> {
  #root: Node<V>;
  #size: number;
  readonly #owner: Edit | undefined;

  private constructor(root: Node<V>, size: number, owner: Edit | undefined) {
    this.#root = root;
    this.#size = size;
    this.#owner = owner;
  }

  static empty<V>(): Tree<V> {
    return new Tree<V>(new Node<V>([], [], true, undefined), 0, undefined);
  }

  /** Creates a tree from sorted entries, much faster than by adding them. Keys must be distinct. */
  static ofSorted<V>(keys: readonly string[], values: readonly V[], edit: Edit): Tree<V> {
    let level: Level<V> = { keys, items: values, leaf: true };
    while (level.items.length > width) level = levelAbove(level, edit);
    const root = new Node<V>(level.keys.slice(), level.items.slice(), level.leaf, edit);
    return new Tree(root, keys.length, edit);
  }

  get size(): number {
    return this.#size;
  }

  /** The root, for comparisons of two versions; see `differences`. */
  get root(): Branch<V> {
    return this.#root;
  }

  get(key: string): V | undefined {
    const { keys, items } = leafOf(this.#root, key);
    const at = placeOf(keys, key);
    return keys[at] === key ? (items[at] as V) : undefined;
  }

  /** The same as `get`, faster for the key of a record. */
  getRecord(key: string): V | undefined {
    const number = recordNumber(key) - 1;
    const leaf = expectedLeaf(this.#root, this.#size, number);
    const at = number % width;
    return leaf?.keys[at] === key ? (leaf.items[at] as V) : this.get(key);
  }

  /** The same as `get`, faster for a key above all others, such as that of a new entry. */
  probe(key: string): V | undefined {
    let node = this.#root;
    while (!node.leaf) node = node.items[childAt(node.keys, key)] as Node<V>;
    const at = lowerBound(node.keys, key);
    return node.keys[at] === key ? (node.items[at] as V) : undefined;
  }

  /** Returns a finder, for lookups of many records that are mostly adjacent. */
  finder(): Finder<V> {
    return new Finder(this.#root, this.#size);
  }

  set(key: string, value: V, edit: Edit): Tree<V> {
    const root = writable(this.#root, edit);
    const added = put(root, key, value, edit);
    return this.#next(grown(root, edit), this.#size + (added ? 1 : 0), edit);
  }

  delete(key: string, edit: Edit): Tree<V> {
    if (this.get(key) === undefined) return this;
    let root = writable(this.#root, edit);
    remove(root, key, edit);
    while (!root.leaf && root.items.length === 1) root = root.items[0] as Node<V>;
    if (!root.leaf && root.items.length === 0) root = new Node<V>([], [], true, edit);
    return this.#next(root, this.#size - 1, edit);
  }

  #next(root: Node<V>, size: number, edit: Edit): Tree<V> {
    if (this.#owner !== edit) return new Tree(root, size, edit);
    this.#root = root;
    this.#size = size;
    return this;
  }

  /** Walks from a key (inclusive) to a key (exclusive), ascending or descending. */
  walk(from: string | undefined, to: string | undefined, downward = false): Walk<V> {
    return new Walk(this.#root, from, to, downward);
  }

  [Symbol.iterator](): Iterator<readonly [string, V]> {
    const walk = this.walk(undefined, undefined);
    return {
      next: () =>
        walk.next() ? { done: false, value: [walk.key, walk.value] as const } : { done: true, value: undefined },
    };
  }
}

/**
 * Adds or replaces an entry in a writable node, which is at most one entry too wide afterwards. Returns whether the
 * entry is new.
 */
const put = <V>(node: Node<V>, key: string, value: V, edit: Edit): boolean => {
  if (node.leaf) {
    const at = lowerBound(node.keys, key);
    if (node.keys[at] === key) {
      node.items[at] = value;
      return false;
    }
    const keys = writableKeys(node);
    if (at === keys.length) {
      keys.push(key);
      node.items.push(value);
    } else {
      keys.splice(at, 0, key);
      node.items.splice(at, 0, value);
    }
    return true;
  }
  const at = childAt(node.keys, key);
  const child = writable(node.items[at] as Node<V>, edit);
  node.items[at] = child;
  const added = put(child, key, value, edit);
  if (child.keys.length > width) {
    const appended = at === node.keys.length - 1 && child.keys[child.keys.length - 1] === key;
    const right = split(child, appended);
    writableKeys(node).splice(at + 1, 0, right.keys[0]!);
    node.items.splice(at + 1, 0, right);
  }
  return added;
};

const grown = <V>(root: Node<V>, edit: Edit): Node<V> => {
  if (root.keys.length <= width) return root;
  const right = split(root, true);
  return new Node<V>([root.keys[0]!, right.keys[0]!], [root, right], false, edit);
};

/** Removes an entry. Empty nodes are removed, and adjacent small nodes are merged. */
const remove = <V>(node: Node<V>, key: string, edit: Edit): void => {
  if (node.leaf) {
    const at = lowerBound(node.keys, key);
    writableKeys(node).splice(at, 1);
    node.items.splice(at, 1);
    return;
  }
  const at = childAt(node.keys, key);
  const child = writable(node.items[at] as Node<V>, edit);
  node.items[at] = child;
  remove(child, key, edit);
  if (child.keys.length === 0) {
    writableKeys(node).splice(at, 1);
    node.items.splice(at, 1);
  } else if (child.keys.length < width >> 2) {
    join(node, at, edit);
  }
};

const join = <V>(parent: Node<V>, at: number, edit: Edit): void => {
  const left = at > 0 ? at - 1 : at;
  const first = parent.items[left] as Node<V>;
  const second = parent.items[left + 1] as Node<V> | undefined;
  if (second === undefined || first.keys.length + second.keys.length > width >> 1) return;
  const into = writable(first, edit);
  // The first key of an inner node is not maintained, so take the key that its parent has.
  const keys = second.leaf ? second.keys : [parent.keys[left + 1]!, ...second.keys.slice(1)];
  writableKeys(into).push(...keys);
  into.items.push(...second.items);
  parent.items[left] = into;
  writableKeys(parent).splice(left + 1, 1);
  parent.items.splice(left + 1, 1);
};

/** A walk through one version of a tree, unaffected by later versions. Call `next` before reading `key` and `value`. */
export class Walk<V> {
  key = '';
  value: V;
  readonly #nodes: Node<V>[] = [];
  readonly #places: number[] = [];
  readonly #from: string | undefined;
  readonly #to: string | undefined;
  readonly #step: 1 | -1;

  constructor(root: Node<V>, from: string | undefined, to: string | undefined, downward: boolean) {
    this.value = undefined as V;
    this.#from = from;
    this.#to = to;
    this.#step = downward ? -1 : 1;
    this.#seek(root, downward ? to : from, downward);
  }

  /** Positions the walk before its first entry: below `key` when descending, else at or after `key`. */
  #seek(root: Node<V>, key: string | undefined, downward: boolean): void {
    let node = root;
    while (!node.leaf) {
      const end = downward ? node.keys.length - 1 : 0;
      const at = key === undefined ? end : childOf(node.keys, key);
      this.#nodes.push(node);
      this.#places.push(at);
      node = node.items[at] as Node<V>;
    }
    const at = key === undefined ? (downward ? node.keys.length : 0) : placeOf(node.keys, key);
    this.#nodes.push(node);
    this.#places.push(downward ? at : at - 1);
  }

  next(): boolean {
    const depth = this.#nodes.length - 1;
    const leaf = this.#nodes[depth];
    if (leaf === undefined) return false;
    const at = this.#places[depth]! + this.#step;
    if (at < 0 || at >= leaf.keys.length) return this.#cross();
    this.#places[depth] = at;
    return this.#arrive(leaf, at);
  }

  #arrive(leaf: Node<V>, at: number): boolean {
    const key = leaf.keys[at]!;
    if (this.#step === 1 ? this.#to !== undefined && key >= this.#to : this.#from !== undefined && key < this.#from) {
      this.#nodes.length = 0;
      return false;
    }
    this.key = key;
    this.value = leaf.items[at] as V;
    return true;
  }

  /** Moves on to the next leaf. */
  #cross(): boolean {
    let depth = this.#nodes.length - 2;
    while (depth >= 0) {
      const at = this.#places[depth]! + this.#step;
      if (at >= 0 && at < this.#nodes[depth]!.items.length) {
        this.#places[depth] = at;
        break;
      }
      depth -= 1;
    }
    if (depth < 0) {
      this.#nodes.length = 0;
      return false;
    }
    for (let i = depth; ; i++) {
      const node = this.#nodes[i]!.items[this.#places[i]!] as Node<V>;
      this.#nodes[i + 1] = node;
      this.#places[i + 1] = this.#step === 1 ? 0 : node.keys.length - 1;
      if (node.leaf) return this.#arrive(node, this.#places[i + 1]!);
    }
  }
}
