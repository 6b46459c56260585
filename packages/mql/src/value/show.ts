import { cut } from '../cut.js';
import type { Doc } from './doc.js';
import type { BinaryValue, CodeValue, RegexValue, Value } from './value.js';
import { isArray, isDoc, toHex, typeNumber } from './value.js';

/**
 * Formats a double as C's `%.15g`, or as the shortest text that reads back as the same double. The result always has a
 * point.
 */
export const showDouble = (value: number): string => {
  if (Number.isNaN(value)) return 'nan.0';
  if (!Number.isFinite(value)) return value > 0 ? 'inf.0' : '-inf.0';
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return value.toFixed(1);
  const text = String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  return text;
};

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** Returns year, month (1 to 12) and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar. */
export const civilDate = (day: number): { readonly year: number; readonly month: number; readonly day: number } => {
  // Days are counted from 0000-03-01 in eras of 400 years, so that a leap day is the last day of its year.
  const shifted = day + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
};

/** Formats a date as `2021-01-02T03:04:05.678Z`. */
export const isoDate = (ms: number): string => {
  const dayNumber = Math.floor(ms / 86_400_000);
  const rest = ms - dayNumber * 86_400_000;
  const { year, month, day } = civilDate(dayNumber);
  const time = `${pad(Math.floor(rest / 3_600_000), 2)}:${pad(Math.floor(rest / 60_000) % 60, 2)}:${pad(Math.floor(rest / 1000) % 60, 2)}`;
  const years = year < 0 ? `-${pad(-year, 4)}` : pad(year, 4);
  return `${years}-${pad(month, 2)}-${pad(day, 2)}T${time}.${pad(rest % 1000, 3)}Z`;
};

/** The number of characters after which a value is cut. */
const mostShown = 10_000;

/** Returns the number of characters that are left after a text. */
const after = (text: string, left: number): number => Math.max(0, left - text.length);

/** Joins the texts of items until there are enough characters. The text has brackets around it. */
const joined = (count: number, most: number, item: (at: number, left: number) => string): string => {
  const left = most - 4;
  let text = '';
  for (let at = 0; at < count; at++) {
    if (text.length >= left) return at === 0 ? '...' : `${text}, ...`;
    text += `${at === 0 ? '' : ', '}${item(at, left - text.length)}`;
  }
  return text;
};

const showBinary = ({ subtype, bytes }: BinaryValue, left: number): string => {
  if (subtype === 4 && bytes.length === 16) {
    const hex = toHex(bytes);
    return `UUID("${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}")`;
  }
  return `BinData(${subtype}, ${cut(toHex(bytes.subarray(0, left)).toUpperCase(), left)})`;
};

const showCode = ({ code, scope }: CodeValue, left: number): string => {
  const shown = cut(code, left);
  return scope === undefined ? shown : `CodeWScope( ${shown}, ${docWithin(scope, after(shown, left))})`;
};

const showRegex = ({ pattern, options }: RegexValue, left: number): string => {
  const shown = cut(pattern, left);
  return `/${shown}/${cut(options, after(shown, left))}`;
};

const docWithin = (doc: Doc, left: number): string => {
  const entries = doc.entries();
  if (entries.length === 0) return '{}';
  const shown = joined(entries.length, left, (at, rest) => {
    const [key, value] = entries[at]!;
    const name = cut(key, rest);
    return `${name}: ${within(value, after(name, rest))}`;
  });
  return `{ ${shown} }`;
};

/** Formats a document like {@link show}. */
export const showDoc = (doc: Doc): string => docWithin(doc, mostShown);

/**
 * Formats a value as MongoDB prints it in error messages: `{ a: 1, b: 1.0, c: "x", d: ObjectId('…') }`. A value of more than
 * 10,000 characters is cut.
 */
export const show = (value: Value | undefined): string => within(value, mostShown);

const within = (value: Value | undefined, left: number): string => {
  if (value === undefined) return 'EOO';
  if (isDoc(value)) return docWithin(value, left);
  if (isArray(value))
    return value.length === 0 ? '[]' : `[ ${joined(value.length, left, (at, rest) => within(value[at], rest))} ]`;
  switch (typeNumber(value)) {
    case 2:
      return `"${cut(value as string, left)}"`;
    case 10:
      return 'null';
    default:
      return typeof value === 'object' && value !== null ? showObject(value, left) : String(value);
  }
};

const showObject = (
  value: Exclude<Value, string | number | bigint | boolean | null | Doc | readonly Value[]>,
  left: number,
): string => {
  switch (value.type) {
    case 1:
      return showDouble(value.value);
    case 19:
      return value.toString();
    case 7:
      return `ObjectId('${value.hex}')`;
    case 9:
      return `new Date(${value.exact ?? value.ms})`;
    case 17:
      return `Timestamp(${value.t}, ${value.i})`;
    case 5:
      return showBinary(value, left);
    case 11:
      return showRegex(value, left);
    case 14:
      return `"${cut(value.value, left)}"`;
    case 12:
      return `DBRef('${cut(value.namespace, left)}', ${value.id.hex})`;
    case 6:
      return 'undefined';
    case -1:
      return 'MinKey';
    case 127:
      return 'MaxKey';
    default:
      return showCode(value, left);
  }
};
