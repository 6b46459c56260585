import { Double, Int32, Long, ObjectId } from '../values.js';
import { writeBinary, writeClass, writeDate, writeOwnClass, writeRegExp } from './classes.js';
import type { StraightLine } from './key-node.js';
import { KeyNode } from './key-node.js';
import { mark } from './key-tree.js';
import { Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';
import { enter, leave, settings, tree } from './state.js';
import { unknownKeys, type Writers } from './straight-line.js';
import { textRoom, writeName, writeString, writeText } from './text.js';

/*
 * Writes values of any type. Every function takes the offset to start at and returns the offset after the value, or a
 * negative number if nothing is written. The caller says where the type byte goes, because the key lies between the
 * type and the value. A function that writes a key reserves room for the key and 64 more bytes, which is enough for
 * every value of fixed size.
 *
 * `walk` writes plain objects. It expects the keys of the previous document at the same place and has them ready as
 * words. `writeMembers` writes all other objects. User code may run at any read of a member. It may change anything
 * except the slab, which is restored before the user code returns.
 */

/** Nothing is written: an ignored `undefined` (which becomes null in an array), or a function. */
const nothing = -1;
const noElement = -2;

/** The root node of the documents below a node. */
type Place = KeyNode | undefined;

interface WithToBSON {
  toBSON?: unknown;
}

/**
 * The name is in a variable because the member is read from objects of every class. After very many hidden classes, the
 * engine finds such members three times faster than members named in the code.
 */
const toBSON: 'toBSON' = 'toBSON' as const;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

const hasToBSON = (value: object): boolean => (value as WithToBSON)[toBSON] !== undefined;

/** Adds the key of the value to the path of a refusal. Other errors stay unchanged. */
const under = (error: unknown, key: string, value: unknown): unknown =>
  error instanceof Refusal ? error.under(key, value) : error;

/** Returns the result of the value's `toBSON`, or the value if it has none. */
const callToBSON = (value: unknown): unknown =>
  value !== null && value !== undefined && typeof (value as WithToBSON).toBSON === 'function'
    ? (value as { toBSON(): unknown }).toBSON()
    : value;

/** Calls the `toBSON` of a primitive whose prototype has one. Objects are handled where they are written. */
const primitiveToBSON = (value: unknown): unknown =>
  (typeof value === 'object' && value !== null) || typeof value === 'function' ? value : callToBSON(value);

/** Writes a value of any type. Plain documents in it are learned at this place. */
const writeValue = (value: unknown, typeAt: number, at: number, place: Place): number => {
  switch (typeof value) {
    case 'string':
      bytes[typeAt] = 2;
      return writeString(value, at);
    case 'number':
      if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
        bytes[typeAt] = 16;
        numbers.setInt32(at, value, true);
        return at + 4;
      }
      bytes[typeAt] = 1;
      numbers.setFloat64(at, value, true);
      return at + 8;
    case 'boolean':
      bytes[typeAt] = 8;
      bytes[at] = value ? 1 : 0;
      return at + 1;
    case 'object':
      if (value !== null) return writeObject(value, typeAt, at, place);
      bytes[typeAt] = 10;
      return at;
    case 'bigint':
      if (value < minInt64 || value > maxInt64) throw new Refusal('it is a bigint of more than 64 bits');
      bytes[typeAt] = 18;
      numbers.setBigInt64(at, value, true);
      return at + 8;
    case 'undefined':
      if (settings.ignoreUndefined) return nothing;
      bytes[typeAt] = 10;
      return at;
    case 'function':
      if ((value as WithToBSON).toBSON !== undefined) return writeToBSON(value, typeAt, at, place);
      return writeFunction(value, typeAt, at);
    case 'symbol':
      throw new Refusal('BSON has no type for a Symbol');
  }
};

const writeFunction = (value: unknown, typeAt: number, at: number): number => {
  if (!settings.serializeFunctions) return noElement;
  bytes[typeAt] = 13;
  return writeString(String(value), at);
};

/** Writes the result of the value's `toBSON`. As in npm `bson`, the `toBSON` of that result is called once more. */
const writeToBSON = (value: unknown, typeAt: number, at: number, place: Place): number => {
  const wanted = callToBSON(value);
  if (typeof wanted === 'function') return writeFunction(wanted, typeAt, at);
  if (typeof wanted !== 'object' || wanted === null) return writeValue(wanted, typeAt, at, place);
  return (wanted as WithToBSON).toBSON === undefined
    ? writeObject(wanted, typeAt, at, place)
    : writeOther(wanted, typeAt, at, place);
};

