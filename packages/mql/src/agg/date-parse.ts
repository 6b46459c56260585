import { type CommandError, fail } from '../errors.js';
import { dayNumber, dayOfIsoWeek, daysInMonth, msPerDay } from './calendar.js';
import { monthNames } from './date-format.js';
import type { TimeZone } from './timezone.js';
import { instantOf, utc } from './timezone.js';

/** The parts of a date that were found in a string; other parts are undefined. */
interface Found {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  dayOfYear?: number;
  isoYear?: number;
  isoWeek?: number;
  isoDay?: number;
  /** The offset of the time zone in minutes. */
  offset?: number;
  /** The abbreviation of the time zone, if the string names the zone by letters. */
  abbreviation?: string;
}

const failed = (message: string): CommandError => fail('ConversionFailure', message);

const broken = (text: string, position: number, reason: string): CommandError =>
  failed(`Error parsing date string '${text}'; ${position}: ${reason} '${text[position] ?? ''}'`);

const monthOf = (name: string): number => {
  const wanted = name.toLowerCase();
  return (
    1 + monthNames.findIndex(month => month.toLowerCase() === wanted || month.slice(0, 3).toLowerCase() === wanted)
  );
};

/** Time zone abbreviations that timelib supports, in minutes ahead of UTC. */
const abbreviations: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
  wet: 0,
  west: 60,
  bst: 60,
  msk: 180,
  jst: 540,
  ist: 120,
};

const month = '(?<month>[A-Za-z]{3,9})\\.?';
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?\\s+)?';

/** The supported forms of a date, most specific first. timelib supports more; these are the common ones. */
const dateForms: readonly RegExp[] = [
  /^(?<year>[+-]?\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/,
  /^(?<isoYear>\d{4})-?W(?<isoWeek>\d{2})(?:-?(?<isoDay>[0-7]))?/,
  /^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})/,
  /^(?<day>\d{1,2})[.-](?<month>\d{1,2})[.-](?<year>\d{4})/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/,
  new RegExp(`^${weekday}(?<day>\\d{1,2})(?:st|nd|rd|th)?[ \\t.-]*${month}[ \\t.,-]*(?<year>\\d{4})`, 'i'),
  new RegExp(`^${weekday}${month}[ \\t.-]*(?<day>\\d{1,2})(?:st|nd|rd|th)?[ \\t.,-]+(?<year>\\d{4})(?!:)`, 'i'),
  new RegExp(`^(?<year>\\d{4})-?${month}-?(?<day>\\d{1,2})`, 'i'),
];

const timeForm =
  /^(?:T|t|\s+)?(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?:\s*(?<half>[ap])\.?m\.?)?/i;
