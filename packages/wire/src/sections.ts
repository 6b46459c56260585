import { int32, protocolError, setInt32 } from './frame.js';

/** One document sequence: its position, and the bytes of its name without the NUL. */
interface Sequence {
  readonly name: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/**
 * The maximum number of document sequences. Commands have at most two and replies none. The limit bounds the comparison
 * of each name with all others.
 */
const MOST_SEQUENCES = 64;

/** The smallest BSON document: its length and a NUL. */
const EMPTY = 5;

/** Checks that a document starts here, and returns its end. */
const endOfDocument = (bytes: Uint8Array, at: number, end: number): number => {
  const length = end - at < EMPTY ? -1 : int32(bytes, at);
  if (length < EMPTY || length > end - at || bytes[at + length - 1] !== 0) {
    throw protocolError(`OP_MSG: invalid document length ${length} at byte ${at} (${end - at} bytes are left).`);
  }
  return at + length;
};

const sequence = (bytes: Uint8Array, at: number, end: number): Sequence => {
  const size = end - at < 4 ? -1 : int32(bytes, at);
  const nameEnd = bytes.indexOf(0, at + 4);
  if (size < 5 || size > end - at || nameEnd < 0 || nameEnd >= at + size) {
    throw protocolError(`OP_MSG: invalid document sequence size ${size} at byte ${at} (${end - at} bytes are left).`);
  }
  let count = 0;
  for (let p = nameEnd + 1; p < at + size; count++) p = endOfDocument(bytes, p, at + size);
  return { name: bytes.subarray(at + 4, nameEnd), start: nameEnd + 1, end: at + size, count };
};

const sameName = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Writes the key of an array element: a decimal index and a NUL. Returns its end. */
const putIndex = (bytes: Uint8Array, at: number, index: number): number => {
  const digits = String(index);
  for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i);
  bytes[at + digits.length] = 0;
  return at + digits.length + 1;
};

/** Returns the body with each sequence appended as an array under the sequence's name. */
const merge = (bytes: Uint8Array, bodyStart: number, bodyEnd: number, sequences: readonly Sequence[]): Uint8Array => {
  let room = bodyEnd - bodyStart;
  // Per array: type, name, NUL, length, final NUL. Per document: type, at most ten digits, NUL.
  for (const s of sequences) room += s.name.length + 7 + (s.end - s.start) + s.count * 12;
  const out = new Uint8Array(room);
  out.set(bytes.subarray(bodyStart, bodyEnd - 1));
  let at = bodyEnd - bodyStart - 1;
  for (const s of sequences) {
    out[at] = 4;
    out.set(s.name, at + 1);
    const array = (at += s.name.length + 2);
    at += 4;
    for (let p = s.start, index = 0; p < s.end; index++) {
      out[at] = 3;
      at = putIndex(out, at + 1, index);
      const next = p + int32(bytes, p);
      out.set(bytes.subarray(p, next), at);
      at += next - p;
      p = next;
    }
    out[at++] = 0;
    setInt32(out, array, at - array);
  }
  out[at++] = 0;
  setInt32(out, 0, at);
  return out.subarray(0, at);
};

/**
 * Merges sections in any order into one document. Without sequences, this is the body itself.
 * @throws MongoError `protocol` unless there is exactly one body, every kind is known and every name is used once.
 * Rule: OP_MSG, "sections".
 */
export const mergeSections = (bytes: Uint8Array, start: number, end: number): Uint8Array => {
  let bodyStart = -1;
  let bodyEnd = -1;
  const sequences: Sequence[] = [];
  for (let at = start; at < end;) {
    const kind = bytes[at];
    if (kind === 0) {
      if (bodyStart >= 0) throw protocolError('OP_MSG: the message has two sections of kind 0 instead of one.');
      bodyStart = at + 1;
      at = bodyEnd = endOfDocument(bytes, bodyStart, end);
    } else if (kind === 1) {
      const found = sequence(bytes, at + 1, end);
      if (sequences.some(({ name }) => sameName(name, found.name))) {
        throw protocolError('OP_MSG: two document sequences have the same name.');
      }
      if (sequences.length === MOST_SEQUENCES) {
        throw protocolError(`OP_MSG: the message has more than ${MOST_SEQUENCES} document sequences.`);
      }
      sequences.push(found);
      at = found.end;
    } else {
      throw protocolError(`OP_MSG: unknown section kind ${kind}: expected 0 or 1.`);
    }
  }
  if (bodyStart < 0) throw protocolError('OP_MSG: the message has no section of kind 0.');
  return sequences.length === 0 ? bytes.subarray(bodyStart, bodyEnd) : merge(bytes, bodyStart, bodyEnd, sequences);
};
