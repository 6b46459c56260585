import type { Entry, Value } from '@tessera/mql/engine';
import {
  BinaryValue,
  DateValue,
  Decimal,
  Doc,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  RegexValue,
  TimestampValue,
  isArray,
  isDoc,
  isInt32,
  isNumber,
  show,
  fromBase64,
  toBase64,
} from '@tessera/mql/engine';

/**
 * A document as a JavaScript object.
 *
 * In documents that the test passes, a whole number in the range of an int32 becomes an int32, any other number a double,
 * and a bigint an int64. Fields that are undefined are omitted. Values may also be a Date, a RegExp, a Uint8Array, those of
 * the npm package `bson` except Code, DBRef and BSONSymbol, or Extended JSON: `{ $oid }`, `{ $timestamp: { t, i } }`, `{ $numberDecimal }`, `{ $binary }`,
 * `{ $regularExpression }`, `{ $minKey }`, `{ $maxKey }`. Any other value, such as a function, throws a
 * TypeError.
 *
 * In requests that the test receives, an int32 or double is a number, an int64 a bigint, and a date a Date. All other
 * types that JavaScript lacks, and regular expressions, are the Extended JSON above. Code and deprecated types are
 * `{ $special: text }`, which cannot be passed back.
 */
export interface Plain {
  readonly [name: string]: unknown;
}

/** A value of npm `bson`. It is recognized by `_bsontype`, because this package has its own codec. */
interface Foreign {
  readonly _bsontype: string;
  readonly [field: string]: unknown;
}

const bytesOf = (value: unknown): Uint8Array => value as Uint8Array;

const ofForeign: Readonly<Record<string, (value: Foreign) => Value>> = {
  ObjectId: value => ObjectIdValue.fromHex((value as unknown as { toHexString(): string }).toHexString()),
  Long: value => (value as unknown as { toBigInt(): bigint }).toBigInt(),
  Int32: ({ value }) => value as number,
  Double: ({ value }) => new Double(value as number),
  Decimal128: value => Decimal.fromBytes(bytesOf(value['bytes']), 0),
  Timestamp: ({ t, i }) => new TimestampValue(t as number, i as number),
  Binary: ({ sub_type: subtype, buffer, position }) =>
    new BinaryValue(subtype as number, bytesOf(buffer).slice(0, position as number)),
  UUID: ({ buffer }) => new BinaryValue(4, bytesOf(buffer).slice()),
  BSONRegExp: ({ pattern, options }) => new RegexValue(pattern as string, options as string),
  MinKey: () => MIN_KEY,
  MaxKey: () => MAX_KEY,
};

const isObject = (value: unknown): value is Plain => typeof value === 'object' && value !== null;

const ofWrapper: Readonly<Record<string, (content: unknown) => Value | undefined>> = {
  $oid: hex => (typeof hex === 'string' ? ObjectIdValue.fromHex(hex) : undefined),
  $numberDecimal: text => (typeof text === 'string' ? Decimal.parse(text) : undefined),
  $timestamp: at => (isObject(at) ? new TimestampValue(Number(at['t']), Number(at['i'])) : undefined),
  $binary: binary => {
    if (!isObject(binary)) return undefined;
    const bytes = fromBase64(String(binary['base64']));
    return bytes && new BinaryValue(Number.parseInt(String(binary['subType']), 16), bytes);
  },
  $regularExpression: regex => {
    const { pattern, options = '' } = isObject(regex) ? regex : ({} as Plain);
    return typeof pattern === 'string' && typeof options === 'string' ? new RegexValue(pattern, options) : undefined;
  },
  $minKey: () => MIN_KEY,
  $maxKey: () => MAX_KEY,
};

const ofObject = (value: object): Value => {
  if (Array.isArray(value)) return value.map(toValue);
  if (value instanceof Date) return new DateValue(value.getTime());
  if (value instanceof Uint8Array) return new BinaryValue(0, value.slice());
  if (value instanceof RegExp) return new RegexValue(value.source, value.flags);
  const type = (value as Partial<Foreign>)._bsontype;
  if (type !== undefined) {
    const read = ofForeign[type];
    if (read === undefined) throw new TypeError(`A script cannot contain a value of the BSON type ${type}.`);
    return read(value as Foreign);
  }
  return wrapped(value) ?? toDoc(value as Plain);
};

/** Returns the value of an Extended JSON wrapper, or undefined for any other object. */
export const wrapped = (value: object): Value | undefined => {
  const [only, ...others] = Object.entries(value);
  return only !== undefined && others.length === 0 ? ofWrapper[only[0]]?.(only[1]) : undefined;
};

/** Converts to a BSON value. @throws TypeError for a value that BSON cannot represent */
export const toValue = (value: unknown): Value => {
  switch (typeof value) {
    case 'number':
      return isInt32(value) ? value : new Double(value);
    case 'bigint':
    case 'string':
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : ofObject(value);
    default:
      throw new TypeError(`A script cannot contain a ${typeof value}, because BSON has no such type.`);
  }
};

/** Converts to a document without the undefined fields, like drivers do. @throws TypeError as {@link toValue} */
export const toDoc = (plain: Plain): Doc =>
  Doc.of(
    Object.entries(plain)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): Entry => [name, toValue(value)]),
  );

/**
 * Converts from BSON: int32 and double to numbers, int64 to bigint, and types that JavaScript lacks to Extended JSON.
 */
export const toPlain = (value: Value): unknown => {
  if (isDoc(value)) return Object.fromEntries(value.entries().map(([name, item]) => [name, toPlain(item)]));
  if (isArray(value)) return value.map(toPlain);
  if (value instanceof Double) return value.value;
  if (value instanceof DateValue) return new Date(value.ms);
  if (value instanceof ObjectIdValue) return { $oid: value.hex };
  if (value instanceof TimestampValue) return { $timestamp: { t: value.t, i: value.i } };
  if (value instanceof RegexValue) return { $regularExpression: { pattern: value.pattern, options: value.options } };
  if (value instanceof BinaryValue)
    return { $binary: { base64: toBase64(value.bytes), subType: value.subtype.toString(16).padStart(2, '0') } };
  if (value === MIN_KEY) return { $minKey: 1 };
  if (value === MAX_KEY) return { $maxKey: 1 };
  if (isNumber(value)) return typeof value === 'object' ? { $numberDecimal: show(value) } : value;
  return typeof value === 'object' && value !== null ? { $special: show(value) } : value;
};
