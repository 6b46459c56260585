import { BSONUndefined, DBPointer } from '../deprecated.js';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from '../values.js';
import { fromBase64 } from '@tessera/contracts';
import type { Item, Members } from './item.js';
import { refusal } from './scanner.js';

/** Converts a wrapper object to its value. Rule: Extended JSON, "Conversion table". */
type Reader = (members: Members, at: number) => unknown;

const integerForm = /^-?\d+$/;
const decimalForm = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
/** Excludes a lone sign, which npm `bson` parses as zero. */
const moreThanSign = /[^-+]/;
const objectIdForm = /^[0-9a-f]{24}$/i;
const uuidForm = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const subtypeForm = /^[0-9a-f]{1,2}$/i;
const dateForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d)$/;

/** Checks that the object has exactly these keys. */
const only = (members: Members, at: number, ...keys: readonly string[]): void => {
  for (const key of keys) if (!members.has(key)) throw refusal(at, `an object without "${key}"`);
  for (const [key, item] of members) {
    if (!keys.includes(key)) throw refusal(item.at, `the unexpected member "${key}" beside "${keys[0] ?? ''}"`);
  }
};

const stringOf = (item: Item, what: string): string => {
  if (item.form !== 'string') throw refusal(item.at, `a ${what} that is not a string`);
  return item.value as string;
};

const membersOf = (item: Item, what: string, ...keys: readonly string[]): Members => {
  if (item.form !== 'document') throw refusal(item.at, `a ${what} that is not an object`);
  only(item.members!, item.at, ...keys);
  return item.members!;
};

/** Returns the reader of a wrapper with one string member of this form. */
const text =
  /* @__NO_SIDE_EFFECTS__ */
  (key: string, form: RegExp | undefined, read: (value: string, at: number) => unknown): Reader =>
    (members, at) => {
      only(members, at, key);
      const item = members.get(key)!;
      const value = stringOf(item, key);
      if (form !== undefined && !form.test(value)) throw refusal(item.at, `"${value}", which is not a valid ${key},`);
      return read(value, item.at);
    };

const one =
  /* @__NO_SIDE_EFFECTS__ */
  (key: string, read: () => unknown): Reader =>
    (members, at) => {
      only(members, at, key);
      const item = members.get(key)!;
      if (item.form !== 'number' || item.text !== '1') throw refusal(item.at, `a ${key} that is not 1`);
      return read();
    };

const doubles: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };

const double = (value: string, at: number): Double => {
  if (Object.hasOwn(doubles, value)) return new Double(doubles[value]!);
  if (!decimalForm.test(value)) throw refusal(at, `"${value}", which is not a valid $numberDouble,`);
  return new Double(Number(value));
};

const int32 = (value: string, at: number): Int32 => {
  const number = Number(value);
  if ((number | 0) !== number) throw refusal(at, `${value}, which does not fit in 32 bits,`);
  return new Int32(number);
};

const int64 = (value: string, at: number): Long => {
  const number = BigInt(value);
  if (BigInt.asIntN(64, number) !== number) throw refusal(at, `${value}, which does not fit in 64 bits,`);
  return Long.fromBigInt(number);
};

const decimal = (value: string, at: number): Decimal128 => {
  try {
    return Decimal128.fromString(value);
  } catch {
    throw refusal(at, `"${value}", which is not a valid $numberDecimal,`);
  }
};

const binary: Reader = (members, at) => {
  only(members, at, '$binary');
  const inner = membersOf(members.get('$binary')!, '$binary', 'base64', 'subType');
  const subtype = stringOf(inner.get('subType')!, 'subType');
  if (!subtypeForm.test(subtype))
    throw refusal(inner.get('subType')!.at, `"${subtype}", which is not a valid subType,`);
  const bytes = fromBase64(stringOf(inner.get('base64')!, 'base64'));
  if (bytes === undefined) throw refusal(inner.get('base64')!.at, 'a string that is not base64');
  const type = parseInt(subtype, 16);
  return type === 4 && bytes.length === 16 ? new UUID(bytes) : new Binary(bytes, type);
};

