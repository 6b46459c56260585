import type { Document, ObjectId, Raw } from '@tessera/contracts';
import type { CollectionShape } from '../shape.js';
import { writeDocument, writeObjectId, writeStraight } from './any.js';
import { checkRaw } from './raw.js';
import { Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';
import { start, stop, tree } from './state.js';
import { unknownKeys } from './straight-line.js';

/** Converts a refusal to the error that users see. Errors of user code stay unchanged. */
export const usageError = (error: unknown): unknown => (error instanceof Refusal ? error.usage() : error);

/** Runs a function that writes values. @throws MongoError `usage` */
export const writingWith = <T>(shape: CollectionShape, write: () => T): T => {
  start(shape.settings, shape.keys);
  try {
    return write();
  } catch (error) {
    throw usageError(error);
  } finally {
    stop();
  }
};

const room = (end: number): void => {
  if (end > capacity) grow(end);
};

const copyIn = (raw: Raw, at: number): number => {
  checkRaw(raw);
  room(at + raw.length + 64);
  bytes.set(raw, at);
  return at + raw.length;
};

const refuseRoot = (what: string): never => {
  throw new Refusal(`${what} is not a document`);
};

const checkRoot = (document: unknown): void => {
  if (document === null) refuseRoot('null');
  if (typeof document !== 'object') refuseRoot(`a value of type ${typeof document}`);
  if (Object.getPrototypeOf(document) === Object.prototype) return;
  if (Array.isArray(document)) refuseRoot('an array');
  if (document instanceof Date) refuseRoot('a Date');
  if (document instanceof RegExp) refuseRoot('a RegExp');
  if (document instanceof ArrayBuffer) refuseRoot('an ArrayBuffer');
  const type = (document as { _bsontype?: unknown })._bsontype;
  if (typeof type === 'string') refuseRoot(`a value of _bsontype ${type}`);
};

const isObject = (document: unknown): boolean => typeof document === 'object' && document !== null;

/** Writes a document or raw bytes, except the key `without`. */
const writeAny = (document: Document | Raw, at: number, without?: '_id'): number => {
  const place = tree?.top();
  if (isObject(document)) {
    const end = writeStraight(document, at, place, without !== undefined);
    if (end !== unknownKeys) return end;
  }
  if (document instanceof Uint8Array) return copyIn(document, at);
  checkRoot(document);
  return writeDocument(document, at, place, without);
};

/** Writes a whole document or its bytes. Returns where it ends. */
export const writeTop = (document: Document | Raw, at: number): number => writeAny(document, at);

/** Writes a whole document that starts with this `_id` and omits its own. */
export const writeTopWithId = (document: Document | Raw, at: number, id: ObjectId): number => {
  room(at + 64);
  // The document is written after room for the first element: a type, the key `_id` with its NUL, twelve bytes. The
  // document's first four bytes, its length, are then overwritten by that element.
  const behind = at + 17;
  const end = writeAny(document, behind, '_id');
  bytes[at + 4] = 7;
  numbers.setInt32(at + 5, 0x0064695f, true);
  writeObjectId(id, at + 4, at + 9);
  numbers.setInt32(at, end - at, true);
  return end;
};
