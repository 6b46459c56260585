import { CommandError, fail } from '../errors.js';
import { Decimal } from '../value/decimal.js';
import { isInt64, toDecimal, toDouble, toLong } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import {
  BinaryValue,
  DateValue,
  Double,
  double,
  isDoc,
  isNullish,
  isNumber,
  ObjectIdValue,
  typeName,
  typeNumbersByName,
} from '../value/value.js';
import type { BinaryFormat } from './binary-text.js';
import { bytesOfText, isBinaryFormat, textOfBytes } from './binary-text.js';
import { dateOf, exactInt, formatDouble, isTrue, print } from './coerce.js';
import { formatInZone, isoFormat } from './date-format.js';
import { parseDate } from './date-parse.js';
import type { Expression, Operator, Operators } from './expression.js';
import { constant } from './expression.js';
import { namedOperands, operandsOf, unary } from './operator.js';
import { longFromDate, dateFromLong } from './total.js';
import { utc } from './timezone.js';

type Maybe = Value | undefined;

const failed = (message: string): CommandError => fail('ConversionFailure', message);
const overflow = (value: string): CommandError =>
  failed(`Conversion would overflow target type in $convert with no onError value: ${value}`);

const shown = (value: NumberValue): string => (value instanceof Double ? formatDouble(value.value) : value.toString());

const requireFinite = (value: NumberValue): void => {
  const n = toDouble(value);
  const isFinite = value instanceof Decimal ? value.isFinite : Number.isFinite(n);
  if (isFinite) return;
  const what = Number.isNaN(n) ? 'NaN' : 'infinity';
  throw failed(`Attempt to convert ${what} value to integer type in $convert with no onError value`);
};

const numberToLong = (value: NumberValue): bigint => {
  requireFinite(value);
  const long = toLong(value);
  if (long === undefined) throw overflow(shown(value));
  return long;
};

const numberToInt = (value: NumberValue): number => {
  requireFinite(value);
  const long = toLong(value);
  // A double must be in range before it is truncated: 2147483647.5 is not.
  const inRange = !(value instanceof Double) || (value.value >= -0x80000000 && value.value <= 0x7fffffff);
  if (long === undefined || long < -0x80000000n || long > 0x7fffffffn || !inRange) {
    throw overflow(typeof value === 'bigint' ? '' : shown(value));
  }
  return Number(long);
};

const numberToDouble = (value: NumberValue): Value => {
  const n = toDouble(value);
  if (value instanceof Decimal && value.isFinite && (!Number.isFinite(n) || (n === 0 && !value.isZero))) {
    throw overflow(value.toString());
  }
  return double(n);
};

const unparsable = (text: string, reason: string): CommandError =>
  failed(`Failed to parse number '${text}' in $convert with no onError value: ${reason}`);

const requireNoHex = (text: string): void => {
  if (/^0[xX]/.test(text)) throw failed(`Illegal hexadecimal input in $convert with no onError value: ${text}`);
};

/** The number of digits of a 64-bit integer. */
const maxDigits = 19;

const parseInteger = (text: string): bigint => {
  requireNoHex(text);
  const digits = text.replace(/^[+-]/, '');
  if (digits === '') throw unparsable(text, text === '' ? 'Empty string' : 'No digits');
  const bad = /[^0-9]/.exec(digits);
  if (bad !== null) throw unparsable(text, `Bad digit "${bad[0]}" while parsing ${text}`);
  const significant = digits.replace(/^0+/, '');
  if (significant.length > maxDigits) throw unparsable(text, 'Overflow');
  return text.startsWith('-') ? -BigInt(significant) : BigInt(significant);
};

const integerFrom = (text: string, fits: (n: bigint) => boolean): bigint => {
  const n = parseInteger(text);
  if (!fits(n)) throw unparsable(text, 'Overflow');
  return n;
};

const parseDouble = (text: string): Value => {
  requireNoHex(text);
  if (text === '') throw unparsable(text, 'Empty string');
  if (/^\s/.test(text)) throw unparsable(text, 'Leading whitespace');
  const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i.exec(text);
  if (special !== null)
    return double(special[2] === undefined ? Number.NaN : special[1] === '-' ? -Infinity : Infinity);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    throw unparsable(text, 'Did not consume whole string.');
  const n = Number(text);
  if (!Number.isFinite(n)) throw unparsable(text, 'Out of range');
  return double(n);
};

