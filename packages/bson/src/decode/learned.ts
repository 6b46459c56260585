import type { Document } from '@tessera/contracts';
import type { KnownTexts } from './known-texts.js';
import { longestPacked, packKey } from '../packed-key.js';

/** Builds a document from the values on a stack, starting at this index. */
export type Constructor = (values: readonly unknown[], from: number) => Document;

/** Reads the document whose elements lie between two offsets. Undefined if the document has other keys or types. */
export type StraightLine = (start: number, last: number, bytes: Uint8Array, numbers: DataView) => Document | undefined;

/** The maximum number of learned keys per collection. Each takes about 250 bytes. */
const mostNodes = 2048;
/** How many different keys may follow one key before they count as data. */
const mostKids = 24;
/** Documents with more keys are not learned, because engines store such objects as hash tables anyway. */
const mostKeys = 256;
/** How many documents are not learned after a collection exceeded the limits. The number doubles each time. */
const firstPause = 1000;

/**
 * A key at its position in the documents of a collection: it knows the keys before it. The nodes of one place form a
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
   * The first of the key's words, and all of them. The mask selects the bytes of the last word that belong to the key.
   */
  readonly first: number;
  readonly words: readonly number[];
  readonly mask: number;
  /** The key that followed last. */
  next: KeyNode | undefined = undefined;
  /** All keys that followed, if there are at least two. */
  kids: Map<string, KeyNode> | undefined = undefined;
  /** Whether too many different keys followed. They are then treated as data, not as names. */
  open = false;
  /** The places of documents under this key, and under later keys that are not learned. */
  place: Place | undefined = undefined;
  beyond: Place | undefined = undefined;
  /** The short texts found under this key. */
  texts: KnownTexts | undefined = undefined;
  /** The type of the last value, or -1 after it changed. */
  type = 0;

  /** For documents that end with this key: how often they occurred, their keys, and how to read them. */
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

/** A place where documents occur: the top level of a collection's documents, or below a certain key. */
export class Place {
  readonly root: KeyNode = new KeyNode('', undefined);
  /** Whether documents here may be DBRefs. Scopes of code never are. */
  readonly references: boolean;
  /** The place of the scopes of code found here. */
  scope: Place | undefined = undefined;
  /** The last nodes of well-known documents here, and the functions that read those documents. */
  readonly ends: KeyNode[] = [];
  straight: readonly StraightLine[] | undefined = undefined;
  /** How often no function fitted, minus a quarter of how often one did. */
  misses = 0;
  hits = 0;
  /** How many documents to read before new functions are generated, and how often that has happened. */
  rest = 0;
  rests = 0;

  constructor(references: boolean) {
    this.references = references;
  }
}

/**
 * Keys and types that the decoder learned from one collection's documents. Its size is bounded: when a collection exceeds the limits,
 * everything is dropped and learning pauses.
 */
export class Learned {
  private places: (Place | undefined)[] = [];
  private nodes = 0;
  private pause = 0;
  private nextPause = firstPause;
  /** How many functions were generated. */
  constructors = 0;
  straightLines = 0;

  /**
   * Returns the starting place for a document whose first key and type have this hash. Undefined while learning is
   * paused.
   */
  top(hash: number): Place | undefined {
    if (this.pause > 0 && --this.pause > 0) return undefined;
    return (this.places[hash] ??= new Place(true));
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
