import type { BsonCodec, Document, Raw, Shape } from '@tessera/contracts';
import { corruption } from './corruption.js';
import { attach, memoryOf } from './decode/memory.js';
import { checkedSize } from './decode/extent.js';
import { partOf } from './decode/part.js';
import { readDocument } from './decode/read.js';
import { PreparedElements } from './encode/elements.js';
import { bytes as written, makeSlab, shrink, slabSize, use, type Slab } from './encode/slab.js';
import { aside, start, stop, writing } from './encode/state.js';
import { usageError, writeTop } from './encode/top.js';
import { writeLooseKey } from './encode/any.js';
import { briefCopyOf } from './host.js';
import type { CodecOptions, DecodeOptions } from './options.js';
import { DocumentView } from './read/view.js';
import { CollectionShape, shapeless } from './shape.js';
import { Binary, Long, ObjectId, Timestamp, UUID } from './values.js';
import { SlabWriter } from './encode/writer.js';

const shapeOf = (options: CodecOptions | Shape | undefined): CollectionShape => {
  if (options === undefined) return shapeless;
  if (options instanceof CollectionShape) return options;
  return new CollectionShape(options as CodecOptions);
};

/**
 * The memory that {@link encode} writes into before it copies the result. A nested call of `encode` gets its own
 * memory.
 */
let scratch: Slab | undefined;

const takeScratch = (): Slab => {
  const own = scratch ?? makeSlab(slabSize);
  scratch = undefined;
  use(own);
  return own;
};

const giveBack = (own: Slab): void => {
  shrink(own);
  scratch = own;
};

/**
 * Encodes a document and returns its bytes, which never change. They may share an `ArrayBuffer` with other bytes.
 * @param how options, or a shape made once per collection, which is faster
 * @throws MongoError `usage` that names the path of a value that BSON cannot hold
 */
export const encode = (document: Document | Raw, how?: CodecOptions | Shape): Uint8Array => {
  if (writing) return aside(() => encode(document, how));
  const { settings, keys } = shapeOf(how);
  const own = takeScratch();
  start(settings, keys);
  try {
    const end = writeTop(document, 0); // may move `written` to larger memory
    return briefCopyOf(written, 0, end);
  } catch (error) {
    throw usageError(error);
  } finally {
    stop();
    giveBack(own);
  }
};

/** Encodes one element of a document: type, key and value. */
const encodeElement = (key: string, raw: Raw): PreparedElements => {
  if (writing) return aside(() => encodeElement(key, raw));
  const own = takeScratch();
  try {
    const end = writeTop(raw, writeLooseKey(key, 0));
    written[0] = 3;
    return new PreparedElements(written.subarray(0, end));
  } catch (error) {
    throw usageError(error);
  } finally {
    giveBack(own);
  }
};

/**
 * Decodes a document from bytes that it fills completely, or from the part that the options name.
 * @param how options, or a shape made once per collection, which is faster
 * @throws MongoError `protocol` with the byte offset of the first byte that is not valid BSON
 */
export const decode = (bytes: Raw, how?: DecodeOptions | Shape): Document => {
  const shape = shapeOf(how);
  const raw = how === undefined || how === shape ? bytes : partOf(bytes, how as DecodeOptions);
  attach(memoryOf(raw.buffer));
  const { byteOffset, byteLength } = raw;
  checkedSize(byteOffset, byteOffset + byteLength, byteOffset);
  return readDocument(byteOffset, byteOffset + byteLength, byteOffset, shape);
};

/** The default BSON codec. It has no visible state, so one value serves the whole process. */
export const bson: BsonCodec = {
  values: { Binary, Long, ObjectId, Timestamp, UUID },
  shape: options => new CollectionShape(options ?? {}),
  elements: document => new PreparedElements(encode(document).subarray(4, -1)),
  element: encodeElement,
  read: (raw, from = 0, end = raw.byteLength, lasting = false) => {
    const { byteOffset, byteLength } = raw;
    if (!(from >= 0 && from <= end && end <= byteLength)) {
      throw corruption(
        0,
        `a document range from ${String(from)} to ${String(end)} in a buffer of ${String(byteLength)} bytes`,
      );
    }
    return new DocumentView(memoryOf(raw.buffer), byteOffset + from, byteOffset + end, byteOffset + from, lasting);
  },
  writer: () => new SlabWriter(),
};