const parseDecimal = (text: string): Value => {
  requireNoHex(text);
  const value = Decimal.parse(text);
  if (value === undefined) throw unparsable(text, text === '' ? 'Empty string' : 'Failed to parse string to decimal');
  return value;
};

const parseObjectId = (text: string): Value => {
  const because = (reason: string): CommandError =>
    failed(`Failed to parse objectId '${text}' in $convert with no onError value: ${reason}`);
  if (text.length !== 24)
    throw because(`Invalid string length for parsing to OID, expected 24 but found ${text.length}`);
  if (!/^[0-9a-fA-F]*$/.test(text)) throw because('Invalid character found in hex string');
  return ObjectIdValue.fromHex(text.toLowerCase());
};

/** Options of `$convert` other than the type. */
interface Details {
  readonly subtype: Value;
  readonly format: BinaryFormat | undefined;
  readonly littleEndian: boolean;
}

const plain: Details = { subtype: 0, format: 'auto', littleEndian: true };

const subtypeOf = (value: Value): number => {
  if (!isNumber(value)) {
    throw fail(4341108, `For BinData, $convert's 'subtype' argument must be a number, but is ${typeName(value)}`);
  }
  const code = exactInt(value);
  if (code === undefined) throw fail(4341106, `In $convert, numeric 'subtype' argument is not an integer`);
  if ((code >= 0 && code <= 9) || (code >= 128 && code <= 255)) return code;
  throw fail(4341107, `In $convert, numeric value for 'subtype' does not correspond to a BinData type: ${code}`);
};

const requireFormat = (from: string, to: string, format: BinaryFormat | undefined): BinaryFormat => {
  if (format !== undefined) return format;
  throw fail(4341115, `Format must be speficied when converting from '${from}' to '${to}'`);
};

const stringToBinary = (text: string, { subtype, format }: Details): Value => {
  const code = subtypeOf(subtype);
  try {
    return new BinaryValue(code, bytesOfText(text, requireFormat('string', 'binData', format), code));
  } catch (error) {
    if (!(error instanceof CommandError) || error.code === 4341115) throw error;
    throw failed(`Failed to parse BinData '${text}' in $convert with no onError value: ${error.message}`);
  }
};

const binaryToString = (value: BinaryValue, { format }: Details): Value => {
  try {
    return textOfBytes(value, requireFormat('binData', 'string', format));
  } catch (error) {
    if (!(error instanceof CommandError) || error.code === 4341115) throw error;
    throw failed(`Failed to convert '${print(value)}' to string in $convert with no onError value: ${error.message}`);
  }
};

const numberToBinary = (value: number | bigint | Double, { subtype, littleEndian }: Details): Value => {
  const bytes = new Uint8Array(typeof value === 'number' ? 4 : 8);
  const view = new DataView(bytes.buffer);
  if (typeof value === 'number') view.setInt32(0, value, littleEndian);
  else if (typeof value === 'bigint') view.setBigInt64(0, value, littleEndian);
  else view.setFloat64(0, value.value, littleEndian);
  return new BinaryValue(subtypeOf(subtype), bytes);
};

const binaryToNumber = (value: BinaryValue, to: 'int' | 'long' | 'double', { littleEndian }: Details): Value => {
  const { bytes } = value;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const long = (n: number): Value => (to === 'long' ? BigInt(n) : n);
  if (to === 'double') {
    if (bytes.length === 4) return double(view.getFloat32(0, littleEndian));
    if (bytes.length === 8) return double(view.getFloat64(0, littleEndian));
  } else if (bytes.length === 1) return long(view.getInt8(0));
  else if (bytes.length === 2) return long(view.getInt16(0, littleEndian));
  else if (bytes.length === 4) return long(view.getInt32(0, littleEndian));
  else if (bytes.length === 8 && to === 'long') return view.getBigInt64(0, littleEndian);
  throw failed(`Failed to convert '${print(value)}' to number in $convert because of invalid length: ${bytes.length}`);
};

const numberToString = (value: NumberValue): Value => shown(value);

