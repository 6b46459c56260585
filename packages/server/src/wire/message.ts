import type { Value } from '@tessera/mql/engine';
import { BsonWriter, Doc, fail, readInt32, readUtf8, show, validate } from '@tessera/mql/engine';
import { maxBatchBytes, crc32c } from '@tessera/store';
import type { Frame } from './frame.js';
import { FramingError, headerSize, opCodes } from './frame.js';

export const checksumPresent = 1;
export const moreToCome = 2;
export const exhaustAllowed = 0x10000;

/** A command that a client sent, as OP_MSG or OP_QUERY. */
export interface Request {
  /** The `requestID` of the message header. */
  readonly requestId: number;
  /** The message type: OP_MSG (2013) or OP_QUERY (2004). */
  readonly opCode: 2013 | 2004;
  /** The command, with document sequences as arrays. */
  readonly body: Doc;
  /** `$db` of an OP_MSG; the part before `.$cmd` of an OP_QUERY's collection name. */
  readonly db: string | undefined;
  /** Whether the message ends with a checksum. */
  readonly checksum: boolean;
  /** Whether no reply is expected. */
  readonly silent: boolean;
  /** Whether several replies are allowed. */
  readonly exhaust: boolean;
  /** The compressor of the request, which is also used for the reply. */
  readonly compressor: number | undefined;
}

/** The part of a message that can be read without its documents, and is sufficient to reply with an error. */
export type Envelope = Pick<Request, 'requestId' | 'opCode' | 'checksum' | 'silent' | 'exhaust' | 'compressor'>;

export const envelopeOf = (frame: Frame, compressor: number | undefined): Envelope => {
  const { requestId, opCode, bytes } = frame;
  if (opCode === opCodes.query) {
    return { requestId, opCode, checksum: false, silent: false, exhaust: false, compressor };
  }
  if (opCode !== opCodes.msg) throw new FramingError(`The opcode ${opCode} is not supported.`);
  if (bytes.length < headerSize + 4) throw new FramingError('An OP_MSG ends before its flags.');
  const flags = readInt32(bytes, headerSize);
  const known = checksumPresent | moreToCome;
  if ((flags & 0xffff & ~known) !== 0) throw new FramingError(`An OP_MSG has unknown required flags: ${flags}.`);
  return {
    requestId,
    opCode,
    checksum: (flags & checksumPresent) !== 0,
    silent: (flags & moreToCome) !== 0,
    exhaust: (flags & exhaustAllowed) !== 0,
    compressor,
  };
};

/** The largest document of a message: the largest stored document, and 16 KB for the other fields of a command. */
const maxDocumentBytes = maxBatchBytes + 16_384;

const tooLarge = (doc: Doc, size: number): Error => {
  const [name, value] = doc.entries()[0]!;
  return fail(
    'BSONObjectTooLarge',
    `BSONObj size: ${size} (0x${size.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${maxDocumentBytes}(16MB) First element: ${name}: ${show(value)}`,
  );
};

/** Returns the end of the document at a position. @throws CommandError for invalid BSON, or 10334 for a large document */
const endOf = (bytes: Uint8Array, start: number, limit?: number): number => {
  const end = validate(bytes, start, limit);
  if (end - start > maxDocumentBytes) throw tooLarge(Doc.fromBytes(bytes, start), end - start);
  return end;
};

const writeDocument = (writer: BsonWriter, doc: Doc): void => {
  const start = writer.length;
  writer.document(doc);
  const size = writer.length - start;
  if (size > maxDocumentBytes) throw tooLarge(doc, size);
};

/** Reads consecutive documents. */
const readSequence = (bytes: Uint8Array, start: number, end: number): readonly Doc[] => {
  const docs: Doc[] = [];
  for (let at = start; at < end;) {
    const next = endOf(bytes, at, end);
    docs.push(Doc.fromBytes(bytes, at));
    at = next;
  }
  return docs;
};

