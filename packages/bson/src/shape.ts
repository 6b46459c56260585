import type { BsonOptions, Shape } from '@tessera/contracts';
import { PlainDecoder } from './decode/plain.js';
import { settle, type CodecOptions, type Settings } from './options.js';

/** Options, and what was learned of one collection's documents. */
export class CollectionShape implements Shape {
  readonly options: BsonOptions;
  readonly settings: Settings;
  readonly decoder: PlainDecoder;

  constructor(options: CodecOptions) {
    this.options = options;
    this.settings = settle(options);
    this.decoder = new PlainDecoder(this.settings);
  }
}