const code: Reader = (members, at) => {
  if (!members.has('$scope')) return text('$code', undefined, value => new Code(value))(members, at);
  only(members, at, '$code', '$scope');
  const scope = members.get('$scope')!;
  if (scope.form !== 'document') throw refusal(scope.at, 'a $scope that is not an object');
  return new Code(stringOf(members.get('$code')!, '$code'), scope.value as Record<string, unknown>);
};

const date: Reader = (members, at) => {
  only(members, at, '$date');
  const item = members.get('$date')!;
  const time =
    item.form === 'string' && dateForm.test(item.value as string)
      ? Date.parse(item.value as string)
      : item.form === '$numberLong'
        ? Number((item.value as Long).toBigInt())
        : NaN;
  const value = new Date(time);
  if (Number.isNaN(value.getTime()))
    throw refusal(item.at, 'a $date that is neither an ISO 8601 date nor a $numberLong');
  return value;
};

const unsigned = (item: Item): number => {
  const number = Number(item.text);
  if (item.form !== 'number' || !integerForm.test(item.text!) || number >>> 0 !== number) {
    throw refusal(item.at, 'a part of a $timestamp that is not an unsigned 32-bit number');
  }
  return number;
};

const timestamp: Reader = (members, at) => {
  only(members, at, '$timestamp');
  const inner = membersOf(members.get('$timestamp')!, '$timestamp', 't', 'i');
  return new Timestamp({ t: unsigned(inner.get('t')!), i: unsigned(inner.get('i')!) });
};

const regularExpression: Reader = (members, at) => {
  only(members, at, '$regularExpression');
  const item = members.get('$regularExpression')!;
  const inner = membersOf(item, '$regularExpression', 'pattern', 'options');
  const pattern = stringOf(inner.get('pattern')!, 'pattern');
  const options = stringOf(inner.get('options')!, 'options');
  try {
    return new BSONRegExp(pattern, options);
  } catch {
    throw refusal(item.at, 'a $regularExpression with a NUL or an unknown option');
  }
};

const dbPointer: Reader = (members, at) => {
  only(members, at, '$dbPointer');
  const inner = membersOf(members.get('$dbPointer')!, '$dbPointer', '$ref', '$id');
  const id = inner.get('$id')!;
  if (id.form !== '$oid') throw refusal(id.at, 'an $id that is not an ObjectId');
  return new DBPointer(stringOf(inner.get('$ref')!, '$ref'), id.value as ObjectId);
};

const undefinedValue: Reader = (members, at) => {
  only(members, at, '$undefined');
  const item = members.get('$undefined')!;
  if (item.value !== true) throw refusal(item.at, 'an $undefined that is not true');
  return new BSONUndefined();
};

/** Readers by the key that identifies the wrapper. */
export const wrappers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['$oid', text('$oid', objectIdForm, value => new ObjectId(value))],
  ['$symbol', text('$symbol', undefined, value => new BSONSymbol(value))],
  ['$numberInt', text('$numberInt', integerForm, int32)],
  ['$numberLong', text('$numberLong', integerForm, int64)],
  ['$numberDouble', text('$numberDouble', undefined, double)],
  ['$numberDecimal', text('$numberDecimal', moreThanSign, decimal)],
  ['$binary', binary],
  ['$uuid', text('$uuid', uuidForm, value => new UUID(value.replaceAll('-', '')))],
  ['$code', code],
  ['$scope', code],
  ['$date', date],
  ['$timestamp', timestamp],
  ['$regularExpression', regularExpression],
  ['$dbPointer', dbPointer],
  ['$undefined', undefinedValue],
  ['$minKey', one('$minKey', () => new MinKey())],
  ['$maxKey', one('$maxKey', () => new MaxKey())],
]);
