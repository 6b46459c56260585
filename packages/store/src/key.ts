import type {
  BinaryValue,
  CodeValue,
  StringKeys,
  DBPointerValue,
  DateValue,
  Doc,
  NumberValue,
  ObjectIdValue,
  RegexValue,
  SymbolValue,
  TimestampValue,
  Value,
} from '@tessera/mql/engine';
import { Decimal, Double, compareNumbers, rankOf } from '@tessera/mql/engine';

/**
 * Keys of index entries. They are strings whose order by code units is MongoDB's order of the values. Two keys are
 * equal exactly if the values are. No key is a prefix of another, so the keys of several fields can be concatenated.
 */

/** A suffix above every key with a prefix: the exclusive upper end of the range of keys with that prefix. */
export const beyond = '\uffff';

/**
 * The same where only a record key can follow, whose first unit is lower. JavaScript engines are slow to compare
 * one-byte strings with two-byte strings.
 */
export const beyondRecords = '\xff';

const end = '\0';

const view = new DataView(new ArrayBuffer(8));
const eight = new Uint8Array(view.buffer);
const takeEight = (): string =>
  String.fromCharCode(eight[0]!, eight[1]!, eight[2]!, eight[3]!, eight[4]!, eight[5]!, eight[6]!, eight[7]!);

/** Writes the bits of a double in numeric order: the sign bit is inverted, and for negative numbers all bits are. */
const writeDouble = (value: number): void => {
  view.setFloat64(0, value);
  if (value < 0) {
    view.setUint32(0, ~view.getUint32(0));
    view.setUint32(4, ~view.getUint32(4));
  } else {
    eight[0]! ^= 0x80;
  }
};

const dateKey = ({ ms, exact }: DateValue): string => {
  if (exact === undefined) {
    view.setInt32(0, Math.floor(ms / 0x1_0000_0000));
    view.setUint32(4, ms % 0x1_0000_0000);
  } else {
    view.setBigInt64(0, exact);
  }
  eight[0]! ^= 0x80;
  return takeEight();
};

const uint32Key = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);

/** A unit after the double: whether the number is less than the double, equal to it, or greater. */
const below = '\x40';
const exactly = '\x80';
const above = '\xc0';

/**
 * Returns the key of the written double. The last two bytes of small integers are zero, so one unit represents them
 * together with `exactly`. The keys of other doubles are longer, and stay in order.
 */
const doubleKey = (side: string): string => {
  const seventh = eight[6]!;
  const eighth = eight[7]!;
  if (seventh > 0 || eighth > 0) {
    const more = String.fromCharCode(eighth) + side;
    if (seventh === 0) return sixAnd(3) + more;
    return seventh < 0xfc ? sixAnd(seventh + 3) + more : sixAnd(0xff) + String.fromCharCode(seventh) + more;
  }
  return side === exactly ? sixAnd(1) : sixAnd(side === below ? 0 : 2);
};

const sixAnd = (unit: number): string =>
  String.fromCharCode(eight[0]!, eight[1]!, eight[2]!, eight[3]!, eight[4]!, eight[5]!, unit);

/** Returns the positive double whose key is at this position of another key. */
export const scoreInKey = (key: string, at: number): number => {
  const start = at + 1;
  for (let i = 0; i < 6; i++) eight[i] = key.charCodeAt(start + i);
  eight[0]! ^= 0x80;
  const unit = key.charCodeAt(start + 6);
  const isLong = unit === 0xff;
  eight[6] = isLong ? key.charCodeAt(start + 7) : Math.max(0, unit - 3);
  eight[7] = unit < 3 ? 0 : key.charCodeAt(start + (isLong ? 8 : 7));
  return view.getFloat64(0);
};

/** The key of NaN, which is below all other numbers. */
const nanKey = `${'\0'.repeat(6)}\x01`;

/** Reverses the order of keys. */
const inverted = (key: string): string => {
  let text = '';
  let i = 0;
  // Append four units at once, because each concatenation creates a string.
  for (; i + 4 <= key.length; i += 4) {
    text += String.fromCharCode(
      0xffff - key.charCodeAt(i),
      0xffff - key.charCodeAt(i + 1),
      0xffff - key.charCodeAt(i + 2),
      0xffff - key.charCodeAt(i + 3),
    );
  }
  for (; i < key.length; i++) text += String.fromCharCode(0xffff - key.charCodeAt(i));
  return text;
};

/**
 * Returns a key that orders numbers with the same nearest double: by exponent, then by digits, reversed for negative
 * numbers.
 */
const digitsKey = (value: Decimal): string => {
  const { coefficient, exponent } = value.normalized();
  const digits = coefficient.toString();
  const adjusted = exponent + digits.length + 0x4000;
  const key = String.fromCharCode(adjusted) + digits + end;
  return value.negative ? inverted(key) : key;
};

const numberKey = (value: NumberValue): string => {
  if (typeof value === 'number') {
    writeDouble(value);
    return doubleKey(exactly);
  }
  const near = value instanceof Double ? value.value : typeof value === 'bigint' ? Number(value) : value.toNumber();
  if (Number.isNaN(near)) return nanKey;
  // Negative zero equals zero.
  const side = value instanceof Double ? 0 : compareNumbers(value, new Double(near));
  writeDouble(near === 0 ? 0 : near);
  if (side === 0) return doubleKey(exactly);
  const digits = digitsKey(value instanceof Decimal ? value : Decimal.fromBigInt(value as bigint));
  return doubleKey(side < 0 ? below : above) + digits;
};

