import { fail } from '../errors.js';
import { dayNumber, daysInMonth, isoDayOfWeek, msOfParts, msPerDay } from './calendar.js';
import type { TimeZone } from './timezone.js';
import { instantOf, localParts } from './timezone.js';

export type Unit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

const units: ReadonlySet<string> = new Set<Unit>([
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
]);

export const isUnit = (text: string): text is Unit => units.has(text);

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** 1 Monday to 7 Sunday, of a name or its first three letters in any case; undefined for anything else. */
export const parseDayOfWeek = (text: string): number | undefined => {
  const wanted = text.toLowerCase();
  const index = days.findIndex(day => day === wanted || day.slice(0, 3) === wanted);
  return index === -1 ? undefined : index + 1;
};

const fixedLengths: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };

/** More than a date can hold: amounts are checked before anything is computed with them. */
const maxDays = 213_503_982_335;
const maxYears = Math.floor(maxDays / 365) + 1;
const limits: Readonly<Record<Exclude<Unit, 'millisecond'>, number>> = {
  year: maxYears,
  quarter: maxYears * 4,
  month: maxYears * 12,
  week: Math.floor(maxDays / 7),
  day: maxDays,
  hour: maxDays * 24,
  minute: maxDays * 24 * 60,
  second: maxDays * 24 * 3600,
};

const maxMs = 2 ** 63;

const requireDate = (ms: number): number => {
  if (Math.abs(ms) < maxMs) return ms;
  throw fail(5166406, 'dateAdd overflowed');
};

const addMonths = (ms: number, months: number, zone: TimeZone): number => {
  const parts = localParts(ms, zone);
  const total = parts.year * 12 + parts.month - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  const day = Math.min(parts.day, daysInMonth(year, month));
  return instantOf(msOfParts({ ...parts, year, month, day }), zone);
};

/** Days and longer keep what the clock in the zone shows; hours and shorter are lengths of time. @throws CommandError */
export const addToDate = (ms: number, unit: Unit, amount: bigint, zone: TimeZone): number => {
  const n = Number(amount);
  if (unit !== 'millisecond' && Math.abs(n) >= limits[unit]) {
    throw fail(5976500, `invalid dateAdd 'amount' parameter value: ${amount} ${unit}`);
  }
  switch (unit) {
    case 'year':
      return requireDate(addMonths(ms, n * 12, zone));
    case 'quarter':
      return requireDate(addMonths(ms, n * 3, zone));
    case 'month':
      return requireDate(addMonths(ms, n, zone));
    case 'week':
    case 'day': {
      const local = ms + zone.offsetAt(ms);
      return requireDate(instantOf(local + n * (unit === 'week' ? 7 : 1) * msPerDay, zone));
    }
    default:
      return requireDate(ms + n * fixedLengths[unit]!);
  }
};

const localDay = (ms: number, zone: TimeZone): number => Math.floor((ms + zone.offsetAt(ms)) / msPerDay);

/** Days since the week began. */
const dayInWeek = (day: number, startOfWeek: number): number => (isoDayOfWeek(day) - startOfWeek + 7) % 7;

const weekNumber = (day: number, startOfWeek: number): number => Math.floor((day - dayInWeek(day, startOfWeek)) / 7);

const monthNumber = (ms: number, zone: TimeZone): number => {
  const { year, month } = localParts(ms, zone);
  return year * 12 + month - 1;
};

/** In which unit of local time an instant lies, counted from some beginning. */
const unitNumber = (ms: number, unit: Unit, zone: TimeZone, startOfWeek: number): number => {
  switch (unit) {
    case 'year':
      return localParts(ms, zone).year;
    case 'quarter':
      return Math.floor(monthNumber(ms, zone) / 3);
    case 'month':
      return monthNumber(ms, zone);
    case 'week':
      return weekNumber(localDay(ms, zone), startOfWeek);
    case 'day':
      return localDay(ms, zone);
    default:
      return Math.floor(ms / fixedLengths[unit]!);
  }
};

/** How many boundaries of the unit lie between two instants; hours and minutes begin where the zone's do. */
export const differenceOf = (start: number, end: number, unit: Unit, zone: TimeZone, startOfWeek: number): bigint => {
  const length = fixedLengths[unit];
  if (length === undefined || unit === 'millisecond') {
    return BigInt(unitNumber(end, unit, zone, startOfWeek)) - BigInt(unitNumber(start, unit, zone, startOfWeek));
  }
  const from = start + zone.offsetAt(start);
  const to = end + zone.offsetAt(end);
  // Local units, corrected by whole units of what the clocks were put forward or back in between.
  const correction = Math.trunc((zone.offsetAt(start) - zone.offsetAt(end)) / length);
  return BigInt(Math.floor(to / length) - Math.floor(from / length) + correction);
};

/** 2000-01-01, where the bins of `$dateTrunc` begin to be counted. */
const referenceDay = dayNumber(2000, 1, 1);
const maxBins = 100_000_000_000n;

const floorTo = (n: number, size: number): number => Math.floor(n / size) * size;

/** The start of the bin of so many units that a date lies in. @throws CommandError */
export const truncateDate = (ms: number, unit: Unit, binSize: bigint, zone: TimeZone, startOfWeek: number): number => {
  const length = fixedLengths[unit];
  const size = Number(binSize);
  if (length !== undefined) {
    if (size * length >= maxMs) throw fail(5439002, 'dateTrunc overflowed');
    const reference = instantOf(referenceDay * msPerDay, zone);
    return reference + floorTo(ms - reference, size * length);
  }
  if (binSize > maxBins) throw fail(5439006, 'dateTrunc unsupported binSize value');
  // The first day of a week on or after the reference.
  const firstDay = unit === 'week' ? referenceDay + ((7 - dayInWeek(referenceDay, startOfWeek)) % 7) : referenceDay;
  const reference = instantOf(firstDay * msPerDay, zone);
  const first = unitNumber(reference, unit, zone, startOfWeek);
  const distance = unitNumber(ms, unit, zone, startOfWeek) - first;
  return addToDate(reference, unit, BigInt(floorTo(distance, size)), zone);
};
