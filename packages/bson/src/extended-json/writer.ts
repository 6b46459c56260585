import { toBase64 } from '@tessera/contracts';
import type { Document, Raw } from '@tessera/contracts';
import { encode } from '../codec.js';
import { corruption } from '../corruption.js';
import { deepest } from '../decode/deepest.js';
import { checkedSize, keyEnd, valueEnd } from '../decode/extent.js';
import { attach, bytes, memoryOf, numbers } from '../decode/memory.js';
import { PlainDecoder } from '../decode/plain.js';
import type { DBPointer } from '../deprecated.js';
import { readUtf8 } from '../host.js';
import { settle } from '../options.js';
import type { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, ObjectId, Timestamp } from '../values.js';
import { decimalText } from './decimal-text.js';

// Marked as free of side effects, so that bundlers omit it with the functions of Extended JSON.
const decoder = /* @__PURE__ */ new PlainDecoder(/* @__PURE__ */ settle({ keepTypes: true }));

const quote = (text: string): string => JSON.stringify(text);

/**
 * Returns a double's text with a point or an exponent, so that it is parsed as a double again. Rule: BSON Corpus,
 * double: the exponent's letter is `E`.
 */
const doubleText = (value: number): string => {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isInteger(value)) return String(value).replace('e', 'E');
  return Math.abs(value) < 1e16 ? value.toFixed(1) : value.toExponential().replace('e', 'E');
};

const double = (value: number, relaxed: boolean): string =>
  relaxed && Number.isFinite(value) ? doubleText(value) : `{"$numberDouble":"${doubleText(value)}"}`;

/** 10000-01-01: later dates do not fit the relaxed date format. */
const tooLate = 253402300800000;

const date = (at: number, relaxed: boolean): string => {
  const time = numbers.getBigInt64(at, true);
  if (!relaxed || time < 0n || time >= tooLate) return `{"$date":{"$numberLong":"${String(time)}"}}`;
  return `{"$date":"${new Date(Number(time)).toISOString().replace('.000Z', 'Z')}"}`;
};

const binary = (value: Binary): string => {
  const subtype = value.sub_type.toString(16).padStart(2, '0');
  return `{"$binary":{"base64":"${toBase64(value.buffer.subarray(0, value.position))}","subType":"${subtype}"}}`;
};

const pointer = (value: DBPointer): string =>
  `{"$dbPointer":{"$ref":${quote(value.namespace)},"$id":{"$oid":"${value.id.toHexString()}"}}}`;

const expression = (value: BSONRegExp): string =>
  `{"$regularExpression":{"pattern":${quote(value.pattern)},"options":${quote(value.options)}}}`;

/** Returns the text of a value that is not a document, an array or code with a scope. */
const simple = (type: number, at: number, limit: number, base: number, relaxed: boolean): string => {
  const value = decoder.from(base).value(type, at, limit, '', false);
  switch (type) {
    case 1:
      return double((value as Double).value, relaxed);
    case 2:
      return quote(value as string);
    case 5:
      return binary(value as Binary);
    case 6:
      return '{"$undefined":true}';
    case 7:
      return `{"$oid":"${(value as ObjectId).toHexString()}"}`;
    case 8:
      return String(value);
    case 9:
      return date(at, relaxed);
    case 10:
      return 'null';
    case 11:
      return expression(value as BSONRegExp);
    case 12:
      return pointer(value as DBPointer);
    case 13:
      return `{"$code":${quote((value as Code).code)}}`;
    case 14:
      return `{"$symbol":${quote((value as BSONSymbol).value)}}`;
    case 16:
      return relaxed ? String(value) : `{"$numberInt":"${String(value)}"}`;
    case 17:
      return `{"$timestamp":{"t":${String((value as Timestamp).t)},"i":${String((value as Timestamp).i)}}}`;
    case 18:
      return relaxed ? String(value) : `{"$numberLong":"${String(value)}"}`;
    case 19:
      return `{"$numberDecimal":"${decimalText(value as Decimal128)}"}`;
    case 127:
      return '{"$maxKey":1}';
    default:
      return '{"$minKey":1}';
  }
};

const container = (
  start: number,
  end: number,
  base: number,
  relaxed: boolean,
  depth: number,
  named: boolean,
): string => {
  if (depth > deepest) throw corruption(start - base, `a document nested more than ${String(deepest)} levels deep`);
  checkedSize(start, end, base);
  const last = end - 1;
  let text = '';
  for (let at = start + 4; at < last;) {
    const type = bytes[at]!;
    const valueAt = keyEnd(at + 1, last, base) + 1;
    const valueLast = valueEnd(type, valueAt, last, base);
    if (text !== '') text += ',';
    if (named) text += `${quote(readUtf8(bytes, at + 1, valueAt - 1))}:`;
    if (type === 3 || type === 4) text += container(valueAt, valueLast, base, relaxed, depth + 1, type === 3);
    else if (type === 15) text += scoped(valueAt, valueLast, base, relaxed, depth + 1);
    else text += simple(type, valueAt, last, base, relaxed);
    at = valueLast;
  }
  return named ? `{${text}}` : `[${text}]`;
};

const scoped = (at: number, end: number, base: number, relaxed: boolean, depth: number): string => {
  const { code } = decoder.from(base, depth).value(15, at, end, '', false) as Code;
  const scopeAt = valueEnd(2, at + 4, end, base);
  return `{"$code":${quote(code)},"$scope":${container(scopeAt, end, base, relaxed, depth, true)}}`;
};

/**
 * Returns a document, or its bytes, as Extended JSON v2 without white space. Types are the same as in
 * {@link encode}. Members keep the order of the bytes.
 * @param options `relaxed` (the default) prefers readable numbers and dates; canonical mode keeps every type
 * @throws MongoError `usage` for values that BSON cannot hold, `protocol` for bytes that are not BSON. Rule: Extended
 * JSON, "Generators"
 */
export const stringifyExtendedJson = (
  document: Document | Raw,
  options: { readonly relaxed?: boolean } = {},
): string => {
  const raw = document instanceof Uint8Array ? document : encode(document);
  attach(memoryOf(raw.buffer));
  const start = raw.byteOffset;
  return container(start, start + raw.byteLength, start, options.relaxed ?? true, 1, true);
};
