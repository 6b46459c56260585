import type { Decimal } from './decimal.js';
import type { Doc } from './doc.js';

/**
 * A BSON value. JavaScript types stand for BSON types: a `number` is always an int32, a `bigint` an int64, a
 * {@link Double} a double. A missing value is JavaScript's `undefined`; BSON's deprecated undefined is
 * {@link UNDEFINED}.
 */
export type Value =
  | number
  | bigint
  | Double
  | Decimal
  | string
  | boolean
  | null
  | Doc
  | readonly Value[]
  | ObjectIdValue
  | DateValue
  | TimestampValue
  | BinaryValue
  | RegexValue
  | CodeValue
  | SymbolValue
  | DBPointerValue
  | UndefinedValue
  | MinKeyValue
  | MaxKeyValue;

/** A BSON value of one of the four number types. */
export type NumberValue = number | bigint | Double | Decimal;

export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  get type(): 1 {
    return 1;
  }
}

const hexDigits: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Returns the bytes in lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += hexDigits[bytes[i]!]!;
  return text;
};

export class ObjectIdValue {
  /** The 12 bytes of the id. */
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  get type(): 7 {
    return 7;
  }
  get hex(): string {
    return toHex(this.bytes);
  }
  /** Creates an id from 24 hexadecimal digits. */
  static fromHex(hex: string): ObjectIdValue {
    return new ObjectIdValue(
      Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)),
    );
  }
}

export class DateValue {
  /**
   * Milliseconds since 1970 in UTC, an integer. Beyond ±2^53 it is the nearest number; {@link exact} then has the
   * value.
   */
  readonly ms: number;
  /** The int64, if a number cannot hold it exactly. */
  readonly exact: bigint | undefined;
  constructor(ms: number, exact?: bigint) {
    this.ms = ms;
    this.exact = exact;
  }
  get type(): 9 {
    return 9;
  }
}

export class TimestampValue {
  /** Seconds since 1970, unsigned 32 bits. */
  readonly t: number;
  /** Increment, unsigned 32 bits. */
  readonly i: number;
  constructor(t: number, i: number) {
    this.t = t;
    this.i = i;
  }
  get type(): 17 {
    return 17;
  }
}

export class BinaryValue {
  readonly subtype: number;
  readonly bytes: Uint8Array;
  constructor(subtype: number, bytes: Uint8Array) {
    this.subtype = subtype;
    this.bytes = bytes;
  }
  get type(): 5 {
    return 5;
  }
}

export class RegexValue {
  readonly pattern: string;
  /** MongoDB's option letters, for example `im`. */
  readonly options: string;
  constructor(pattern: string, options: string) {
    this.pattern = pattern;
    this.options = options;
  }
  get type(): 11 {
    return 11;
  }
}

export class CodeValue {
  readonly code: string;
  readonly scope: Doc | undefined;
  constructor(code: string, scope?: Doc) {
    this.code = code;
    this.scope = scope;
  }
  get type(): 13 | 15 {
    return this.scope === undefined ? 13 : 15;
  }
}

export class SymbolValue {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
  get type(): 14 {
    return 14;
  }
}

export class DBPointerValue {
  readonly namespace: string;
  readonly id: ObjectIdValue;
  constructor(namespace: string, id: ObjectIdValue) {
    this.namespace = namespace;
    this.id = id;
  }
  get type(): 12 {
    return 12;
  }
}

export class UndefinedValue {
  get type(): 6 {
    return 6;
  }
}

export class MinKeyValue {
  get type(): -1 {
    return -1;
  }
}

export class MaxKeyValue {
  get type(): 127 {
    return 127;
  }
}

export const UNDEFINED: UndefinedValue = new UndefinedValue();
export const MIN_KEY: MinKeyValue = new MinKeyValue();
export const MAX_KEY: MaxKeyValue = new MaxKeyValue();

export const double = (value: number): Double => new Double(value);

/** Returns the number of a value's type, as `$type` takes it: 1 double … 19 decimal, -1 minKey, 127 maxKey. */
export const typeNumber = (value: Value): number => {
  switch (typeof value) {
    case 'number':
      return 16;
    case 'bigint':
      return 18;
    case 'string':
      return 2;
    case 'boolean':
      return 8;
    default:
      return value === null ? 10 : Array.isArray(value) ? 4 : (value as Exclude<typeof value, readonly Value[]>).type;
  }
};

const typeNames: Readonly<Record<number, string>> = {
  [-1]: 'minKey',
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  6: 'undefined',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  11: 'regex',
  12: 'dbPointer',
  13: 'javascript',
  14: 'symbol',
  15: 'javascriptWithScope',
  16: 'int',
  17: 'timestamp',
  18: 'long',
  19: 'decimal',
  127: 'maxKey',
};

/** The numbers of types by the names that `$type` takes. */
export const typeNumbersByName: ReadonlyMap<string, number> = new Map(
  Object.entries(typeNames).map(([number, name]) => [name, Number(number)]),
);

/** Returns MongoDB's name of the value's type: 'double', 'string', 'object' …; 'missing' for undefined. */
export const typeName = (value: Value | undefined): string =>
  value === undefined ? 'missing' : typeNames[typeNumber(value)]!;

export const isNumber = (value: Value | undefined): value is NumberValue => {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return true;
    case 'object': {
      if (value === null || Array.isArray(value)) return false;
      const { type } = value as Exclude<typeof value, readonly Value[]>;
      return type === 1 || type === 19;
    }
    default:
      return false;
  }
};

export const isDoc = (value: Value | undefined): value is Doc =>
  typeof value === 'object' && value !== null && (value as { readonly type?: number }).type === 3;

export const isArray = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/** Returns whether a value is null, undefined or missing. */
export const isNullish = (value: Value | undefined): value is null | undefined | UndefinedValue =>
  value === undefined || value === null || value instanceof UndefinedValue;
