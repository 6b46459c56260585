import { packKey } from '../packed-key.js';

/**
 * Writes the members of a plain object if it has exactly the expected keys. Returns where they end, or a negative
 * number.
 */
export type WriteMembers = (object: object, at: number) => number;

/** A generated function that writes plain objects with certain keys and without a `toBSON`. */
export interface StraightLine {
  readonly write: WriteMembers;
  /** Whether `_id` is one of the keys. */
  readonly hasId: boolean;
}

/**
 * A key at its position in the documents of a collection, ready to be written as words. The nodes of one place form a
 * tree of all key sequences seen there. Each node remembers which key followed it last.
 */
export class KeyNode {
  readonly key: string;
  readonly parent: KeyNode | undefined;
  /** The number of keys that lead to this node, including its own. */
  readonly depth: number;
  /** The size of the key in bytes, NUL included. */
  readonly size: number;
  /**
   * The number of words, the first three words, and all of them. The padding of the last word is overwritten by the
   * value.
   */
  readonly count: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly words: readonly number[];
  /** The key that followed last. */
  next: KeyNode | undefined = undefined;
  /** All keys that followed, if there are at least two. */
  kids: Map<string, KeyNode> | undefined = undefined;
  /** Whether too many different keys followed. They are then treated as data, not as names. */
  open = false;
  /** The root node of the documents below this key, and of those below later keys that are not learned. */
  place: KeyNode | undefined = undefined;
  beyond: KeyNode | undefined = undefined;
  /** How many documents ended with this key. */
  uses = 0;
  /**
   * The straight-line function for documents that end with this key, generated once there are many. On a root: the
   * function that wrote the last document.
   */
  straight: StraightLine | undefined = undefined;

  constructor(key: string, parent: KeyNode | undefined) {
    const { size, words } = packKey(key);
    this.key = key;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.size = size;
    this.count = words.length;
    this.first = words[0]!;
    this.second = words[1] ?? 0;
    this.third = words[2] ?? 0;
    this.words = words;
  }

  /** Returns the nodes from the first key to this one. */
  chain(): KeyNode[] {
    const nodes: KeyNode[] = [];
    const add = (node: KeyNode): void => {
      if (node.parent === undefined) return;
      add(node.parent);
      nodes.push(node);
    };
    add(this);
    return nodes;
  }
}