const writeObject = (value: object, typeAt: number, at: number, place: Place): number => {
  // Arrays are not written by straight-line functions, which must see only one prototype per hidden class to stay fast.
  const isArray = Array.isArray(value);
  const known = isArray ? unknownKeys : writeStraight(value, at, place);
  if (known !== unknownKeys) {
    bytes[typeAt] = 3;
    return known;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (hasToBSON(value)) return writeToBSON(value, typeAt, at, place);
  if (prototype === Object.prototype && tree !== undefined) {
    bytes[typeAt] = 3;
    return walk(value, at, place);
  }
  if (isArray) {
    bytes[typeAt] = 4;
    return writeArray(value, at, place);
  }
  if (prototype === ObjectId.prototype) {
    bytes[typeAt] = 7;
    return writeObjectId(value as ObjectId, typeAt, at);
  }
  if (prototype === Date.prototype) {
    bytes[typeAt] = 9;
    return writeDate(value as Date, at);
  }
  if (prototype === Long.prototype) {
    bytes[typeAt] = 18;
    numbers.setInt32(at, (value as Long).low, true);
    numbers.setInt32(at + 4, (value as Long).high, true);
    return at + 8;
  }
  if (prototype === Double.prototype) {
    bytes[typeAt] = 1;
    numbers.setFloat64(at, (value as Double).value, true);
    return at + 8;
  }
  if (prototype === Int32.prototype) {
    bytes[typeAt] = 16;
    numbers.setInt32(at, (value as Int32).value, true);
    return at + 4;
  }
  const end = writeOwnClass(prototype, value, typeAt, at, place, writeInner);
  return end === -1 ? writeOther(value, typeAt, at, place) : end;
};

/** The layout of an ObjectId in npm `bson` 7.3 and later: its bytes as four 24-bit numbers. */
interface InPlaceId {
  readonly i0: unknown;
  readonly i1: unknown;
  readonly i2: unknown;
  readonly i3: unknown;
}

/** Writes an ObjectId of any copy of the package, including its type. */
export const writeObjectId = (id: ObjectId, typeAt: number, at: number): number => {
  const { i0, i1, i2, i3 } = id as unknown as InPlaceId;
  if (typeof i0 !== 'number' || typeof i1 !== 'number' || typeof i2 !== 'number' || typeof i3 !== 'number') {
    return writeClass(id, typeAt, at, undefined, writeInner);
  }
  numbers.setInt32(at, (i0 << 8) | (i1 >>> 16), false);
  numbers.setInt32(at + 4, (i1 << 16) | (i2 >>> 8), false);
  numbers.setInt32(at + 8, (i2 << 24) | i3, false);
  return at + 12;
};

const tagOf = (value: object): string => Object.prototype.toString.call(value);

/** Whether the object is not an instance of a class, in this realm or another. */
const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Writes an object whose `toBSON` was already called: a BSON value, a built-in of any realm, or another object. */
const writeOther = (value: object, typeAt: number, at: number, place: Place): number => {
  const type = (value as { _bsontype?: unknown })._bsontype;
  if (type !== undefined && type !== null) {
    // A plain document from outside must not become a BSON value because of one of its keys: values are instances of a
    // class.
    if (isPlain(value))
      throw new Refusal('it has a key "_bsontype", which is reserved for values of the "bson" package');
    return writeClass(value, typeAt, at, place, writeInner);
  }
  if (Array.isArray(value)) {
    bytes[typeAt] = 4;
    return writeArray(value, at, place);
  }
  const tag = tagOf(value);
  if (value instanceof Date || tag === '[object Date]') {
    bytes[typeAt] = 9;
    return writeDate(value as Date, at);
  }
  if (value instanceof Uint8Array || tag === '[object Uint8Array]') {
    bytes[typeAt] = 5;
    return writeBinary(value as Uint8Array, 0, at);
  }
  if (value instanceof RegExp || tag === '[object RegExp]') {
    bytes[typeAt] = 11;
    return writeRegExp(value as RegExp, at);
  }
  bytes[typeAt] = 3;
  return writeMembers(value, at, place, undefined);
};

/** The keys of array items, created on demand. */
const indexes: KeyNode[] = [];
const mostIndexes = 1000;

const indexAt = (i: number): KeyNode => (indexes[i] ??= new KeyNode(String(i), undefined));

const writeArray = (items: readonly unknown[], start: number, place: Place): number => {
  enter(items);
  let at = start + 4;
  let i = 0;
  try {
    for (; i < items.length; i++) {
      if (at + 96 > capacity) grow(at + 96);
      const value = tree === undefined ? primitiveToBSON(items[i]) : items[i];
      let valueAt: number;
      if (i < mostIndexes) {
        const index = i < indexes.length ? indexes[i]! : indexAt(i);
        numbers.setInt32(at + 1, index.first, true);
        valueAt = at + 1 + index.size;
      } else valueAt = writeText(`${String(i)}\0`, at + 1);
      const end = writeValue(value, at, valueAt, place);
      if (end >= 0) at = end;
      else if (end === nothing) {
        bytes[at] = 10;
        at = valueAt;
      }
    }
  } catch (error) {
    throw under(error, String(i), items[i]);
  }
  leave(items);
  return finish(start, at);
};

const finish = (start: number, at: number): number => {
  if (at + 96 > capacity) grow(at + 96);
  bytes[at] = 0;
  numbers.setInt32(start, at + 1 - start, true);
  return at + 1;
};

/** Writes a plain object. */
const walk = (object: object, start: number, place: Place): number => {
  enter(object);
  if (start + 96 > capacity) grow(start + 96);
  const end =
    place === undefined ? writeOwn(object, start + 4, undefined, undefined) : walkMembers(object, start + 4, place);
  leave(object);
  return finish(start, end);
};

/** Writes a document with a straight-line function of this place, if any. With `idless`, only without an `_id`. */
export const writeStraight = (object: object, start: number, place: Place, idless: boolean = false): number => {
  if (place?.straight === undefined || tree === undefined) return unknownKeys;
  enter(object);
  let end = writeBy(place.straight, object, start, idless);
  if (end === unknownKeys) end = writeBy(otherLine(object, place), object, start, idless);
  leave(object);
  return end === unknownKeys ? unknownKeys : finish(start, end);
};

const writeBy = (line: StraightLine | undefined, object: object, start: number, idless: boolean): number =>
  line === undefined || (idless && line.hasId) ? unknownKeys : line.write(object, start + 4);

/** Returns another straight-line function of this place that fits the object. */
const otherLine = (object: object, place: KeyNode): StraightLine | undefined => {
  if (Object.getPrototypeOf(object) !== Object.prototype) return undefined;
  let node: KeyNode | undefined = place;
  for (const key of Object.keys(object)) {
    node = node.next?.key === key ? node.next : node.kids?.get(key);
    if (node === undefined) return undefined;
  }
  if (node.straight === undefined || node.straight === place.straight) return undefined;
  place.straight = node.straight;
  return node.straight;
};

/** Writes the object's enumerable members. All of them are its own: see `isPatched`. */
const walkMembers = (object: object, start: number, place: KeyNode): number => {
  let at = start;
  let node = place;
  let learning = true;
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key];
    if (learning) {
      let found = node.next;
      if (found?.key !== key) found = tree!.follow(node, key);
      if (found !== undefined) {
        node = found;
        at = writeMember(value, node, at);
        continue;
      }
      learning = false;
    }
    at = writeUnlearned(key, value, at, (node.beyond ??= new KeyNode('', undefined)));
  }
  if (learning) tree!.ended(node, place, object, writers);
  return at;
};

