import { longestPacked } from '../packed-key.js';
import { KeyNode } from './key-node.js';
import { generateStraightLine, type Writers } from './straight-line.js';

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
