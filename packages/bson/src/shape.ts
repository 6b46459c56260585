import type { BsonOptions, Shape } from '@tessera/contracts';
import { Learned } from './decode/learned.js';
import { PlainDecoder } from './decode/plain.js';
import { KeyTree } from './encode/key-tree.js';
import { readsByDefault, settle, type CodecOptions, type Settings } from './options.js';

/** Options, and what was learned of one collection's documents. */
export class CollectionShape implements Shape {
  readonly options: BsonOptions;
  readonly settings: Settings;
  readonly decoder: PlainDecoder;
  /** Undefined for options that the fast decoder does not know. */
  readonly learned: Learned | undefined;
  readonly keys: KeyTree = new KeyTree();
  /** How many bytes the last message with documents of this collection had, if they were many. */
  messageSize = 0;

  constructor(options: CodecOptions) {
    this.options = options;
    this.settings = settle(options);
    this.decoder = new PlainDecoder(this.settings);
    this.learned = readsByDefault(this.settings) ? new Learned() : undefined;
  }
}

/** The shape of whatever comes without one: commands, replies, single documents. */
export const shapeless: CollectionShape = new CollectionShape({});

/** The given shape, or that of everything else. */
export const shapeOr = (shape: Shape | undefined): CollectionShape =>
  shape === undefined ? shapeless : (shape as CollectionShape);
