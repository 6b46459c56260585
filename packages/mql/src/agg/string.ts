import { fail } from '../errors.js';
import { compareStrings } from '../value/compare.js';
import { toDouble, toLong } from '../value/numbers.js';
import { readUtf8, utf8 } from '../value/utf8.js';
import type { NumberValue, Value } from '../value/value.js';
import { BinaryValue, isNullish, isNumber, typeName } from '../value/value.js';
import { spend } from '../work/meter.js';
import { exactInt, print, toText } from './coerce.js';
import type { Expression, Operator, Operators } from './expression.js';
import { aliasOf, binary, namedOperands, ranged, ternary, unary, variadic } from './operator.js';

type Maybe = Value | undefined;

/** The limit of mongod's buffers, 64 MB. Nested `$concat` can double the length with each level. */
const longest = 64 * 1024 * 1024;

/** Counts the cost of reading a text, and returns the text. */
const counted = (text: string): string => {
  spend(text.length >>> 5);
  return text;
};

const concat = variadic(operands => scope => {
  let text = '';
  for (const operand of operands) {
    const value = operand.evaluate(scope);
    if (isNullish(value)) return null;
    if (typeof value !== 'string') throw fail(16702, `$concat only supports strings, not ${typeName(value)}`);
    text += value;
    spend(value.length >>> 8);
    if (text.length > longest)
      throw fail(13548, `BufBuilder attempted to grow() to ${text.length} bytes, past the 64MB limit.`);
  }
  return text;
});

/** Converts ASCII letters only, as mongod does. */
const toLowerAscii = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
const toUpperAscii = (text: string): string => text.replace(/[a-z]+/g, letters => letters.toUpperCase());

const strcasecmp = binary((a, b) => compareStrings(toUpperAscii(counted(toText(a))), toUpperAscii(counted(toText(b)))));

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Truncates a number. Values beyond the range of int64 become doubles. */
const truncated = (value: NumberValue): number => {
  const long = toLong(value);
  return long === undefined ? Math.trunc(toDouble(value)) || 0 : Number(long);
};

const substrBytes = ternary((a, b, c, name) => {
  const bytes = utf8(counted(toText(a)));
  if (!isNumber(b)) throw fail(16034, `${name}:  starting index must be a numeric type (is BSON type ${typeName(b)})`);
  if (!isNumber(c)) throw fail(16035, `${name}:  length must be a numeric type (is BSON type ${typeName(c)})`);
  const start = truncated(b);
  if (start < 0) throw fail(50752, `${name}:  starting index must be non-negative (got: ${start})`);
  const length = truncated(c);
  const end = length < 0 ? bytes.length : Math.min(start + length, bytes.length);
  if (isContinuation(bytes[start])) {
    throw fail(28656, `${name}:  Invalid range, starting index is a UTF-8 continuation byte.`);
  }
  if (isContinuation(bytes[end])) {
    throw fail(28657, `${name}:  Invalid range, ending index is in the middle of a UTF-8 character.`);
  }
  return start >= bytes.length ? '' : readUtf8(bytes, start, end);
});

const codePointNumber = (value: Maybe, name: string, what: string, notNumber: number): number => {
  if (!isNumber(value))
    throw fail(notNumber, `${name}: ${what} must be a numeric type (is BSON type ${typeName(value)})`);
  const int = exactInt(value);
  if (int !== undefined) return int;
  throw fail(notNumber + 1, `${name}: ${what} cannot be represented as a 32-bit integral value: ${print(value)}`);
};

const substrCP = ternary((a, b, c, name) => {
  const text = counted(toText(a));
  const start = codePointNumber(b, name, 'starting index', 34450);
  const length = codePointNumber(c, name, 'length', 34452);
  if (length < 0) throw fail(34454, `${name}: length must be a nonnegative integer.`);
  if (start < 0) throw fail(34455, `${name}: the starting index must be nonnegative integer.`);
  return [...text].slice(start, start + length).join('');
});

