import type { BsonOptions, Shape } from '@tessera/contracts';
import { Learned } from './decode/learned.js';
import { PlainDecoder } from './decode/plain.js';
import { KeyTree } from './encode/key-tree.js';
import { readsByDefault, settle, type CodecOptions, type Settings } from './options.js';

/** The options of a collection, and what the codec learned about its documents. */
export class CollectionShape implements Shape {
  readonly options: BsonOptions;
  readonly settings: Settings;
  readonly decoder: PlainDecoder;
  /** Undefined for options that the fast decoder does not support. */
  readonly learned: Learned | undefined;
  readonly keys: KeyTree = new KeyTree();
  /** The size in bytes of the last message with documents of this collection, if it was large. */
  messageSize = 0;

  constructor(options: CodecOptions) {
    this.options = options;
    this.settings = settle(options);
    this.decoder = new PlainDecoder(this.settings);
    this.learned = readsByDefault(this.settings) ? new Learned() : undefined;
  }
}

/** The shape for everything without one: commands, replies, single documents. */
export const shapeless: CollectionShape = new CollectionShape({});

/** Returns the given shape, or the default one. */
export const shapeOr = (shape: Shape | undefined): CollectionShape =>
  shape === undefined ? shapeless : (shape as CollectionShape);