const readSections = (bytes: Uint8Array, start: number, end: number): Doc => {
  let body: Doc | undefined;
  const sequences: (readonly [string, Value])[] = [];
  for (let at = start; at < end;) {
    const kind = bytes[at]!;
    at += 1;
    if (kind === 0) {
      if (body !== undefined) throw fail(40430, 'Multiple body sections in message');
      const next = endOf(bytes, at, end);
      body = Doc.fromBytes(bytes, at);
      at = next;
      continue;
    }
    if (kind !== 1) throw fail(40432, `Unknown section kind ${kind}`);
    const size = end - at < 4 ? 0 : readInt32(bytes, at);
    const nul = bytes.indexOf(0, at + 4);
    if (size < 5 || at + size > end || nul === -1 || nul >= at + size) {
      throw fail('InvalidBSON', `A document sequence of ${size} bytes does not fit into its message`);
    }
    const name = readUtf8(bytes, at + 4, nul);
    if (sequences.some(([other]) => other === name)) throw fail(40431, `Duplicate document sequence: ${name}`);
    sequences.push([name, readSequence(bytes, nul + 1, at + size)]);
    at += size;
  }
  if (body === undefined) throw fail(40587, 'OP_MSG messages must have a body');
  if (sequences.length === 0) return body;
  const twice = sequences.find(([name]) => body.has(name));
  if (twice !== undefined) throw fail(40433, `Duplicate field between body and document sequence ${twice[0]}`);
  return Doc.of([...body.entries(), ...sequences]);
};

/** Copies each field, because an object spread followed by more fields is as slow as the rest of reading. */
const requestOf = (envelope: Envelope, body: Doc, db: string): Request => ({
  requestId: envelope.requestId,
  opCode: envelope.opCode,
  checksum: envelope.checksum,
  silent: envelope.silent,
  exhaust: envelope.exhaust,
  compressor: envelope.compressor,
  body,
  db,
});

const readMsg = (frame: Frame, envelope: Envelope): Request => {
  const { bytes } = frame;
  const end = bytes.length - (envelope.checksum ? 4 : 0);
  if (envelope.checksum && (end < headerSize + 4 || crc32c(bytes.subarray(0, end)) !== readInt32(bytes, end) >>> 0)) {
    throw new FramingError('The checksum of an OP_MSG is wrong.');
  }
  const body = readSections(bytes, headerSize + 4, end);
  const db = body.get('$db');
  if (db === undefined) throw fail(40571, 'OP_MSG requests require a $db argument');
  if (typeof db !== 'string')
    throw fail('TypeMismatch', "BSON field 'OP_MSG.$db' is the wrong type, expected type 'string'");
  return requestOf(envelope, body, db);
};

/** Rule: OP_QUERY is supported for handshakes only. */
const readQuery = (frame: Frame, envelope: Envelope): Request => {
  const { bytes } = frame;
  const nul = bytes.indexOf(0, headerSize + 4);
  if (nul === -1 || nul + 9 > bytes.length) throw new FramingError('An OP_QUERY ends before its collection name.');
  const ns = readUtf8(bytes, headerSize + 4, nul);
  const toReturn = readInt32(bytes, nul + 5);
  const at = nul + 9;
  endOf(bytes, at);
  let body = Doc.fromBytes(bytes, at);
  const inner = body.get('$query') ?? body.get('query');
  if (inner instanceof Doc && body.keys().every(key => key === '$query' || key === 'query' || key.startsWith('$'))) {
    body = inner;
  }
  if (!ns.endsWith('.$cmd')) {
    throw fail(5739101, `OP_QUERY is no longer supported. The client driver may require an upgrade.`);
  }
  if (toReturn !== 1 && toReturn !== -1)
    throw fail(16979, `Bad numberToReturn (${toReturn}) for $cmd type ns - can only be 1 or -1`);
  return requestOf(envelope, body, ns.slice(0, -'.$cmd'.length));
};

/**
 * Reads a request.
 * @throws CommandError for errors that become a reply, FramingError for those after which the connection is unusable
 */
export const readRequest = (frame: Frame, envelope: Envelope): Request =>
  envelope.opCode === opCodes.msg ? readMsg(frame, envelope) : readQuery(frame, envelope);

const slabSize = 65_536;

/** Consecutive frames are written to shared memory. Bytes that were returned are never overwritten. */
let slab = new BsonWriter(slabSize);

