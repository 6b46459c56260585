import type { Document } from '@tessera/contracts';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import { Decimal } from '../value/decimal.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import {
  BinaryValue,
  CodeValue,
  DateValue,
  DBPointerValue,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  RegexValue,
  SymbolValue,
  TimestampValue,
} from '../value/value.js';

/** A value of npm `bson`. It is recognized by `_bsontype`, so values of any copy of the library are accepted. */
interface Tagged {
  readonly _bsontype: string;
  readonly [field: string]: unknown;
}

const int64 = (value: bigint): bigint => {
  if (BigInt.asIntN(64, value) !== value) throw new TypeError(`The bigint ${value} does not fit into 64 bits.`);
  return value;
};

const ofBinary = ({ sub_type: subtype, buffer, position }: Tagged): Value =>
  new BinaryValue(subtype as number, (buffer as Uint8Array).slice(0, position as number));

const ofDBRef = ({ collection, oid, db, fields }: Tagged): Value =>
  docOf({ $ref: collection, $id: oid, ...(db === undefined || db === '' ? {} : { $db: db }), ...(fields as object) });

const ofCode = ({ code, scope }: Tagged): Value =>
  new CodeValue(String(code), scope === null || scope === undefined ? undefined : docOf(scope));

const tagged: ReadonlyMap<string, (value: Tagged) => Value> = new Map<string, (value: Tagged) => Value>([
  ['ObjectId', value => new ObjectIdValue((value['id'] as Uint8Array).slice())],
  ['Long', value => (value as unknown as { toBigInt(): bigint }).toBigInt()],
  ['Int32', value => Number(value['value'])],
  ['Double', value => new Double(Number(value['value']))],
  ['Decimal128', value => Decimal.fromBytes(value['bytes'] as Uint8Array, 0)],
  ['Timestamp', value => new TimestampValue(value['t'] as number, value['i'] as number)],
  ['Binary', ofBinary],
  ['BSONRegExp', value => new RegexValue(value['pattern'] as string, value['options'] as string)],
  ['BSONSymbol', value => new SymbolValue(value['value'] as string)],
  ['Code', ofCode],
  ['DBRef', ofDBRef],
  ['MinKey', () => MIN_KEY],
  ['MaxKey', () => MAX_KEY],
]);

const ofTagged = (value: Tagged): Value => {
  const read = tagged.get(value._bsontype);
  if (read === undefined) throw new TypeError(`A value has the unknown BSON type "${value._bsontype}".`);
  return read(value);
};

/** Keeps the letters that are both flags of JavaScript and options of BSON. Both list them in alphabetical order. */
const sharedFlags = (letters: string): string => letters.replace(/[^imsu]/g, '');

const ofRegExp = (regexp: RegExp): Value => new RegexValue(regexp.source, sharedFlags(regexp.flags));

const ofDate = (date: Date): Value => {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new TypeError('A Date is invalid: its time is NaN.');
  return new DateValue(ms);
};

const isPresent = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** A document backed by a plain object. Each field is converted when it is read. */
class PlainDoc extends Doc {
  readonly object: Document;
  /** Whether the object may inherit properties that are not functions. */
  readonly #inherits: boolean;
  #all: readonly Entry[] | undefined;

  constructor(object: Document) {
    super(undefined, 0, undefined);
    this.object = object;
    this.#inherits = Object.getPrototypeOf(object) !== Object.prototype;
  }

