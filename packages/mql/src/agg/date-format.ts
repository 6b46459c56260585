import { fail } from '../errors.js';
import type { DateParts } from './calendar.js';
import { dayNumber, dayOfWeek, dayOfYear, isoDayOfWeek, isoWeek, weekOfYear } from './calendar.js';
import type { TimeZone } from './timezone.js';
import { localParts } from './timezone.js';

export const monthNames: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

const signed = (n: number, text: string): string => (n < 0 ? `-${text}` : `+${text}`);

interface Moment extends DateParts {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  /** The offset of the time zone in minutes. */
  readonly offset: number;
}

/** The output of each letter after %. Rule: `$dateToString`, "Format Specifiers". */
const specifiers: Readonly<Record<string, (at: Moment) => string>> = {
  '%': () => '%',
  b: at => monthNames[at.month - 1]!.slice(0, 3),
  B: at => monthNames[at.month - 1]!,
  d: at => pad(at.day, 2),
  G: at => pad(isoWeek(at.dayNumber).year, 4),
  H: at => pad(at.hour, 2),
  j: at => pad(dayOfYear(at.dayNumber), 3),
  L: at => pad(at.millisecond, 3),
  m: at => pad(at.month, 2),
  M: at => pad(at.minute, 2),
  S: at => pad(at.second, 2),
  u: at => String(isoDayOfWeek(at.dayNumber)),
  U: at => pad(weekOfYear(at.dayNumber), 2),
  V: at => pad(isoWeek(at.dayNumber).week, 2),
  w: at => String(dayOfWeek(at.dayNumber)),
  Y: at => pad(at.year, 4),
  z: at => {
    const minutes = Math.abs(at.offset);
    return signed(at.offset, pad(Math.floor(minutes / 60), 2) + pad(minutes % 60, 2));
  },
  Z: at => String(at.offset),
};

/** Letters that are valid for printing only. */
const onlyPrinted = 'Uw';

/**
 * Checks a format.
 * @throws CommandError 18535, 18536
 */
export const requireFormat = (format: string, use: 'print' | 'parse'): void => {
  for (let i = format.indexOf('%'); i !== -1; i = format.indexOf('%', i + 2)) {
    const letter = format[i + 1];
    if (letter === undefined) throw fail(18535, `Unmatched '%' at end of format string`);
    const known = letter in specifiers && (use === 'print' || !onlyPrinted.includes(letter));
    if (!known) throw fail(18536, `Invalid format character '%${letter}' in format string`);
  }
};

/**
 * Prints a date in a time zone. The format must be valid.
 * @throws CommandError 18537
 */
export const formatInZone = (ms: number, zone: TimeZone, format: string): string => {
  const parts = localParts(ms, zone);
  if (parts.year < 0 || parts.year > 9999) throw fail(18537, '$dateToString is only defined on year 0-9999');
  const moment: Moment = {
    ...parts,
    dayNumber: dayNumber(parts.year, parts.month, parts.day),
    offset: Math.trunc(zone.offsetAt(ms) / 60_000),
  };
  return format.replace(/%(.)/gs, (_, letter: string) => specifiers[letter]!(moment));
};

/** Returns the default format of `$dateToString`. */
export const isoFormat = (zone: TimeZone): string => `%Y-%m-%dT%H:%M:%S.%L${zone.kind === 'utc' ? 'Z' : ''}`;
