import type { BsonCodec, Document, Raw, Shape } from '@tessera/contracts';
import { attach } from './decode/memory.js';
import { checkedSize } from './decode/extent.js';
import { readDocument } from './decode/read.js';
import { PreparedElements } from './encode/elements.js';
import { bytes as written, makeSlab, shrink, slabSize, use, type Slab } from './encode/slab.js';
import { aside, writing } from './encode/state.js';
import { writeTop, writingWith } from './encode/top.js';
import { writeLooseKey } from './encode/any.js';
import { copyOf } from './host.js';
import type { CodecOptions } from './options.js';
import { DocumentView } from './read/view.js';
import { CollectionShape, shapeless } from './shape.js';
import { Binary, Long, ObjectId, Timestamp, UUID } from './values.js';
import { SlabWriter } from './encode/writer.js';

const shapeOf = (options: CodecOptions | Shape | undefined): CollectionShape => {
  if (options === undefined) return shapeless;
  if (options instanceof CollectionShape) return options;
  return new CollectionShape(options as CodecOptions);
};

/** Where {@link encode} writes; what it answers is a copy. */
let scratch: Slab | undefined;

const inScratch = <T>(write: () => T): T => {
  const own = scratch ?? makeSlab(slabSize);
  scratch = undefined; // whoever comes here meanwhile gets another one
  use(own);
  try {
    return write();
  } finally {
    shrink(own);
    scratch = own;
  }
};

/**
 * The bytes of a document, in memory of their own.
 * @param how options, or a shape made once per collection, which is faster
 * @throws MongoError `usage` that names the path of a value that BSON cannot hold
 */
export const encode = (document: Document | Raw, how?: CodecOptions | Shape): Uint8Array => {
  if (writing) return aside(() => encode(document, how));
  const shape = shapeOf(how);
  return inScratch(() => {
    const end = writingWith(shape, () => writeTop(document, 0));
    return copyOf(written, 0, end);
  });
};

/**
 * The document that fills these bytes.
 * @param how options, or a shape made once per collection, which is faster
 * @throws MongoError `protocol` that tells the byte offset of what is not BSON
 */
export const decode = (raw: Raw, how?: CodecOptions | Shape): Document => {
  const shape = shapeOf(how);
  attach(raw.buffer);
  const start = raw.byteOffset;
  checkedSize(start, start + raw.byteLength, start);
  return readDocument(start, start + raw.byteLength, start, shape);
};

/** The codec of Tessera. It holds no state that its callers could see: one value serves all of a process. */
export const bson: BsonCodec = {
  values: { Binary, Long, ObjectId, Timestamp, UUID },
  shape: options => new CollectionShape(options ?? {}),
  elements: document => new PreparedElements(encode(document).subarray(4, -1)),
  element: (key, raw) => {
    if (writing) return aside(() => bson.element(key, raw));
    return inScratch(() =>
      writingWith(shapeless, () => {
        const at = writeLooseKey(key, 0);
        written[0] = 3;
        const end = writeTop(raw, at);
        return new PreparedElements(written.subarray(0, end));
      }),
    );
  },
  read: (raw, start = 0, end = raw.byteLength, lasting = false) => {
    const { byteOffset } = raw;
    return new DocumentView(raw.buffer, byteOffset + start, byteOffset + end, byteOffset + start, lasting);
  },
  writer: () => new SlabWriter(),
};
