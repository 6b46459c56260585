import type { Document } from '@tessera/contracts';
import type { KnownTexts } from './known-texts.js';
import { longestPacked, packKey } from '../packed-key.js';

/** Makes a document of the values that lie on a stack from there on. */
export type Constructor = (values: readonly unknown[], from: number) => Document;

/** Reads the document whose elements lie between two offsets; undefined if it has another shape. */
export type StraightLine = (start: number, last: number, bytes: Uint8Array, numbers: DataView) => Document | undefined;

/** How many keys one collection may teach. About 250 bytes each. */
const mostNodes = 2048;
/** How many keys may follow one key before they count as data. */
const mostKids = 24;
/** Documents with more keys are not learned: engines keep such objects as hash tables anyway. */
const mostKeys = 256;
/** How many documents pass unlearned after a collection has taught too much; doubled each time. */
const firstPause = 1000;

/**
 * A key in its place: after which other keys, in which documents of a collection. The nodes of one place are a tree of all
 * sequences of keys that were seen there; each knows which key came next the last time.
 */
export class KeyNode {
  readonly key: string;
  readonly parent: KeyNode | undefined;
  /** How many keys lead to here, this one included. */
  readonly depth: number;
  /** How many bytes the key takes, its NUL included. */
  readonly size: number;
  /** The first of the key's words, and all of them; the last one counts as far as the mask goes. */
  readonly first: number;
  readonly words: readonly number[];
  readonly mask: number;
  /** The key that came next the last time. */
  next: KeyNode | undefined = undefined;
  /** All keys that came next, once there are two. */
  kids: Map<string, KeyNode> | undefined = undefined;
  /** Too many different keys came next: they are data, not names. */
  open = false;
  /** Where documents were found: under this key, and under keys after it that are not learned. */
  place: Place | undefined = undefined;
  beyond: Place | undefined = undefined;
  /** The short texts that were found under this key. */
  texts: KnownTexts | undefined = undefined;
  /** The type of the value the last time, -1 once it has changed. */
  type = 0;

  /** What is known of documents that end with this key: how often they came, their keys, how to read them. */
  uses = 0;
  keys: readonly string[] | undefined = undefined;
  isDBRef = false;
  make: Constructor | undefined = undefined;

  constructor(key: string, parent: KeyNode | undefined) {
    const { size, words } = packKey(key);
    this.key = key;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.size = size;
    this.first = words[0]!;
    this.words = words;
    this.mask = size % 4 === 0 ? -1 : (1 << ((size % 4) * 8)) - 1;
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

/** Where documents are found: at the top of a collection's documents, or under a certain key of them. */
export class Place {
  readonly root: KeyNode = new KeyNode('', undefined);
  /** Whether documents here may be DBRefs; scopes of code never are. */
  readonly references: boolean;
  /** Where the scopes of code are that was found here. */
  scope: Place | undefined = undefined;
  /** The nodes that well-known documents here end with, and how to read those. */
  readonly ends: KeyNode[] = [];
  straight: readonly StraightLine[] | undefined = undefined;
  /** How often none of them fitted, less a quarter of how often one did. */
  misses = 0;
  hits = 0;
  /** How many documents are to pass before new ones are tried, and how often that was so. */
  rest = 0;
  rests = 0;

  constructor(references: boolean) {
    this.references = references;
  }
}

/** What was learned of one collection's documents. Bounded: what teaches too much is forgotten, and not trusted for a while. */
export class Learned {
  private places: (Place | undefined)[] = [];
  private nodes = 0;
  private pause = 0;
  private nextPause = firstPause;
  /** How many functions were generated. */
  constructors = 0;
  straightLines = 0;

  /** Where to start with a document whose first key and type hash to this number. Undefined while nothing is learned. */
  top(hash: number): Place | undefined {
    if (this.pause > 0 && --this.pause > 0) return undefined;
    return (this.places[hash] ??= new Place(true));
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

  private learn(node: KeyNode, key: string): KeyNode | undefined {
    if (node.depth >= mostKeys || key.length > longestPacked) return undefined;
    if (node.kids !== undefined && node.kids.size >= mostKids) {
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
    this.places = [];
    this.nodes = 0;
    this.constructors = 0;
    this.straightLines = 0;
    this.pause = this.nextPause;
    this.nextPause = Math.min(this.nextPause * 2, 1_000_000);
  }
}