const checkMark = (key: string, value: unknown): void => {
  if (key === mark && value !== undefined && value !== null)
    throw new Refusal('this key is reserved for values of the "bson" package');
};

const writeUnlearned = (key: string, value: unknown, at: number, place: Place): number => {
  try {
    checkMark(key, value);
    return writeElement(key, value, at, place);
  } catch (error) {
    throw under(error, key, value);
  }
};

/** Writes a member whose key is learned. */
const writeMember = (value: unknown, node: KeyNode, at: number): number => {
  const valueAt = at + 1 + node.size;
  if (valueAt + 96 > capacity) grow(valueAt + 96);
  writeKey(node, at + 1);
  if (typeof value === 'string') {
    bytes[at] = 2;
    return writeString(value, valueAt);
  }
  if (typeof value === 'number') {
    if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
      bytes[at] = 16;
      numbers.setInt32(valueAt, value, true);
      return valueAt + 4;
    }
    bytes[at] = 1;
    numbers.setFloat64(valueAt, value, true);
    return valueAt + 8;
  }
  if (typeof value === 'boolean') {
    bytes[at] = 8;
    bytes[valueAt] = value ? 1 : 0;
    return valueAt + 1;
  }
  if (value === null) {
    bytes[at] = 10;
    return valueAt;
  }
  return writeOtherMember(value, node, at, valueAt);
};

const writeOtherMember = (value: unknown, node: KeyNode, at: number, valueAt: number): number => {
  try {
    const place = (node.place ??= new KeyNode('', undefined));
    const end =
      typeof value === 'object' && value !== null
        ? writeObject(value, at, valueAt, place)
        : writeValue(value, at, valueAt, place);
    return end < 0 ? at : end;
  } catch (error) {
    throw under(error, node.key, value);
  }
};

