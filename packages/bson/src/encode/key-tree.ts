import { longestPacked } from '../packed-key.js';
import { KeyNode } from './key-node.js';
import { generateStraightLine, type Writers } from './straight-line.js';

/** The key that marks values of npm `bson`. */
export const mark = '_bsontype';

/** The maximum number of learned keys per collection. Each takes about 200 bytes. */
const mostNodes = 2048;
/** How many different keys may follow one key before they count as data. */
const mostKids = 24;
const mostKeys = 256;
/**
 * How many documents with the same keys are written before a straight-line function is generated, and how many are
 * generated at most.
 */
const straightAfter = 32;
const mostStraightLines = 64;
/** How many documents are not learned after a collection exceeded the limits. The number doubles each time. */
const firstPause = 1000;

/**
 * The keys of one collection's documents. Their number is bounded: when a collection exceeds the limits, everything is
 * dropped and learning pauses.
 */
export class KeyTree {
  private root: KeyNode | undefined;
  private loose: KeyNode | undefined;
  private nodes = 0;
  private pause = 0;
  private nextPause = firstPause;
  private straightLines = 0;

  /** Returns the root for a document of the collection. Undefined while learning is paused. */
  top(): KeyNode | undefined {
    return this.pause > 0 && --this.pause > 0 ? undefined : (this.root ??= new KeyNode('', undefined));
  }

  /** Returns the root for a document that is not stored in the collection, such as a filter or a pipeline. */
  aside(): KeyNode | undefined {
    return this.pause > 0 ? undefined : (this.loose ??= new KeyNode('', undefined));
  }

  /** Returns the node of a key that follows another one. Undefined if the key is not to be learned. */
  follow(node: KeyNode, key: string): KeyNode | undefined {
    const kid = node.kids === undefined ? node.next : node.kids.get(key);
    if (kid?.key === key) {
      node.next = kid;
      return kid;
    }
    return node.open ? undefined : this.learn(node, key);
  }

  /** Records that this document ended with this key, and generates a straight-line function when there are enough. */
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
