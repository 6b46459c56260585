import { vectorProblem } from '../vector.js';
import { writeDocument } from './document.js';
import { Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';
import { setSettings, settings } from './state.js';
import { writeCString, writeString } from './text.js';

/**
 * Values of npm `bson`, told by `_bsontype`: those of this copy and of any other copy or major version of the package,
 * by whatever of their contents each of them exposes.
 */
interface Foreign {
  readonly _bsontype: unknown;
  readonly [member: string]: unknown;
}

const hexDigits = /^[0-9a-f]{24}$/i;

const int64 = (low: unknown, high: unknown, at: number): number => {
  if (typeof low !== 'number' || typeof high !== 'number') throw new Refusal('it has no two halves of 64 bits');
  numbers.setInt32(at, low, true);
  numbers.setInt32(at + 4, high, true);
  return at + 8;
};

/** Majors before 5 call the halves `low_` and `high_` in part. */
const halves = (value: Foreign, at: number): number =>
  int64(value['low'] ?? value['low_'], value['high'] ?? value['high_'], at);

const objectId = (value: Foreign, at: number): number => {
  const id = value['id'] ?? value['buffer'];
  if (id instanceof Uint8Array && id.length === 12) {
    bytes.set(id, at);
    return at + 12;
  }
  const hex = typeof value['toHexString'] === 'function' ? String((value as unknown as { toHexString(): unknown }).toHexString()) : '';
  if (!hexDigits.test(hex)) throw new Refusal('it is an ObjectId without 12 bytes');
  for (let i = 0; i < 12; i++) bytes[at + i] = parseInt(hex.slice(i * 2, i * 2 + 2), 16);
  return at + 12;
};

const number = (value: Foreign): number => {
  const inner = value['value'];
  if (typeof inner !== 'number') throw new Refusal(`it is a ${String(value._bsontype)} without a number`);
  return inner;
};

const text = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new Refusal(`${what} is not a string`);
  return value;
};

const binary = (value: Foreign, at: number): number => {
  const content = value['buffer'] ?? value['id'];
  const position = value['position'] ?? (content instanceof Uint8Array ? content.length : 0);
  const subtype = value['sub_type'] ?? 4; // UUID of major 4 has neither
  if (!(content instanceof Uint8Array) || typeof position !== 'number' || typeof subtype !== 'number') {
    throw new Refusal('it is a Binary without bytes');
  }
  const own = content.length === position ? content : content.subarray(0, position);
  if (subtype === 9) {
    const problem = vectorProblem(own);
    if (problem !== undefined) throw new Refusal(`it is a vector with ${problem}`);
  }
  return writeBinary(own, subtype, at);
};

/** The value of a binary; makes the room. */
export const writeBinary = (content: Uint8Array, subtype: number, start: number): number => {
  const length = content.length;
  if (start + length + 96 > capacity) grow(start + length + 96);
  let at = start;
  numbers.setInt32(at, subtype === 2 ? length + 4 : length, true);
  bytes[at + 4] = subtype;
  at += 5;
  if (subtype === 2) {
    numbers.setInt32(at, length, true);
    at += 4;
  }
  if (length <= 32) for (let i = 0; i < length; i++) bytes[at + i] = content[i]!;
  else bytes.set(content, at);
  return at + length;
};

const code = (value: Foreign, typeAt: number, at: number): number => {
  const source = String(value['code']);
  const scope = value['scope'];
  if (typeof scope !== 'object' || scope === null) {
    bytes[typeAt] = 13;
    return writeString(source, at);
  }
  bytes[typeAt] = 15;
  const end = writeDocument(scope, writeString(source, at + 4));
  numbers.setInt32(at, end - at, true);
  return end;
};

const alphabetic = (options: unknown): string => [...text(options ?? '', 'its options')].sort().join('');

const regularExpression = (value: Foreign, at: number): number =>
  writeCString(alphabetic(value['options']), writeCString(text(value['pattern'], 'its pattern'), at, 'its pattern'), 'its options');

/** A DBRef keeps its order, has no undefined members, and its keys are not checked. */
const dbRef = (value: Foreign, at: number): number => {
  const before = settings;
  const document = {
    $ref: value['collection'] ?? value['namespace'],
    $id: value['oid'],
    ...(value['db'] === undefined || value['db'] === null ? undefined : { $db: value['db'] }),
    ...(value['fields'] as object | undefined),
  };
  setSettings({ ...settings, checkKeys: false, ignoreUndefined: true });
  const end = writeDocument(document, at);
  setSettings(before);
  return end;
};

const dbPointer = (value: Foreign, at: number): number =>
  objectId(value['id'] as Foreign, writeString(text(value['namespace'], 'its namespace'), at));

const decimal128 = (value: Foreign, at: number): number => {
  const own = value['bytes'];
  if (!(own instanceof Uint8Array) || own.length !== 16) throw new Refusal('it is a Decimal128 without 16 bytes');
  bytes.set(own, at);
  return at + 16;
};

/** Any value with a `_bsontype`. Answers where it ends; its type goes to `typeAt`. */
export const writeClass = (object: object, typeAt: number, start: number): number => {
  const value = object as Foreign;
  const at = start;
  switch (value._bsontype) {
    case 'ObjectId':
    case 'ObjectID':
      bytes[typeAt] = 7;
      return objectId(value, at);
    case 'Long':
      bytes[typeAt] = 18;
      return halves(value, at);
    case 'Timestamp':
      bytes[typeAt] = 17;
      return halves(value, at);
    case 'Double':
      bytes[typeAt] = 1;
      numbers.setFloat64(at, number(value), true);
      return at + 8;
    case 'Int32':
      bytes[typeAt] = 16;
      numbers.setInt32(at, number(value), true);
      return at + 4;
    case 'Decimal128':
      bytes[typeAt] = 19;
      return decimal128(value, at);
    case 'Binary':
    case 'UUID':
      bytes[typeAt] = 5;
      return binary(value, at);
    case 'MinKey':
      bytes[typeAt] = 255;
      return at;
    case 'MaxKey':
      bytes[typeAt] = 127;
      return at;
    case 'Code':
      return code(value, typeAt, at);
    case 'BSONSymbol':
    case 'Symbol':
      bytes[typeAt] = 14;
      return writeString(text(value['value'], 'its value'), at);
    case 'BSONRegExp':
      bytes[typeAt] = 11;
      return regularExpression(value, at);
    case 'DBRef':
      bytes[typeAt] = 3;
      return dbRef(value, at);
    case 'DBPointer':
      bytes[typeAt] = 12;
      return dbPointer(value, at);
    case 'BSONUndefined':
      bytes[typeAt] = 6;
      return at;
    default:
      throw new Refusal(`it has the unknown _bsontype ${String(value._bsontype)}`);
  }
};