const writeKnownMember = (value: object, node: KeyNode, typeAt: number, at: number): number => {
  try {
    return writeOwnClass(Object.getPrototypeOf(value), value, typeAt, at, node.place, writeInner);
  } catch (error) {
    throw under(error, node.key, value);
  }
};

const writeArrayMember = (items: readonly unknown[], node: KeyNode, at: number): number => {
  try {
    return writeArray(items, at, (node.place ??= new KeyNode('', undefined)));
  } catch (error) {
    throw under(error, node.key, items);
  }
};

const writers: Writers = {
  writeString,
  writeArray: writeArrayMember,
  writeObjectId,
  writeKnown: writeKnownMember,
  writeOther: writeOtherMember,
  grow,
};

const writeKey = (node: KeyNode, at: number): void => {
  const view = numbers;
  const { count } = node;
  view.setInt32(at, node.first, true);
  if (count === 1) return;
  view.setInt32(at + 4, node.second, true);
  if (count === 2) return;
  view.setInt32(at + 8, node.third, true);
  if (count === 3) return;
  const { words } = node;
  for (let i = 3; i < count; i++) view.setInt32(at + i * 4, words[i]!, true);
};

const checkOption = (key: string): void => {
  if (key === '$db' || key === '$ref' || key === '$id' || key === '$clusterTime') return;
  if (key.charCodeAt(0) === 36) throw new Refusal('its key starts with "$", and checkKeys is set');
  if (key.includes('.')) throw new Refusal('its key contains ".", and checkKeys is set');
};

/** Writes a key and makes room for the value. Returns the offset of the value. {@link writeValue} writes the type. */
export const writeLooseKey = (key: string, at: number): number => {
  textRoom(key, at + 64);
  return writeName(key, at + 1);
};

/** Writes one element with any key. Returns the same offset if there is nothing to write. */
export const writeElement = (key: string, given: unknown, at: number, place: Place): number => {
  const value = tree === undefined ? primitiveToBSON(given) : given;
  if (settings.checkKeys) checkOption(key);
  const end = writeValue(value, at, writeLooseKey(key, at), place);
  return end < 0 ? at : end;
};

const isMap = (object: object): object is Map<unknown, unknown> =>
  object instanceof Map || tagOf(object) === '[object Map]';

/** Writes an object's own members one by one, except the key `without`. */
const writeOwn = (object: object, start: number, place: Place, without: string | undefined): number => {
  const keys = Object.keys(object);
  let at = start;
  let i = 0;
  let value: unknown;
  try {
    for (; i < keys.length; i++) {
      const key = keys[i]!;
      if (key === without) continue;
      value = (object as Record<string, unknown>)[key];
      at = writeElement(key, value, at, place);
    }
  } catch (error) {
    throw under(error, keys[i]!, value);
  }
  return at;
};

const writeMap = (
  map: ReadonlyMap<unknown, unknown>,
  start: number,
  place: Place,
  without: string | undefined,
): number => {
  let at = start;
  for (const [key, value] of map) {
    if (typeof key !== 'string') throw new Refusal('it is a Map with a key that is not a string');
    if (key !== without) at = writeUnlearned(key, value, at, place);
  }
  return at;
};

/** Writes any object, except the key `without`. */
const writeMembers = (object: object, start: number, place: Place, without: string | undefined): number => {
  enter(object);
  if (start + 96 > capacity) grow(start + 96);
  let end: number;
  if (isMap(object)) end = writeMap(object, start + 4, place, without);
  else {
    const members = callToBSON(object);
    if (typeof members !== 'object' || members === null)
      throw new Refusal('its toBSON method did not return an object');
    end = writeOwn(members, start + 4, place, without);
  }
  leave(object);
  return finish(start, end);
};

/** Writes a document of any class, learned at this place. */
const writeInner = (document: object, start: number, place: Place): number => {
  const end = writeStraight(document, start, place);
  return end === unknownKeys ? writeDocument(document, start, place) : end;
};

/** Writes a document that fits no straight-line function and is not a BSON value, except the key `without`. */
export const writeDocument = (document: object, start: number, place: Place, without?: string): number => {
  const isPlain = Object.getPrototypeOf(document) === Object.prototype && !hasToBSON(document);
  if (isPlain && tree !== undefined && (without === undefined || !Object.hasOwn(document, without)))
    return walk(document, start, place);
  return writeMembers(document, start, without === undefined ? place : tree?.aside(), without);
};