const isBinaryNumber = (value: Value): value is number | bigint | Double =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Double;

/** Conversions by the name of the target type. They return undefined for a source type that cannot be converted. */
const conversions: Readonly<Record<string, (value: Value, details: Details) => Value | undefined>> = {
  bool: value => (isNumber(value) || typeof value === 'boolean' ? isTrue(value) : true),
  double: (value, details) => {
    if (isNumber(value)) return numberToDouble(value);
    if (typeof value === 'string') return parseDouble(value);
    if (typeof value === 'boolean') return double(Number(value));
    if (value instanceof DateValue) return double(value.ms);
    return value instanceof BinaryValue ? binaryToNumber(value, 'double', details) : undefined;
  },
  int: (value, details) => {
    if (isNumber(value)) return numberToInt(value);
    if (typeof value === 'string') return Number(integerFrom(value, n => n >= -0x80000000n && n <= 0x7fffffffn));
    if (typeof value === 'boolean') return Number(value);
    return value instanceof BinaryValue ? binaryToNumber(value, 'int', details) : undefined;
  },
  long: (value, details) => {
    if (isNumber(value)) return numberToLong(value);
    if (typeof value === 'string') return integerFrom(value, isInt64);
    if (typeof value === 'boolean') return BigInt(value);
    if (value instanceof DateValue) return longFromDate(value);
    return value instanceof BinaryValue ? binaryToNumber(value, 'long', details) : undefined;
  },
  decimal: value => {
    if (isNumber(value)) return toDecimal(value);
    if (typeof value === 'string') return parseDecimal(value);
    if (typeof value === 'boolean') return Decimal.fromBigInt(BigInt(value));
    return value instanceof DateValue ? Decimal.fromBigInt(longFromDate(value)) : undefined;
  },
  string: (value, details) => {
    if (typeof value === 'string') return value;
    if (isNumber(value)) return numberToString(value);
    if (typeof value === 'boolean') return String(value);
    if (value instanceof ObjectIdValue) return value.hex;
    if (value instanceof DateValue) return formatInZone(value.ms, utc, isoFormat(utc));
    return value instanceof BinaryValue ? binaryToString(value, details) : undefined;
  },
  objectId: value => {
    if (value instanceof ObjectIdValue) return value;
    return typeof value === 'string' ? parseObjectId(value) : undefined;
  },
  date: value => {
    if (value instanceof DateValue) return value;
    if (typeof value === 'string') return new DateValue(parseDate(value));
    if (isNumber(value)) return typeof value === 'number' ? undefined : dateFromLong(numberToLong(value));
    const ms = dateOf(value);
    return ms === undefined ? undefined : new DateValue(ms);
  },
  binData: (value, details) => {
    if (typeof value === 'string') return stringToBinary(value, details);
    if (isBinaryNumber(value)) return numberToBinary(value, details);
    if (!(value instanceof BinaryValue)) return undefined;
    if (value.subtype === subtypeOf(details.subtype)) return value;
    throw failed('Conversions between different BinData subtypes are not supported');
  },
};

const convertTo = (value: Value, type: string, details: Details): Value => {
  const converted = conversions[type]?.(value, details);
  if (converted !== undefined) return converted;
  throw failed(`Unsupported conversion from ${typeName(value)} to ${type} in $convert with no onError value`);
};

const namesByNumber: ReadonlyMap<number, string> = new Map(
  [...typeNumbersByName].map(([name, number]) => [number, name]),
);

const typeFrom = (value: Value): string => {
  if (typeof value === 'string') {
    if (value === 'missing' || typeNumbersByName.has(value)) return value;
    throw fail('BadValue', `Unknown type name: ${value}`);
  }
  if (!isNumber(value)) {
    throw fail('FailedToParse', `$convert's 'to' argument must be a string or number, but is ${typeName(value)}`);
  }
  const code = exactInt(value);
  if (code === undefined) throw fail('FailedToParse', `In $convert, numeric 'to' argument is not an integer`);
  const name = code === 0 ? 'missing' : namesByNumber.get(code);
  if (name !== undefined) return name;
  throw fail('FailedToParse', `In $convert, numeric value for 'to' does not correspond to a BSON type: ${code}`);
};