const requireString = (value: Maybe, code: number, message: string): string => {
  if (typeof value === 'string') return counted(value);
  throw fail(code, `${message}, found: ${typeName(value)}`);
};

const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
};

export const utf8Length = (text: string): number => (isAscii(text) ? text.length : utf8(text).length);

const codePoints = (text: string): number => {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
};

const strLenBytes = unary(a => utf8Length(requireString(a, 34473, '$strLenBytes requires a string argument')));
const strLenCP = unary(a => codePoints(requireString(a, 34471, '$strLenCP requires a string argument')));

const binarySize = unary(a => {
  if (isNullish(a)) return null;
  if (typeof a === 'string') return utf8Length(a);
  if (a instanceof BinaryValue) return a.bytes.length;
  throw fail(51276, `$binarySize requires a string or BinData argument, found: ${typeName(a)}`);
});

/** Reads an optional bound of a search. */
const indexOf = (value: Maybe, name: string, what: string): number => {
  const int = isNumber(value) ? exactInt(value) : undefined;
  if (int === undefined) {
    throw fail(
      40096,
      `${name}requires an integral ${what}, found a value of type: ${typeName(value)}, with value: ${print(value)}`,
    );
  }
  if (int < 0) throw fail(40097, `${name} requires a nonnegative ${what}, found: ${int}`);
  return int;
};

/**
 * Creates a search in bytes or code points. `find` returns the index, in that unit, of a match between a start and an
 * end.
 */
const searching = (firstCode: number, length: (text: string) => number, find: Find): Operator =>
  ranged(2, 4, (operands, name) => {
    const [input, token] = operands;
    if (isNullish(input)) return null;
    const text = requireString(input, firstCode, `${name} requires a string as the first argument`);
    const sought = requireString(token, firstCode + 1, `${name} requires a string as the second argument`);
    const start = operands.length > 2 ? indexOf(operands[2], name, 'starting index') : 0;
    const total = length(text);
    const end = operands.length > 3 ? Math.min(indexOf(operands[3], name, 'ending index'), total) : total;
    return start > total || end < start ? -1 : find(text, sought, start, end);
  });

type Find = (text: string, sought: string, start: number, end: number) => number;

/** Returns the index of a sequence that lies entirely between start and end. */
const findSequence = (
  all: ArrayLike<string | number>,
  sought: ArrayLike<string | number>,
  start: number,
  end: number,
): number => {
  outer: for (let i = start; i + sought.length <= end; i++) {
    for (let k = 0; k < sought.length; k++)
      if (all[i + k] !== sought[k]) {
        if (k > 16) spend(k >>> 4);
        continue outer;
      }
    return i;
  }
  return -1;
};

const findBytes: Find = (text, sought, start, end) => findSequence(utf8(text), utf8(sought), start, end);

/** As in mongod, a match must begin before the end but may extend beyond it. */
const findCodePoints: Find = (text, sought, start, end) => {
  const all = [...text];
  const wanted = [...sought];
  if (all.length === 0 && wanted.length === 0) return 0;
  const index = findSequence(all, wanted, start, all.length);
  return index < end ? index : -1;
};

const trimmable = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

const trimText = (text: string, characters: ReadonlySet<string>, left: boolean, right: boolean): string => {
  const points = [...counted(text)];
  let start = 0;
  let end = points.length;
  if (left) while (start < end && characters.has(points[start]!)) start++;
  if (right) while (end > start && characters.has(points[end - 1]!)) end--;
  return points.slice(start, end).join('');
};

const blank: ReadonlySet<string> = new Set(trimmable);

const trimming =
  (left: boolean, right: boolean): Operator =>
  (spec, parser, name) => {
    const named = namedOperands(spec, parser, {
      fields: ['input', 'chars'],
      notObject: found => fail(50696, `${name} only supports an object as an argument, found ${typeName(found)}`),
      unknown: field => fail(50694, `${name} found an unknown argument: ${field}`),
    });
    const input = named.get('input');
    const chars = named.get('chars');
    if (input === undefined) throw fail(50695, `${name} requires an 'input' field`);
    return parser.fold(chars === undefined ? [input] : [input, chars], scope => {
      const text = input.evaluate(scope);
      if (isNullish(text)) return null;
      if (typeof text !== 'string') throw fail(50699, notText(`${name} requires its input to be a string`, text));
      if (chars === undefined) return trimText(text, blank, left, right);
      const characters = chars.evaluate(scope);
      if (isNullish(characters)) return null;
      if (typeof characters !== 'string') {
        throw fail(50700, notText(`${name} requires 'chars' to be a string`, characters));
      }
      return trimText(text, new Set(characters), left, right);
    });
  };