/** A frame that is being written, and its start in the writer's memory. */
interface Begun {
  readonly writer: BsonWriter;
  readonly start: number;
}

/** Starts a frame. It must be finished before the next one starts. */
const begin = (capacity: number, requestId: number, responseTo: number, opCode: number): Begun => {
  if (slab.length + capacity > slabSize) slab = new BsonWriter(slabSize);
  // A large frame gets its own memory.
  const writer = capacity > slabSize ? new BsonWriter(capacity) : slab;
  const start = writer.length;
  writer.int32(0);
  writer.int32(requestId);
  writer.int32(responseTo);
  writer.int32(opCode);
  return { writer, start };
};

const finish = ({ writer, start }: Begun): Uint8Array => {
  writer.view.setInt32(start, writer.length - start, true);
  return writer.bytes.subarray(start, writer.length);
};

export interface ReplyOptions {
  readonly requestId: number;
  readonly responseTo: number;
  readonly checksum: boolean;
  readonly more: boolean;
  /** The approximate size of the document in bytes. */
  readonly size: number;
}

/** Rule: OP_MSG. @throws CommandError 10334 for a large document */
export const writeMsg = (doc: Doc, { requestId, responseTo, checksum, more, size }: ReplyOptions): Uint8Array => {
  const frame = begin(size + 64, requestId, responseTo, opCodes.msg);
  const { writer } = frame;
  writer.int32((checksum ? checksumPresent : 0) | (more ? moreToCome : 0));
  writer.byte(0);
  writeDocument(writer, doc);
  if (!checksum) return finish(frame);
  writer.int32(0);
  const bytes = finish(frame);
  writer.view.setUint32(writer.length - 4, crc32c(bytes.subarray(0, -4)), true);
  return bytes;
};

const awaitCapable = 8;
const queryFailure = 2;

/**
 * Rule: OP_REPLY, the reply to OP_QUERY. `$err` marks a failure of the query itself.
 * @throws CommandError 10334 for a large document
 */
export const writeReply = (doc: Doc, requestId: number, responseTo: number): Uint8Array => {
  const frame = begin(512, requestId, responseTo, opCodes.reply);
  const { writer } = frame;
  writer.int32(doc.has('$err') ? awaitCapable | queryFailure : awaitCapable);
  writer.int64(0n);
  writer.int32(0);
  writer.int32(1);
  writeDocument(writer, doc);
  return finish(frame);
};

/** Writes an OP_COMPRESSED. The caller has compressed the part after the header. */
export const writeCompressed = (frame: Uint8Array, compressor: number, compressed: Uint8Array): Uint8Array => {
  const begun = begin(compressed.length + 32, readInt32(frame, 4), readInt32(frame, 8), opCodes.compressed);
  const { writer } = begun;
  writer.int32(readInt32(frame, 12));
  writer.int32(frame.length - headerSize);
  writer.byte(compressor);
  writer.raw(compressed);
  return finish(begun);
};

export interface Compressed {
  readonly originalOpCode: number;
  readonly size: number;
  readonly compressor: number;
  readonly bytes: Uint8Array;
}

export const readCompressed = ({ bytes }: Frame, limit: number): Compressed => {
  if (bytes.length < headerSize + 9) throw new FramingError('An OP_COMPRESSED ends before its fields.');
  const size = readInt32(bytes, headerSize + 4);
  if (size < 0 || size > limit) throw new FramingError(`An OP_COMPRESSED announces an invalid size of ${size} bytes.`);
  return {
    originalOpCode: readInt32(bytes, headerSize),
    size,
    compressor: bytes[headerSize + 8]!,
    bytes: bytes.subarray(headerSize + 9),
  };
};

/** Returns the decompressed frame. @throws FramingError unless its size is the announced one */
export const inflated = (frame: Frame, { originalOpCode, size }: Compressed, content: Uint8Array): Frame => {
  if (content.length !== size)
    throw new FramingError(`An OP_COMPRESSED announces ${size} bytes, but contains ${content.length}.`);
  const begun = begin(content.length + headerSize, frame.requestId, 0, originalOpCode);
  begun.writer.raw(content);
  return { requestId: frame.requestId, opCode: originalOpCode, bytes: finish(begun) };
};