/** Maps code units so that their order is that of code points: surrogates come last. */
const lifted = (text: string): string => {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    result += String.fromCharCode(unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  }
  return result;
};

const high = /[\ud800-\uffff]/;

const low = /[\0\x01]/g;

const hasSpecialUnit = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 2 || unit >= 0xd800) return true;
  }
  return false;
};

/**
 * Returns the key of a string, which ends with NUL. A NUL in the string is escaped as two units, and so is the escape
 * unit.
 */
const textKey = (text: string): string => {
  if (!hasSpecialUnit(text)) return text + end;
  const ordered = high.test(text) ? lifted(text) : text;
  return ordered.replace(low, unit => `\x01${unit === '\0' ? '\x01' : '\x02'}`) + end;
};

const bytesKey = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i]!);
  return text;
};

/**
 * Returns the key of an ObjectId, including the unit of its type. Concatenating the unit would result in 13 units, from
 * which on V8 defers concatenation until the first comparison.
 */
const objectIdKey = (before: number, b: Uint8Array): string =>
  String.fromCharCode(before, b[0]!, b[1]!, b[2]!, b[3]!, b[4]!, b[5]!, b[6]!, b[7]!, b[8]!, b[9]!, b[10]!, b[11]!);

const docKey = (doc: Doc, collation: StringKeys | undefined): string => {
  let key = '';
  for (const [name, value] of doc.entries()) {
    const rank = rankKey(rankOf(value));
    key += rank + textKey(name) + keyOf(value, collation);
  }
  return key + end;
};

/** The unit of a type. MinKey has rank -1, and the end of a document or array must be below all ranks. */
const rankUnit = (rank: number): number => rank + 2;
const rankKey = (rank: number): string => String.fromCharCode(rankUnit(rank));

const payload = (rank: number, value: Value, collation: StringKeys | undefined): string => {
  switch (rank) {
    case 10:
      return numberKey(value as NumberValue);
    case 15: {
      const text = typeof value === 'string' ? value : (value as SymbolValue).value;
      return textKey(collation === undefined ? text : collation.key(text));
    }
    case 20:
      return docKey(value as Doc, collation);
    case 25: {
      let key = '';
      for (const item of value as readonly Value[]) key += keyOf(item, collation);
      return key + end;
    }
    case 30: {
      const { subtype, bytes } = value as BinaryValue;
      return uint32Key(bytes.length) + String.fromCharCode(subtype) + bytesKey(bytes);
    }
    case 35:
      return bytesKey((value as ObjectIdValue).bytes);
    case 40:
      return value === true ? '\x02' : '\x01';
    case 45:
      return dateKey(value as DateValue);
    case 47:
      return uint32Key((value as TimestampValue).t) + uint32Key((value as TimestampValue).i);
    case 50:
      return textKey((value as RegexValue).pattern) + textKey((value as RegexValue).options);
    case 55: {
      const { namespace, id } = value as DBPointerValue;
      return uint32Key(namespace.length) + textKey(namespace) + bytesKey(id.bytes);
    }
    case 60:
      return textKey((value as CodeValue).code);
    case 65:
      return textKey((value as CodeValue).code) + docKey((value as CodeValue).scope!, collation);
    default:
      return '';
  }
};

/** Returns the ascending key of one value. The caller converts a missing value to null. */
export const keyOf = (value: Value, collation?: StringKeys): string => {
  const rank = rankOf(value);
  if (rank === 35) return objectIdKey(rankUnit(rank), (value as ObjectIdValue).bytes);
  return rankKey(rank) + payload(rank, value, collation);
};

/** Returns the key of one value in a field with a direction. */
export const fieldKey = (value: Value, direction: 1 | -1, collation?: StringKeys): string =>
  direction === 1 ? keyOf(value, collation) : inverted(keyOf(value, collation));

/**
 * Returns the range of all keys of some types: from the first key with `fromRank` (inclusive) to the first key after
 * `toRank` (exclusive).
 */
export const rankRange = (fromRank: number, toRank: number, direction: 1 | -1): readonly [string, string] =>
  direction === 1
    ? [rankKey(fromRank), rankKey(toRank + 1)]
    : [inverted(rankKey(toRank)), inverted(rankKey(fromRank - 1))];

/** Returns the key of a record, with six units. Records are numbered in insertion order. */
export const recordKey = (n: number): string => {
  const upper = Math.floor(n / 0x1000000);
  return String.fromCharCode(
    (upper >>> 16) & 0xff,
    (upper >>> 8) & 0xff,
    upper & 0xff,
    (n >>> 16) & 0xff,
    (n >>> 8) & 0xff,
    n & 0xff,
  );
};

export const recordNumber = (key: string): number => {
  let n = 0;
  for (let i = 0; i < key.length; i++) n = n * 0x100 + key.charCodeAt(i);
  return n;
};
