import { civilDate } from '../value/show.js';

/** The proleptic Gregorian calendar as arithmetic. Days are counted from 1970-01-01. */
export const msPerDay = 86_400_000;

export interface DateParts {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Returns the number of a day. Months and days beyond their range carry over. */
export const dayNumber = (year: number, month: number, day: number): number => {
  const months = year * 12 + month - 1;
  const y = Math.floor(months / 12) - (((months % 12) + 12) % 12 < 2 ? 1 : 0);
  // Months are counted from March, so that a leap day is the last day of its year.
  const m = ((((months % 12) + 12) % 12) + 10) % 12;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * m + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
};

/** Returns milliseconds since 1970 for parts without a time zone. All parts carry over. */
export const msOfParts = (parts: DateParts): number =>
  dayNumber(parts.year, parts.month, parts.day) * msPerDay +
  parts.hour * 3_600_000 +
  parts.minute * 60_000 +
  parts.second * 1000 +
  parts.millisecond;

export const partsOfMs = (ms: number): DateParts => {
  const day = Math.floor(ms / msPerDay);
  const rest = ms - day * msPerDay;
  return {
    ...civilDate(day),
    hour: Math.floor(rest / 3_600_000),
    minute: Math.floor(rest / 60_000) % 60,
    second: Math.floor(rest / 1000) % 60,
    millisecond: rest % 1000,
  };
};

const modulo = (n: number, by: number): number => ((n % by) + by) % by;

/** Returns 1 (Monday) to 7 (Sunday). 1970-01-01 was a Thursday. */
export const isoDayOfWeek = (day: number): number => modulo(day + 3, 7) + 1;

/** Returns 1 (Sunday) to 7 (Saturday). */
export const dayOfWeek = (day: number): number => modulo(day + 4, 7) + 1;

export const dayOfYear = (day: number): number => day - dayNumber(civilDate(day).year, 1, 1) + 1;

/** Returns the week of the year. Weeks begin on Sunday; the days before the first Sunday are in week 0. */
export const weekOfYear = (day: number): number => Math.floor((dayOfYear(day) - dayOfWeek(day) + 7) / 7);

/** Returns the week by ISO 8601: week 1 contains the year's first Thursday. */
export const isoWeek = (day: number): { readonly year: number; readonly week: number } => {
  const thursday = day - isoDayOfWeek(day) + 4;
  const { year } = civilDate(thursday);
  return { year, week: Math.floor((thursday - dayNumber(year, 1, 1)) / 7) + 1 };
};

/** Returns the number of the day of an ISO week date. Weeks and days beyond their range carry over. */
export const dayOfIsoWeek = (year: number, week: number, isoDay: number): number => {
  const fourth = dayNumber(year, 1, 4);
  return fourth - isoDayOfWeek(fourth) + 1 + (week - 1) * 7 + isoDay - 1;
};

export const daysInMonth = (year: number, month: number): number =>
  dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
