import { fail } from '../errors.js';
import { Doc, readInt32 } from './doc.js';

/** The maximum nesting depth of documents and arrays. mongod: BSONDepth::kDefaultMaxAllowableDepth. */
export const maxDepth = 200;

const invalid = (what: string): Error => fail('InvalidBSON', `Invalid BSON: ${what}`);

const endOfText = (bytes: Uint8Array, at: number, end: number): number => {
  const zero = bytes.indexOf(0, at);
  if (zero === -1 || zero >= end) throw invalid('a name or text does not end inside its document');
  return zero;
};

const checkString = (bytes: Uint8Array, at: number, end: number): number => {
  if (end - at < 5) throw invalid('a string does not fit into its document');
  const length = readInt32(bytes, at);
  const after = at + 4 + length;
  if (length < 1 || after > end) throw invalid(`a string of ${length} bytes does not fit into its document`);
  if (bytes[after - 1] !== 0) throw invalid('a string does not end with NUL');
  return after;
};

const checkBinary = (bytes: Uint8Array, at: number, end: number): number => {
  if (end - at < 5) throw invalid('a binary does not fit into its document');
  const length = readInt32(bytes, at);
  if (length < 0 || at + 5 + length > end) throw invalid(`a binary of ${length} bytes does not fit into its document`);
  if (bytes[at + 4] === 2 && (length < 4 || readInt32(bytes, at + 5) !== length - 4)) {
    throw invalid('a binary of subtype 2 does not repeat its length');
  }
  return at + 5 + length;
};

const checkCodeWithScope = (bytes: Uint8Array, at: number, end: number, depth: number): number => {
  if (end - at < 14) throw invalid('a code with scope does not fit into its document');
  const after = at + readInt32(bytes, at);
  if (after < at + 14 || after > end) throw invalid('a code with scope does not fit into its document');
  const scope = checkString(bytes, at + 4, after);
  if (checkDocument(bytes, scope, after, depth + 1) !== after) throw invalid('a code with scope has a wrong length');
  return after;
};

const fixed = (at: number, length: number, end: number): number => {
  if (at + length > end) throw invalid('a value does not fit into its document');
  return at + length;
};

const checkValue = (type: number, bytes: Uint8Array, at: number, end: number, depth: number): number => {
  switch (type) {
    case 1:
    case 9:
    case 17:
    case 18:
      return fixed(at, 8, end);
    case 2:
    case 13:
    case 14:
      return checkString(bytes, at, end);
    case 3:
    case 4:
      return checkDocument(bytes, at, end, depth + 1);
    case 5:
      return checkBinary(bytes, at, end);
    case 7:
      return fixed(at, 12, end);
    case 8: {
      const after = fixed(at, 1, end);
      if (bytes[at]! > 1) throw invalid('a boolean is neither 0 nor 1');
      return after;
    }
    case 11:
      return endOfText(bytes, endOfText(bytes, at, end) + 1, end) + 1;
    case 12:
      return fixed(checkString(bytes, at, end), 12, end);
    case 15:
      return checkCodeWithScope(bytes, at, end, depth);
    case 16:
      return fixed(at, 4, end);
    case 19:
      return fixed(at, 16, end);
    case 6:
    case 10:
    case 127:
    case 255:
      return at;
    default:
      throw invalid(`unknown type ${type}`);
  }
};

const checkDocument = (bytes: Uint8Array, start: number, limit: number, depth: number): number => {
  if (depth > maxDepth) throw fail('Overflow', `BSONObj exceeds maximum nested object depth: ${maxDepth}`);
  if (limit - start < 5) throw invalid('a document does not fit into its surroundings');
  const length = readInt32(bytes, start);
  const end = start + length - 1;
  if (length < 5 || start + length > limit) throw invalid(`a document says it has ${length} bytes`);
  if (bytes[end] !== 0) throw invalid('a document does not end with NUL');
  let at = start + 4;
  while (at < end) {
    const type = bytes[at]!;
    let name = at + 1;
    while (bytes[name] !== 0) name++;
    if (name >= end) throw invalid('a name does not end inside its document');
    at = checkValue(type, bytes, name + 1, end, depth);
  }
  if (at !== end) throw invalid('the last value does not end where its document ends');
  return start + length;
};

/**
 * Validates the document that starts at the offset: lengths, types, terminators and nesting depth.
 * @returns the offset of the document's end
 * @throws CommandError 22 InvalidBSON, or 15 Overflow if documents are nested deeper than 200 levels
 */
export const validate = (bytes: Uint8Array, start = 0, limit: number = bytes.length): number =>
  checkDocument(bytes, start, limit, 1);

/**
 * Validates bytes that hold exactly one document and returns the document. Its fields are read lazily, so the bytes
 * must not change.
 * @throws CommandError as {@link validate}, also if bytes follow the document
 */
export const decode = (bytes: Uint8Array): Doc => {
  if (validate(bytes) !== bytes.length) throw invalid('bytes are left over after the document');
  return Doc.fromBytes(bytes);
};

export const encode = (doc: Doc): Uint8Array => doc.bytes;

/** Returns a copy of the document whose nested documents do not refer to a larger buffer. */
export const detached = (doc: Doc): Doc => {
  const { bytes, start, end } = doc.encoded();
  if (end - start === bytes.buffer.byteLength) return doc.view();
  return Doc.fromBytes(bytes.slice(start, end));
};
