import { longestPacked, packKey } from '../packed-key.js';
import { generateStraightLine, type StraightLine, type Writers } from './straight-line.js';

/** Marks what is a value of npm `bson`, or pretends to be. */
export const mark = '_bsontype';

/** How many keys one collection may teach. About 200 bytes each. */
const mostNodes = 2048;
/** How many keys may follow one key before they count as data. */
const mostKids = 24;
const mostKeys = 256;
/** After how many documents of the same keys a straight line is generated, and how many of them. */
const straightAfter = 32;
const mostStraightLines = 64;
/** How many documents pass unlearned after a collection has taught too much; doubled each time. */
const firstPause = 1000;

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

/** The keys of one collection's documents. Bounded: what teaches too much is forgotten, and not trusted for a while. */
export class KeyTree {
  private root: KeyNode | undefined;
  private loose: KeyNode | undefined;
  private nodes = 0;
  private pause = 0;
  private nextPause = firstPause;
  private straightLines = 0;

  /** Where to start with a document. Undefined while nothing is learned. */
  top(): KeyNode | undefined {
    return this.pause > 0 && --this.pause > 0 ? undefined : (this.root ??= new KeyNode('', undefined));
  }

  /** Where to start with a document that is not one of the collection: a filter, a pipeline. */
  aside(): KeyNode | undefined {
    return this.pause > 0 ? undefined : (this.loose ??= new KeyNode('', undefined));
  }

  /** The node of a key that came after another one; undefined if it is not to be learned. */
  follow(node: KeyNode, key: string): KeyNode | undefined {
    const kid = node.kids === undefined ? node.next : node.kids.get(key);
    if (kid?.key === key) {
      node.next = kid;
      return kid;
    }
    return node.open ? undefined : this.learn(node, key);
  }

  /** That document of that place ended with this key. */
  ended(node: KeyNode, place: KeyNode, document: object, writers: Writers): void {
    if (++node.uses !== straightAfter || node === place || this.straightLines++ >= mostStraightLines) return;
    node.straight = generateStraightLine(node.chain(), document, writers);
    place.straight ??= node.straight;
  }

  private learn(node: KeyNode, key: string): KeyNode | undefined {
    if (node.depth >= mostKeys || key.length > longestPacked || key === mark || key.includes('\0')) return undefined;
    if (node.kids !== undefined && node.kids.size >= mostKids && node !== this.root && node !== this.loose) {
      node.open = true;
      node.kids = undefined;
      return undefined;
    }
    if (this.nodes++ >= mostNodes) {
      this.forget();
      return undefined;
    }
    const kid = new KeyNode(key, node);
    if (node.next !== undefined) (node.kids ??= new Map([[node.next.key, node.next]])).set(key, kid);
    node.next = kid;
    return kid;
  }

  private forget(): void {
    this.root = undefined;
    this.loose = undefined;
    this.nodes = 0;
    this.straightLines = 0;
    this.pause = this.nextPause;
    this.nextPause = Math.min(this.nextPause * 2, 1_000_000);
  }
}
