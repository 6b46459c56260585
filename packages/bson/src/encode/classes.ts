import { Binary, Code, Decimal128, MaxKey, MinKey, Timestamp, UUID } from '../values.js';
import { vectorProblem } from '../vector.js';
import type { KeyNode } from './key-node.js';
import { Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';
import { setSettings, settings } from './state.js';
import { writeCString, writeString } from './text.js';

/**
 * A value of npm `bson`, recognized by `_bsontype`, from this copy or any other copy or major version of the package.
 * Its content is read from the members that the version exposes.
 */
interface Foreign {
  readonly _bsontype: unknown;
  readonly [member: string]: unknown;
}

/** Writes a document that is part of a value. */
type WriteInner = (document: object, at: number, place: KeyNode | undefined) => number;

const hexDigits = /^[0-9a-f]{24}$/i;

const int64 = (low: unknown, high: unknown, at: number): number => {
  if (typeof low !== 'number' || typeof high !== 'number') throw new Refusal('its low and high halves are not numbers');
  numbers.setInt32(at, low, true);
  numbers.setInt32(at + 4, high, true);
  return at + 8;
};

/** Major versions before 5 call some halves `low_` and `high_`. */
const halves = (value: Foreign, at: number): number =>
  int64(value['low'] ?? value['low_'], value['high'] ?? value['high_'], at);

const objectId = (value: Foreign, at: number): number => {
  const id = value['id'] ?? value['buffer'];
  if (id instanceof Uint8Array && id.length === 12) {
    bytes.set(id, at);
    return at + 12;
  }
  const hex =
    typeof value['toHexString'] === 'function'
      ? String((value as unknown as { toHexString(): unknown }).toHexString())
      : '';
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
  const length = content instanceof Uint8Array ? content.length : 0;
  // A UUID of major version 4 has neither a position nor a subtype.
  return writeContent(content, value['position'] ?? length, value['sub_type'] ?? 4, at);
};

/** Writes the content of a Binary: the first `length` of these bytes. */
const writeContent = (content: unknown, length: unknown, subtype: unknown, at: number): number => {
  if (!(content instanceof Uint8Array) || typeof length !== 'number' || typeof subtype !== 'number') {
    throw new Refusal('it is a Binary without bytes');
  }
  const exact = content.length === length ? content : content.subarray(0, length);
  if (subtype === 9) {
    const problem = vectorProblem(exact);
    if (problem !== undefined) throw new Refusal(`it is a vector with ${problem}`);
  }
  return writeBinary(exact, subtype, at);
};

/** Writes the value of a binary and makes room for it. */
export const writeBinary = (content: Uint8Array, subtype: number, start: number): number => {
  const { length } = content;
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

export const writeDate = (value: Date, at: number): number => {
  const time = value.getTime();
  if (time !== time) throw new Refusal('it is an invalid Date');
  const high = Math.floor(time / 4294967296);
  numbers.setInt32(at, time - high * 4294967296, true);
  numbers.setInt32(at + 4, high, true);
  return at + 8;
};

/**
 * Writes a regular expression. The options are in the order of npm `bson`, not in alphabetical order, because the
 * server compares stored patterns by it.
 */
export const writeRegExp = (value: RegExp, at: number): number => {
  const options = (value.ignoreCase ? 'i' : '') + (value.global ? 's' : '') + (value.multiline ? 'm' : '');
  return writeCString(options, writeCString(value.source, at, 'its "pattern"'), 'its "options"');
};

const code = (value: Foreign, typeAt: number, at: number, place: KeyNode | undefined, write: WriteInner): number => {
  const source = String(value['code']);
  const scope = value['scope'];
  if (typeof scope !== 'object' || scope === null) {
    bytes[typeAt] = 13;
    return writeString(source, at);
  }
  bytes[typeAt] = 15;
  const end = write(scope, writeString(source, at + 4), place);
  numbers.setInt32(at, end - at, true);
  return end;
};

const alphabetic = (options: unknown): string => [...text(options ?? '', 'its "options"')].sort().join('');

const regularExpression = (value: Foreign, at: number): number =>
  writeCString(
    alphabetic(value['options']),
    writeCString(text(value['pattern'], 'its "pattern"'), at, 'its "pattern"'),
    'its "options"',
  );

/** Writes a DBRef. It keeps its member order, has no undefined members, and its keys are not checked. */
const dbRef = (value: Foreign, at: number, place: KeyNode | undefined, write: WriteInner): number => {
  const before = settings;
  const document = {
    $ref: value['collection'] ?? value['namespace'],
    $id: value['oid'],
    ...(value['db'] === undefined || value['db'] === null ? undefined : { $db: value['db'] }),
    ...(value['fields'] as object | undefined),
  };
  setSettings({ ...settings, checkKeys: false, ignoreUndefined: true });
  const end = write(document, at, place);
  setSettings(before);
  return end;
};

const dbPointer = (value: Foreign, at: number): number =>
  objectId(value['id'] as Foreign, writeString(text(value['namespace'], 'its "namespace"'), at));

const decimal128 = (content: unknown, at: number): number => {
  if (!(content instanceof Uint8Array) || content.length !== 16)
    throw new Refusal('it is a Decimal128 without 16 bytes');
  for (let i = 0; i < 16; i++) bytes[at + i] = content[i]!;
  return at + 16;
};

/**
 * The classes of this copy of npm `bson` and of the language, by prototype. Instances are recognized at once and are
 * known to be complete.
 */
const own: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  [Binary.prototype, 5],
  [UUID.prototype, 5],
  [Timestamp.prototype, 17],
  [Decimal128.prototype, 19],
  [Code.prototype, 13],
  [RegExp.prototype, 11],
  [MaxKey.prototype, 127],
  [MinKey.prototype, 255],
]);

/** Writes a value of one of those classes, and its type at `typeAt`. Returns where it ends, or -1 for other values. */
export const writeOwnClass = (
  prototype: unknown,
  value: object,
  typeAt: number,
  at: number,
  place: KeyNode | undefined,
  write: WriteInner,
): number => {
  const type = own.get(prototype);
  if (type === undefined) return -1;
  bytes[typeAt] = type;
  switch (type) {
    case 5: {
      const { buffer, position, sub_type } = value as Binary;
      return writeContent(buffer, position, sub_type, at);
    }
    case 11:
      return writeRegExp(value as RegExp, at);
    case 13:
      return code(value as unknown as Foreign, typeAt, at, place, write);
    case 17:
      numbers.setUint32(at, (value as Timestamp).i, true);
      numbers.setUint32(at + 4, (value as Timestamp).t, true);
      return at + 8;
    case 19:
      return decimal128((value as Decimal128).bytes, at);
    default:
      return at;
  }
};

/** Writes any value with a `_bsontype`, and its type at `typeAt`. Returns where it ends. */
export const writeClass = (
  object: object,
  typeAt: number,
  start: number,
  place: KeyNode | undefined,
  write: WriteInner,
): number => {
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
      return decimal128(value['bytes'], at);
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
      return code(value, typeAt, at, place, write);
    case 'BSONSymbol':
    case 'Symbol':
      bytes[typeAt] = 14;
      return writeString(text(value['value'], 'its "value"'), at);
    case 'BSONRegExp':
      bytes[typeAt] = 11;
      return regularExpression(value, at);
    case 'DBRef':
      bytes[typeAt] = 3;
      return dbRef(value, at, place, write);
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