interface Target {
  readonly type: string;
  readonly subtype: Value;
}

/** Reads the target: a type, or `{ type, subtype }`. Returns undefined if it is null or missing. */
const targetOf = (to: Maybe): Target | undefined => {
  if (isNullish(to)) return undefined;
  if (!isDoc(to)) return { type: typeFrom(to), subtype: 0 };
  for (const key of to.keys()) {
    if (key !== 'type' && key !== 'subtype')
      throw fail('FailedToParse', `$convert found an unknown argument in 'to': ${key}`);
  }
  const type = to.get('type');
  if (type === undefined) throw fail('FailedToParse', `Missing 'type' parameter to $convert's 'to'`);
  return isNullish(type) ? undefined : { type: typeFrom(type), subtype: to.get('subtype') ?? 0 };
};

const formatFrom = (value: Maybe): BinaryFormat | undefined => {
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string') {
    throw fail(
      4341114,
      `$convert requires that 'format' be a string, found: ${typeName(value)} with value ${print(value)}`,
    );
  }
  if (!isBinaryFormat(value)) throw fail(4341125, `Invalid 'format' argument for $convert: ${value}`);
  return value;
};

const isLittle = (value: Maybe): boolean => {
  if (isNullish(value)) return true;
  if (typeof value !== 'string') {
    throw fail(
      9130001,
      `$convert requires that 'byteOrder' be a string, found: ${typeName(value)} with value ${print(value)}`,
    );
  }
  if (value !== 'little' && value !== 'big') throw fail(9130002, `Invalid 'byteOrder' argument for $convert: ${value}`);
  return value === 'little';
};

const convert: Operator = (spec, parser) => {
  const named = namedOperands(spec, parser, {
    fields: ['input', 'to', 'onError', 'onNull', 'format', 'byteOrder'],
    notObject: found =>
      fail('FailedToParse', `$convert expects an object of named arguments but found: ${typeName(found)}`),
    unknown: field => fail('FailedToParse', `$convert found an unknown argument: ${field}`),
  });
  const [input, to] = ['input', 'to'].map((field): Expression => {
    const operand = named.get(field);
    if (operand === undefined) throw fail('FailedToParse', `Missing '${field}' parameter to $convert`);
    return operand;
  });
  const [onError, onNull] = [named.get('onError'), named.get('onNull')];
  return parser.fold([...named.values()], scope => {
    const target = targetOf(to!.evaluate(scope));
    const value = input!.evaluate(scope);
    if (isNullish(value)) return onNull === undefined ? null : onNull.evaluate(scope);
    if (target === undefined) return null;
    const details: Details = {
      subtype: target.subtype,
      format: formatFrom(named.get('format')?.evaluate(scope)),
      littleEndian: isLittle(named.get('byteOrder')?.evaluate(scope)),
    };
    try {
      return convertTo(value, target.type, details);
    } catch (error) {
      if (onError !== undefined && error instanceof CommandError && error.codeName === 'ConversionFailure') {
        return onError.evaluate(scope);
      }
      throw error;
    }
  });
};

const shorthand =
  (type: string, details: Details = plain): Operator =>
  (spec, parser, name) => {
    const operands = operandsOf(spec, parser);
    const [operand = constant(null)] = operands;
    if (operands.length !== 1) throw fail(50723, `${name} requires a single argument, got ${operands.length}`);
    return parser.fold(operands, scope => {
      const value = operand.evaluate(scope);
      return isNullish(value) ? null : convertTo(value, type, details);
    });
  };

export const conversionOperators: Operators = new Map([
  ['$convert', convert],
  ['$isNumber', unary(value => isNumber(value))],
  ['$toBool', shorthand('bool')],
  ['$toDate', shorthand('date')],
  ['$toDecimal', shorthand('decimal')],
  ['$toDouble', shorthand('double')],
  ['$toInt', shorthand('int')],
  ['$toLong', shorthand('long')],
  ['$toObjectId', shorthand('objectId')],
  ['$toString', shorthand('string')],
  ['$toUUID', shorthand('binData', { subtype: 4, format: 'uuid', littleEndian: true })],
  ['$type', unary(value => typeName(value))],
]);
