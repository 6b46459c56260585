import { packKey } from '../packed-key.js';

/** Writes the members of a plain object if it has the expected keys and no more. Returns where they end, or a negative number. */
export type WriteMembers = (object: object, at: number) => number;

/** What writes plain objects that have certain keys, without a `toBSON`. */
export interface StraightLine {
  readonly write: WriteMembers;
  /** Whether `_id` is one of the keys. */
  readonly hasId: boolean;
}

/**
 * A key in its place, ready to be written as words: after which other keys, in which documents of a collection. The nodes of
 * one place are a tree of all sequences of keys that were seen there; each knows which key came next the last time.
 */
export class KeyNode {
  readonly key: string;
  readonly parent: KeyNode | undefined;
  /** How many keys lead to here, this one included. */
  readonly depth: number;
  /** How many bytes the key takes, its NUL included. */
  readonly size: number;
  /** How many words those are, the first three of them, and all. What the last one has too much is written over. */
  readonly count: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly words: readonly number[];
  /** The key that came next the last time. */
  next: KeyNode | undefined = undefined;
  /** All keys that came next, once there are two. */
  kids: Map<string, KeyNode> | undefined = undefined;
  /** Too many different keys came next: they are data, not names. */
  open = false;
  /** The root of the documents under this key, and of those under keys after it that are not learned. */
  place: KeyNode | undefined = undefined;
  beyond: KeyNode | undefined = undefined;
  /** How many documents ended with this key. */
  uses = 0;
  /** What writes documents that ended with this key, once they are many; of a root: what wrote its last document. */
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

  /** The nodes from the first key to this one. */
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