const compactTime = /^[Tt](?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?/;
const offsetForm = /^\s*(?:GMT|UTC)?(?<sign>[+-])(?<hours>\d{1,2}):?(?<minutes>\d{2})?/i;
const letterForm = /^\s*(?<letters>[A-Za-z]+)/;

type Groups = Readonly<Record<string, string | undefined>>;

const readDate = (groups: Groups, found: Found): boolean => {
  for (const key of ['year', 'day', 'isoYear', 'isoWeek', 'isoDay'] as const) {
    if (groups[key] !== undefined) found[key] = Number(groups[key]);
  }
  if (groups['month'] !== undefined) {
    found.month = /^\d/.test(groups['month']) ? Number(groups['month']) : monthOf(groups['month']);
  }
  if (found.isoYear !== undefined) return true;
  return found.month! >= 1 && found.month! <= 12 && found.day! >= 1 && found.day! <= 31;
};

const readTime = (groups: Groups, found: Found): boolean => {
  const half = groups['half']?.toLowerCase();
  const hour = Number(groups['hour']);
  found.hour = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  found.minute = Number(groups['minute']);
  found.second = Number(groups['second'] ?? 0);
  found.millisecond = Math.floor(Number(`0.${groups['fraction'] ?? '0'}`) * 1000 + 1e-6);
  return found.hour <= 24 && found.minute < 60 && found.second <= 60;
};

const readZone = (rest: string, found: Found): number => {
  const offset = offsetForm.exec(rest);
  if (offset !== null) {
    const { sign, hours, minutes } = offset.groups as Groups;
    found.offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
    return offset[0].length;
  }
  const letters = letterForm.exec(rest);
  const known = letters === null ? undefined : abbreviations[letters.groups!['letters']!.toLowerCase()];
  if (known === undefined) return 0;
  found.offset = known;
  found.abbreviation = letters!.groups!['letters']!;
  return letters![0].length;
};

const readDateForms = (text: string, found: Found): number => {
  for (const form of dateForms) {
    const match = form.exec(text);
    if (match !== null && readDate(match.groups as Groups, found)) return match[0].length;
  }
  throw broken(text, 0, 'Unexpected character');
};

/**
 * Reads a string in any supported form.
 * @throws CommandError ConversionFailure
 */
const readFreely = (whole: string): Found => {
  const leading = whole.length - whole.trimStart().length;
  const text = whole.slice(leading);
  const found: Found = {};
  let at = readDateForms(text, found);
  const time = timeForm.exec(text.slice(at)) ?? compactTime.exec(text.slice(at));
  if (time !== null && readTime(time.groups as Groups, found)) at += time[0].length;
  at += readZone(text.slice(at), found);
  if (text.slice(at).trim() === '') return found;
  if (/^\s*[A-Za-z]+\/[A-Za-z]+/.test(text.slice(at))) {
    throw broken(whole, leading + at, 'passing a time zone identifier as part of the string is not allowed');
  }
  throw broken(whole, leading + at, 'Unexpected character');
};

interface Reader {
  /** Reads the form at the start of the rest, or fails with the reason. */
  take(form: RegExp, reason: string): string;
}

/** The reader of each letter after %. */
const specifiers: Readonly<Record<string, (reader: Reader, found: Found) => void>> = {
  b: (reader, found) => readMonthName(reader, found),
  B: (reader, found) => readMonthName(reader, found),
  d: (reader, found) => (found.day = Number(reader.take(/^\d{2}/, 'A two digit day could not be found'))),
  G: (reader, found) => (found.isoYear = Number(reader.take(/^\d{4}/, 'A four digit ISO year could not be found'))),
  H: (reader, found) => (found.hour = Number(reader.take(/^\d{2}/, 'A two digit hour could not be found'))),
  j: (reader, found) =>
    (found.dayOfYear = Number(reader.take(/^\d{1,3}/, 'A three digit day-of-year could not be found'))),
  L: (reader, found) =>
    (found.millisecond = Number(
      reader.take(/^\d{1,3}/, 'A three digit millisecond could not be found').padEnd(3, '0'),
    )),
  m: (reader, found) => (found.month = Number(reader.take(/^\d{2}/, 'A two digit month could not be found'))),
  M: (reader, found) => (found.minute = Number(reader.take(/^\d{2}/, 'A two digit minute could not be found'))),
  S: (reader, found) => (found.second = Number(reader.take(/^\d{2}/, 'A two digit second could not be found'))),
  u: (reader, found) => (found.isoDay = Number(reader.take(/^[1-7]/, 'A single digit day of week could not be found'))),
  V: (reader, found) => (found.isoWeek = Number(reader.take(/^\d{2}/, 'A two digit ISO week could not be found'))),
  Y: (reader, found) => (found.year = Number(reader.take(/^\d{4}/, 'A four digit year could not be found'))),
  z: (reader, found) => {
    const text = reader.take(
      /^(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?|[A-Za-z]{1,4})/,
      'The timezone could not be found in the database',
    );
    readZone(text, found);
  },
  Z: (reader, found) =>
    (found.offset = Number(reader.take(/^[+-]?\d+/, 'A timezone offset in minutes could not be found'))),
};

const readMonthName = (reader: Reader, found: Found): void => {
  found.month = monthOf(reader.take(/^[A-Za-z]+/, 'A textual month could not be found'));
};

/**
 * Reads a string by a format.
 * @throws CommandError ConversionFailure
 */
const readByFormat = (text: string, format: string): Found => {
  const found: Found = {};
  let at = 0;
  const reader: Reader = {
    take: (form, reason) => {
      const match = form.exec(text.slice(at));
      if (match === null) throw broken(text, at, reason);
      at += match[0].length;
      return match[0];
    },
  };
  for (let i = 0; i < format.length; i++) {
    if (format[i] === '%' && format[i + 1] !== '%') {
      specifiers[format[++i]!]!(reader, found);
      continue;
    }
    if (format[i] === '%') i += 1;
    if (text[at] !== format[i]) throw broken(text, at, 'The format separator does not match');
    at += 1;
  }
  if (at < text.length) throw broken(text, at, 'Trailing data');
  return found;
};

const dayOf = (found: Found): number | undefined => {
  const { year, month: m, day, isoYear, isoWeek, isoDay } = found;
  if (isoYear !== undefined) return dayOfIsoWeek(isoYear, isoWeek ?? 1, isoDay ?? 1);
  if (year === undefined) return undefined;
  if (found.dayOfYear !== undefined) return dayNumber(year, 1, found.dayOfYear);
  return m === undefined || day === undefined ? undefined : dayNumber(year, m, day);
};

const requireRanges = (text: string, found: Found): void => {
  const { month: m = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
  const lastDay = m < 1 || m > 12 ? 0 : daysInMonth(found.year ?? 2000, m);
  if (day < 1 || day > lastDay || hour > 24 || minute > 59 || second > 59) {
    throw failed(`Error parsing date string '${text}'; 0: The parsed date was invalid ''`);
  }
};

const requireNoZone = (found: Found): void => {
  if (found.abbreviation !== undefined) {
    throw failed(
      `you cannot pass in a date/time string with time zone information ('${found.abbreviation}') together with a timezone argument`,
    );
  }
  throw failed('you cannot pass in a date/time string with GMT offset together with a timezone argument');
};

/**
 * Parses a date and returns milliseconds since 1970. The string must match the format, which must be valid. Without a
 * format, ISO 8601 and looser forms are accepted.
 * @throws CommandError ConversionFailure
 */
export const parseDate = (text: string, zone: TimeZone = utc, format?: string): number => {
  const found = format === undefined ? readFreely(text) : readByFormat(text, format);
  requireRanges(text, found);
  const day = dayOf(found);
  if (day === undefined) {
    throw failed(`an incomplete date/time string has been found, with elements missing: "${text}"`);
  }
  if (found.offset !== undefined && zone.kind !== 'utc') requireNoZone(found);
  const { hour = 0, minute = 0, second = 0, millisecond = 0 } = found;
  const local = day * msPerDay + hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond;
  return found.offset === undefined ? instantOf(local, zone) : local - found.offset * 60_000;
};
