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

const identifierRefusal = 'passing a time zone identifier as part of the string is not allowed';

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

/** Letters of the military time zones: A to M without J are ahead of UTC, N to Y behind it. */
const ahead = 'abcdefghiklm';
const behind = 'nopqrstuvwxy';

/** Returns the minutes ahead of UTC that letters mean, or undefined if they do not name a time zone. */
const minutesOf = (letters: string): number | undefined => {
  const name = letters.toLowerCase();
  if (name.length > 1 || name === 'z') return Object.hasOwn(abbreviations, name) ? abbreviations[name] : undefined;
  if (ahead.includes(name)) return 60 * (1 + ahead.indexOf(name));
  return behind.includes(name) ? -60 * (1 + behind.indexOf(name)) : undefined;
};

const month = '(?<month>[A-Za-z]{3,9})\\.?';
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?\\s+)?';

/** The supported forms of a date, most specific first. timelib supports more; these are the common ones. */
const dateForms: readonly RegExp[] = [
  /^(?<year>[+-]?\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/,
  /^(?<isoYear>\d{4})-?W(?<isoWeek>\d{2})(?:-?(?<isoDay>[0-7]))?/,
  /^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}|\d{2})(?!\d)/,
  /^(?<day>\d{1,2})[.-](?<month>\d{1,2})[.-](?<year>\d{4})/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?!\d)/,
  new RegExp(`^${weekday}(?<day>\\d{1,2})(?:st|nd|rd|th)?[ \\t.-]*${month}[ \\t.,-]*(?<year>\\d{4})`, 'i'),
  new RegExp(`^${weekday}${month}[ \\t.-]*(?<day>\\d{1,2})(?:st|nd|rd|th)?[ \\t.,-]+(?<year>\\d{4})(?!:)`, 'i'),
  new RegExp(`^(?<year>\\d{4})-?${month}-?(?<day>\\d{1,2})`, 'i'),
  // A date without a year is read, so that the error names what is missing.
  new RegExp(`^${weekday}${month}[ \\t.-]*(?<day>\\d{1,2})(?:st|nd|rd|th)?(?=\\s|$)`, 'i'),
];

const timeForm =
  /^(?:T|t|\s+)?(?<hour>\d{1,2}):(?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?:\s*(?<half>[ap])\.?m\.?)?/i;
