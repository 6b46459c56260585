import type { Entry, Value } from '@tessera/mql/engine';
import {
  Doc,
  detached,
  TimestampValue,
  fail,
  isDoc,
  readInt32,
  requirePlainId,
  typeName,
  valueLength,
} from '@tessera/mql/engine';
import { maxBatchBytes } from '@tessera/store';

/** The properties of a document that determine how it is prepared. */
interface Look {
  /** Whether its first field is `_id`, and no other field is. */
  readonly idFirst: boolean;
  /** Whether it has a Timestamp(0, 0) at the top level, which means the server's time. */
  readonly stamp: boolean;
}

const timestampType = 17;

/** Scans the types and names of the top-level fields. */
const look = (bytes: Uint8Array, start: number, end: number): Look => {
  let ids = 0;
  let idFirst = false;
  let stamp = false;
  for (let at = start + 4; at < end - 1;) {
    const type = bytes[at]!;
    const isId = bytes[at + 1] === 0x5f && bytes[at + 2] === 0x69 && bytes[at + 3] === 0x64 && bytes[at + 4] === 0;
    if (isId) {
      ids += 1;
      if (at === start + 4) idFirst = true;
    }
    let value = at + 1;
    while (bytes[value] !== 0) value += 1;
    value += 1;
    if (type === timestampType && !isId && readInt32(bytes, value) === 0 && readInt32(bytes, value + 4) === 0)
      stamp = true;
    at = value + valueLength(type, bytes, value);
  }
  if (ids > 1) throw fail('BadValue', "can't have multiple _id fields in one document");
  return { idFirst, stamp };
};

/** Checks the type of an `_id`. @throws CommandError 2, 52 */
const checkId = (id: Value): void => {
  const type = typeName(id);
  if (type === 'array' || type === 'regex' || type === 'undefined') {
    throw fail('BadValue', `can't use ${type === 'array' ? 'an' : 'a'} ${type} for _id`);
  }
  if (isDoc(id)) requirePlainId(id);
};

const isZero = (value: Value): boolean => value instanceof TimestampValue && value.t === 0 && value.i === 0;

const arranged = (doc: Doc, newId: () => Value, now: TimestampValue | undefined): Doc => {
  const id = doc.get('_id');
  const entries: Entry[] = [['_id', id === undefined ? newId() : id]];
  for (const [name, value] of doc)
    if (name !== '_id') entries.push([name, now !== undefined && isZero(value) ? now : value]);
  return Doc.of(entries);
};

/**
 * Returns the document as it is stored. `_id` comes first, and is generated if it is missing. Timestamp(0, 0) is
 * replaced by `now`, unless that is undefined.
 * @throws CommandError 2, 52 for a document that cannot be stored
 */
export const prepared = (doc: Doc, newId: () => Value, now: TimestampValue | undefined): Doc => {
  const { bytes, start, end } = doc.encoded();
  const { idFirst, stamp } = look(bytes, start, end);
  const ready = idFirst && (!stamp || now === undefined) ? doc : arranged(doc, newId, now);
  checkId(ready.get('_id')!);
  if (ready.byteLength > maxBatchBytes) {
    throw fail(
      'BadValue',
      `object to insert too large. size in bytes: ${ready.byteLength}, max size: ${maxBatchBytes}`,
    );
  }
  return ready;
};

/**
 * Small documents share pieces of memory, because a buffer of its own needs five times the size of a small document. A
 * piece is kept until none of its documents is, so it is small itself.
 */
const pieceSize = 2048;
const mostShared = 256;
let piece = new Uint8Array(0);
let used = 0;

/** Returns the memory for some bytes, and their place in it. */
const memoryFor = (length: number): { readonly memory: Uint8Array; readonly from: number } => {
  if (length > mostShared) return { memory: new Uint8Array(length), from: 0 };
  if (used + length > piece.length) [piece, used] = [new Uint8Array(pieceSize), 0];
  const from = used;
  used += length;
  return { memory: piece, from };
};

/** Copies documents into one buffer, so that they do not keep the request's buffer alive. */
export const copied = (docs: readonly Doc[]): readonly Doc[] => {
  let total = 0;
  for (const doc of docs) total += doc.byteLength;
  const { memory, from } = memoryFor(total);
  let at = from;
  return docs.map(doc => {
    const start = at;
    const { bytes } = doc;
    memory.set(bytes, start);
    at += bytes.length;
    return Doc.fromBytes(memory, start);
  });
};

/** Returns a document that does not keep the memory of others alive. */
export const kept = (doc: Doc): Doc => {
  const { bytes, start, end } = doc.encoded();
  if (end - start > mostShared) return detached(doc);
  const { memory, from } = memoryFor(end - start);
  for (let i = start; i < end; i++) memory[from + i - start] = bytes[i]!;
  return Doc.fromBytes(memory, from);
};
