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

/**
 * Reads a day of the week, by its name or the first three letters, in any case. Returns 1 (Monday) to 7 (Sunday), or
 * undefined for other texts.
 */
export const parseDayOfWeek = (text: string): number | undefined => {
  const wanted = text.toLowerCase();
  const index = days.findIndex(day => day === wanted || day.slice(0, 3) === wanted);
  return index === -1 ? undefined : index + 1;
};

const fixedLengths: Partial<Record<Unit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };

/** More days than a date can represent. Amounts are checked before they are used in arithmetic. */
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

/**
 * Adds an amount of a unit. Days and longer units keep the local time of day; hours and shorter units are fixed lengths
 * of time.
 * @throws CommandError 5976500 for a large amount, or an error if the result is not a valid date
 */
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

/** Returns the days since the start of the week. */
const dayInWeek = (day: number, startOfWeek: number): number => (isoDayOfWeek(day) - startOfWeek + 7) % 7;

const weekNumber = (day: number, startOfWeek: number): number => Math.floor((day - dayInWeek(day, startOfWeek)) / 7);

const monthNumber = (ms: number, zone: TimeZone): number => {
  const { year, month } = localParts(ms, zone);
  return year * 12 + month - 1;
};

/** Returns the number of the unit of local time that contains an instant. Units are counted from an arbitrary start. */
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

/** Returns the number of unit boundaries between two instants. Hours and shorter units start at those of local time. */
export const differenceOf = (start: number, end: number, unit: Unit, zone: TimeZone, startOfWeek: number): bigint => {
  const length = fixedLengths[unit];
  if (length === undefined || unit === 'millisecond') {
    return BigInt(unitNumber(end, unit, zone, startOfWeek)) - BigInt(unitNumber(start, unit, zone, startOfWeek));
  }
  const from = start + zone.offsetAt(start);
  const to = end + zone.offsetAt(end);
  // The difference in local time, corrected by the whole units by which clocks were changed in between.
  const correction = Math.trunc((zone.offsetAt(start) - zone.offsetAt(end)) / length);
  return BigInt(Math.floor(to / length) - Math.floor(from / length) + correction);
};

/** 2000-01-01, from which the bins of `$dateTrunc` are counted. */
const referenceDay = dayNumber(2000, 1, 1);
const maxBins = 100_000_000_000n;

const floorTo = (n: number, size: number): number => Math.floor(n / size) * size;

/**
 * Returns the start of the bin that contains a date.
 * @throws CommandError if the result is not a valid date
 */
export const truncateDate = (ms: number, unit: Unit, binSize: bigint, zone: TimeZone, startOfWeek: number): number => {
  const length = fixedLengths[unit];
  const size = Number(binSize);
  if (length !== undefined) {
    if (size * length >= maxMs) throw fail(5439002, 'dateTrunc overflowed');
    const reference = instantOf(referenceDay * msPerDay, zone);
    return reference + floorTo(ms - reference, size * length);
  }
  if (binSize > maxBins) throw fail(5439006, 'dateTrunc unsupported binSize value');
  // The first start of a week on or after the reference day.
  const firstDay = unit === 'week' ? referenceDay + ((7 - dayInWeek(referenceDay, startOfWeek)) % 7) : referenceDay;
  const reference = instantOf(firstDay * msPerDay, zone);
  const first = unitNumber(reference, unit, zone, startOfWeek);
  const distance = unitNumber(ms, unit, zone, startOfWeek) - first;
  return addToDate(reference, unit, BigInt(floorTo(distance, size)), zone);
};