const compactTime = /^[Tt](?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?/;
/** An hour alone, such as `11am`, and the words for a time of day. */
const hourForm = /^\s*(?<hour>1[0-2]|0?[1-9])\s*(?<half>[ap])\.?m\.?(?![a-z])/i;
const wordForm = /^\s*(?<word>noon|midnight|today)(?![a-z])/i;
const offsetForm = /^\s*(?:GMT|UTC)?(?<sign>[+-])(?<hours>\d{1,2}):?(?<minutes>\d{2})?/i;
const letterForm = /^\s*(?<letters>[A-Za-z]+)/;

type Groups = Readonly<Record<string, string | undefined>>;

const readDate = (groups: Groups, found: Found): boolean => {
  for (const key of ['year', 'day', 'isoYear', 'isoWeek', 'isoDay'] as const) {
    if (groups[key] !== undefined) found[key] = Number(groups[key]);
  }
  if (groups['year']?.length === 2) found.year = (found.year! < 70 ? 2000 : 1900) + found.year!;
  if (groups['month'] !== undefined) {
    found.month = /^\d/.test(groups['month']) ? Number(groups['month']) : monthOf(groups['month']);
  }
  if (found.isoYear !== undefined) return true;
  return found.month! >= 1 && found.month! <= 12 && found.day! >= 1 && found.day! <= 31;
};

const readTime = (groups: Groups, found: Found): boolean => {
  const half = groups['half']?.toLowerCase();
  const hour = groups['word'] === undefined ? Number(groups['hour']) : groups['word'].toLowerCase() === 'noon' ? 12 : 0;
  found.hour = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  found.minute = Number(groups['minute'] ?? 0);
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
  const known = letters === null ? undefined : minutesOf(letters.groups!['letters']!);
  if (known === undefined) return 0;
  found.offset = known;
  found.abbreviation = letters!.groups!['letters']!;
  return letters![0].length;
};

const timeForms: readonly RegExp[] = [timeForm, compactTime, hourForm, wordForm];

const readTimeForms = (text: string, found: Found): number => {
  for (const form of timeForms) {
    const match = form.exec(text);
    if (match !== null) return readTime(match.groups as Groups, found) ? match[0].length : 0;
  }
  return 0;
};

const readDateForms = (text: string, found: Found): number => {
  for (const form of dateForms) {
    const match = form.exec(text);
    if (match !== null && readDate(match.groups as Groups, found)) return match[0].length;
  }
  if (timeForms.some(form => form.test(text))) return 0;
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
  at += readTimeForms(text.slice(at), found);
  at += readZone(text.slice(at), found);
  if (text.slice(at).trim() === '') return found;
  if (/^\s*[A-Za-z]+\/[A-Za-z]+/.test(text.slice(at))) {
    throw broken(whole, leading + at, identifierRefusal);
  }
  throw broken(whole, leading + at, 'Unexpected character');
};

/** Reads a string along a format. Errors are collected, because the message lists all of them. */
class FormatReader {
  readonly text: string;
  readonly errors: string[] = [];
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  report(position: number, reason: string): void {
    this.errors.push(`${position}: ${reason} '${this.text[position] ?? ''}'`);
  }

  /** Skips the rest of the text up to the form and returns what the form matches, or reports the reason. */
  take(form: RegExp, reason: string): string | undefined {
    const match = form.exec(this.text.slice(this.at));
    if (match === null) {
      this.report(this.at, reason);
      this.at = this.text.length;
      return undefined;
    }
    this.at += match.index + match[0].length;
    return match[0];
  }

  /** Reads a number of at most so many digits. */
  number(most: 1 | 2 | 3 | 4, reason: string, least: 1 | 2 = 1): number | undefined {
    const begin = this.at;
    if (!/\d/.test(this.text[begin]!)) this.report(begin, 'Unexpected data found.');
    const digits = this.take(new RegExp(`\\d{1,${most}}`), reason);
    if (digits === undefined) return undefined;
    if (digits.length >= least) return Number(digits);
    this.report(begin, reason);
    return undefined;
  }

  /** Reads a number in a range. */
  ranged(most: 1 | 2, highest: number, reason: string, range: string): number | undefined {
    const begin = this.at;
    const digits = this.take(new RegExp(`\\d{1,${most}}`), reason);
    if (digits === undefined) return undefined;
    if (Number(digits) < 1 || Number(digits) > highest) this.report(begin, range);
    return Number(digits);
  }
}

type Specifier = (reader: FormatReader, found: Found) => void;

/** Creates a specifier that stores a number if one was found. */
const storing =
  (key: Exclude<keyof Found, 'abbreviation'>, read: (reader: FormatReader) => number | undefined): Specifier =>
  (reader, found) => {
    const value = read(reader);
    if (value !== undefined) found[key] = value;
  };

const monthByName = storing('month', reader => {
  const begin = reader.at;
  const name = reader.take(/^[A-Za-z]+/, 'A textual month could not be found');
  if (name === undefined) return undefined;
  const found = monthOf(name);
  if (found === 0) reader.report(begin, 'A textual month could not be found');
  return found;
});

const zoneOfText: Specifier = (reader, found) => {
  const rest = reader.text.slice(reader.at);
  const padding = /^[ \t(]*/.exec(rest)![0].length;
  const begin = reader.at + padding;
  const name = /^[A-Za-z]+\/[A-Za-z_/]+/.exec(rest.slice(padding));
  const length = name === null ? readZone(rest.slice(padding), found) : 0;
  if (length === 0) {
    reader.report(begin, name === null ? 'The timezone could not be found in the database' : identifierRefusal);
    reader.at = begin + /^[^ )]*/.exec(rest.slice(padding))![0].length;
  } else reader.at = begin + length;
};

/** The reader of each letter after %. */
const specifiers: Readonly<Record<string, Specifier>> = {
  b: monthByName,
  B: monthByName,
  d: storing('day', reader => reader.number(2, 'A two digit day could not be found')),
  G: storing('isoYear', reader => {
    const year = reader.take(/\d{1,4}/, 'A four digit ISO year could not be found');
    return year === undefined ? undefined : Number(year);
  }),
  H: storing('hour', reader => reader.number(2, 'A two digit hour could not be found')),
  j: (reader, found) => {
    if (found.year === undefined) {
      reader.report(reader.at, "A 'day of year' can only come after a year has been found");
    }
    const day = reader.number(3, 'A three digit day-of-year could not be found');
    if (day !== undefined) found.dayOfYear = day;
  },
  L: storing('millisecond', reader => {
    const begin = reader.at;
    const digits = reader.number(3, 'A three digit millisecond could not be found');
    return digits === undefined ? undefined : Number(reader.text.slice(begin, reader.at).trim().padEnd(3, '0'));
  }),
  m: storing('month', reader => reader.number(2, 'A two digit month could not be found')),
  M: storing('minute', reader => reader.number(2, 'A two digit minute could not be found', 2)),
  S: storing('second', reader => reader.number(2, 'A two digit second could not be found', 2)),
  u: storing('isoDay', reader =>
    reader.ranged(1, 7, 'A single digit day of week could not be found', 'Day of week must be between 1 and 7'),
  ),
  V: storing('isoWeek', reader =>
    reader.ranged(2, 53, 'A two digit ISO week could not be found', 'ISO Week must be between 1 and 53'),
  ),
  Y: storing('year', reader => reader.number(4, 'A four digit year could not be found')),
  z: zoneOfText,
  Z: storing('offset', reader => {
    const minutes = /^[+-]\d*/.exec(reader.text.slice(reader.at))?.[0];
    if (minutes === undefined) reader.report(reader.at, 'Invalid timezone offset in minutes');
    else reader.at += minutes.length;
    return minutes === undefined ? undefined : Number(minutes);
  }),
};

const checkCalendars = (reader: FormatReader, { year, month: m, day, isoYear, isoWeek, isoDay }: Found): void => {
  const mixed = 'Mixing of ISO dates with natural dates is not allowed';
  const byWeek = isoYear !== undefined || isoWeek !== undefined || isoDay !== undefined;
  if (year !== undefined && byWeek) reader.report(reader.at, mixed);
  if (isoYear !== undefined && (year !== undefined || m !== undefined || day !== undefined)) {
    reader.report(reader.at, mixed);
  }
  if (isoYear === undefined && byWeek) reader.report(reader.at, 'The parsed date was invalid');
};

/** A null byte ends a string for the parser. */
const beforeNull = (text: string): string => text.split('\0', 1)[0]!;

/**
 * Reads a string by a format.
 * @throws CommandError ConversionFailure
 */
const readByFormat = (whole: string, wholeFormat: string): Found => {
  const found: Found = {};
  const reader = new FormatReader(beforeNull(whole));
  const format = beforeNull(wholeFormat);
  let i = 0;
  while (i < format.length && reader.at < reader.text.length) {
    if (format[i] === '%' && format[i + 1] !== '%') {
      specifiers[format[i + 1]!]!(reader, found);
      i += 2;
      continue;
    }
    if (reader.text[reader.at] !== format[i]) reader.report(reader.at, 'Format literal not found');
    i += format[i] === '%' ? 2 : 1;
    reader.at += 1;
  }
  if (reader.at < reader.text.length) reader.report(reader.at, 'Trailing data');
  if (i < format.length) reader.report(reader.at, 'Not enough data available to satisfy format');
  checkCalendars(reader, found);
  if (reader.errors.length > 0) throw failed(`Error parsing date string '${whole}'; ${reader.errors.join('; ')}`);
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