const notText = (message: string, value: Value): string =>
  `${message}, got ${print(value)} (of type ${typeName(value)}) instead.`;

const replaceFields = ['input', 'find', 'replacement'] as const;

const replacing =
  (replace: (text: string, find: string, replacement: string) => string): Operator =>
  (spec, parser, name) => {
    const named = namedOperands(spec, parser, {
      fields: replaceFields,
      notObject: found => fail(51751, `${name} requires an object as an argument, found: ${typeName(found)}`),
      unknown: field => fail(51750, `${name} found an unknown argument: ${field}`),
    });
    const operands = replaceFields.map((field, i): Expression => {
      const operand = named.get(field);
      if (operand === undefined) throw fail(51749 - i, `${name} requires '${field}' to be specified`);
      return operand;
    });
    return parser.fold(operands, scope => {
      const values = operands.map(operand => operand.evaluate(scope));
      values.forEach((value, i) => {
        if (isNullish(value) || typeof value === 'string') return;
        throw fail(51746 - i, `${name} requires that '${replaceFields[i]!}' be a string, found: ${print(value)}`);
      });
      if (values.some(isNullish)) return null;
      const [text, find, replacement] = values as string[];
      counted(text!);
      return replace(text!, find!, replacement!);
    });
  };

const replaceOne = (text: string, find: string, replacement: string): string => {
  const at = text.indexOf(find);
  return at === -1 ? text : text.slice(0, at) + replacement + text.slice(at + find.length);
};

/** An empty string is found before every code point and at the end. */
const replaceAll = (text: string, find: string, replacement: string): string => {
  const parts = find === '' ? ['', ...text] : text.split(find);
  const length = text.length + (parts.length - 1) * (replacement.length - find.length);
  if (length > longest) throw fail(13548, `BufBuilder attempted to grow() to ${length} bytes, past the 64MB limit.`);
  spend(2 * parts.length + (length >>> 5));
  return find === ''
    ? parts
        .slice(1)
        .map(point => replacement + point)
        .join('') + replacement
    : parts.join(replacement);
};

const split = binary((a, b) => {
  if (isNullish(a) || isNullish(b)) return null;
  const must = '$split requires an expression that evaluates to a string as a';
  const text = requireString(a, 40085, `${must} first argument`);
  const separator = requireString(b, 40086, `${must} second argument`);
  if (separator === '') throw fail(40087, '$split requires a non-empty separator');
  const parts = text.split(separator);
  spend(parts.length);
  return parts;
});

export const stringOperators: Operators = new Map([
  ['$binarySize', binarySize],
  ['$concat', concat],
  ['$indexOfBytes', searching(40091, utf8Length, findBytes)],
  ['$indexOfCP', searching(40093, codePoints, findCodePoints)],
  ['$ltrim', trimming(true, false)],
  ['$replaceAll', replacing(replaceAll)],
  ['$replaceOne', replacing(replaceOne)],
  ['$rtrim', trimming(false, true)],
  ['$split', split],
  ['$strLenBytes', strLenBytes],
  ['$strLenCP', strLenCP],
  ['$strcasecmp', strcasecmp],
  ['$substr', aliasOf(substrBytes, '$substrBytes')],
  ['$substrBytes', substrBytes],
  ['$substrCP', substrCP],
  ['$toLower', unary(a => toLowerAscii(counted(toText(a))))],
  ['$toUpper', unary(a => toUpperAscii(counted(toText(a))))],
  ['$trim', trimming(true, true)],
]);