  override get(key: string): Value | undefined {
    const value: unknown = this.object[key];
    if (!isPresent(value)) return undefined;
    if ((this.#inherits || key === '__proto__') && !Object.hasOwn(this.object, key)) return undefined;
    return valueOf(value);
  }

  override entries(): readonly Entry[] {
    if (this.#all !== undefined) return this.#all;
    const entries: Entry[] = [];
    for (const key of Object.keys(this.object)) {
      const value: unknown = this.object[key];
      if (isPresent(value)) entries.push([key, valueOf(value)]);
    }
    return (this.#all = entries);
  }
}

/** Converts an object to a document. Fields are converted when they are read; the object must not change meanwhile. */
export const docOf = (object: Document): Doc => {
  if (typeof object !== 'object' || (object as unknown) === null || Array.isArray(object))
    throw new TypeError(`A document must be an object, not ${Array.isArray(object) ? 'an array' : typeof object}.`);
  if (object instanceof Map)
    return Doc.of([...(object as Map<string, unknown>)].map(([key, value]): Entry => [key, valueOf(value)]));
  return new PlainDoc(object);
};

const ofObject = (value: object): Value => {
  if (Array.isArray(value)) return value.map(item => (isPresent(item) ? valueOf(item) : null));
  if (value instanceof Date) return ofDate(value);
  if (value instanceof RegExp) return ofRegExp(value);
  if (value instanceof Uint8Array) return new BinaryValue(0, value.slice());
  if ('_bsontype' in value) return ofTagged(value as Tagged);
  const { toBSON } = value as { toBSON?: unknown };
  return typeof toBSON === 'function' ? valueOf(toBSON.call(value)) : docOf(value);
};

/**
 * Converts a JavaScript value to a BSON value by the rules of npm `bson`. An integer that fits into 32 bits becomes an
 * int, every other number a double, a bigint a long.
 * @throws TypeError for a symbol, a function, an invalid Date, or a bigint of more than 64 bits
 */
export const valueOf = (value: unknown): Value => {
  switch (typeof value) {
    case 'number':
      return (value | 0) === value && !Object.is(value, -0) ? value : new Double(value);
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return int64(value);
    case 'object':
      return value === null ? null : ofObject(value);
    case 'undefined':
      return null;
    default:
      throw new TypeError(`A ${typeof value} is not a BSON value.`);
  }
};

const ofLong = (value: bigint): unknown => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : Long.fromBigInt(value);
};

const toRegExp = ({ pattern, options }: RegexValue): unknown => {
  try {
    return new RegExp(pattern, sharedFlags(options));
  } catch {
    return new BSONRegExp(pattern, options);
  }
};

const toBinary = ({ subtype, bytes }: BinaryValue): unknown =>
  subtype === 4 && bytes.length === 16 ? new UUID(bytes) : new Binary(bytes, subtype);

const ofDecimal = (value: Decimal): unknown => {
  const bytes = new Uint8Array(16);
  value.writeBytes(bytes, 0);
  return new Decimal128(bytes);
};

const toPlain = (value: Exclude<Value, number | bigint | string | boolean | null | readonly Value[]>): unknown => {
  if (value instanceof Doc) return plainOf(value);
  if (value instanceof Double) return value.value;
  if (value instanceof DateValue) return new Date(value.ms);
  if (value instanceof ObjectIdValue) return new ObjectId(value.bytes);
  if (value instanceof Decimal) return ofDecimal(value);
  if (value instanceof BinaryValue) return toBinary(value);
  if (value instanceof RegexValue) return toRegExp(value);
  if (value instanceof TimestampValue) return new Timestamp({ t: value.t, i: value.i });
  if (value instanceof CodeValue) return new Code(value.code, value.scope && plainOf(value.scope));
  if (value instanceof SymbolValue) return new BSONSymbol(value.value);
  if (value instanceof DBPointerValue) return new DBRef(value.namespace, new ObjectId(value.id.bytes));
  if (value === MIN_KEY) return new MinKey();
  return value === MAX_KEY ? new MaxKey() : undefined;
};

/**
 * Converts a BSON value to a JavaScript value, as the driver does: a long that a number holds exactly becomes a number.
 */
export const fromValue = (value: Value): unknown => {
  switch (typeof value) {
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? value.map(fromValue) : toPlain(value as Parameters<typeof toPlain>[0]);
    case 'bigint':
      return ofLong(value);
    default:
      return value;
  }
};

/** Converts a document to an object: the object that it was made from if it is unchanged, otherwise a new one. */
export const plainOf = (doc: Doc): Document => {
  if (doc instanceof PlainDoc) return doc.object;
  const object: Document = {};
  for (const [key, value] of doc.entries()) {
    const plain = fromValue(value);
    if (key === '__proto__')
      Object.defineProperty(object, key, { value: plain, enumerable: true, configurable: true, writable: true });
    else object[key] = plain;
  }
  return object;
};
