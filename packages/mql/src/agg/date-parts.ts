import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import { toExactLong } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { DateValue, isNullish, isNumber, typeName } from '../value/value.js';
import type { DateParts } from './calendar.js';
import { dayNumber, dayOfIsoWeek, isoDayOfWeek, isoWeek, msPerDay } from './calendar.js';
import { print, toMillis } from './coerce.js';
import { given, required, zoneOf } from './date-arguments.js';
import type { Expression, Operator } from './expression.js';
import { namedOperands } from './operator.js';
import type { Scope } from './scope.js';
import { instantOf, instantOfParts, localParts } from './timezone.js';

const partFields = ['hour', 'minute', 'second', 'millisecond'] as const;
const calendarFields = ['year', 'month', 'day'] as const;
const weekFields = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] as const;
const bounded: ReadonlySet<string> = new Set(['hour', 'minute', 'month', 'day', 'isoWeek', 'isoDayOfWeek']);

/**
 * Reads a part of `$dateFromParts`. Returns undefined if it is null or missing.
 * @throws CommandError 40515, 31034
 */
const partValue = (field: string, value: Value | undefined): number | undefined => {
  if (isNullish(value)) return undefined;
  const long = isNumber(value) ? toExactLong(value) : undefined;
  if (long === undefined) {
    throw fail(40515, `'${field}' must evaluate to an integer, found ${typeName(value)} with value ${print(value)}`);
  }
  if (bounded.has(field) && (long < -32_768n || long > 32_767n)) {
    throw fail(
      31034,
      `'${field}' must evaluate to a value in the range [-32768, 32767]; value ${long} is not in range`,
    );
  }
  return Number(long);
};

const requireYear = (field: string, code: number, year: number): void => {
  if (year >= 1 && year <= 9999) return;
  throw fail(code, `'${field}' must evaluate to an integer in the range 1 to 9999, found ${year}`);
};

/** The greatest time whose microseconds fit into 64 bits. */
const maxMs = 2 ** 63 / 1000;

/** @throws CommandError DurationOverflow for a time whose microseconds do not fit into 64 bits */
const dateOf = (ms: number): DateValue => {
  if (Math.abs(ms) < maxMs) return new DateValue(ms);
  throw fail('DurationOverflow', 'Overflow casting from a lower-precision duration to a higher-precision duration');
};

const requireOneCalendar = (named: ReadonlyMap<string, Expression>): void => {
  const hasAny = (fields: readonly string[]): boolean => fields.some(field => named.has(field));
  if (!named.has('year') && !named.has('isoWeekYear')) {
    throw fail(40516, `$dateFromParts requires either 'year' or 'isoWeekYear' to be present`);
  }
  if (named.has('year') && hasAny(weekFields)) {
    throw fail(40489, '$dateFromParts does not allow mixing natural dates with ISO dates');
  }
  if (named.has('isoWeekYear') && hasAny(calendarFields)) {
    throw fail(40525, '$dateFromParts does not allow mixing ISO dates with natural dates');
  }
};

export const dateFromParts: Operator = (spec, parser) => {
  const named = namedOperands(spec, parser, {
    fields: [...calendarFields, ...weekFields, ...partFields, 'timezone'],
    notObject: () => fail(40519, '$dateFromParts only supports an object as its argument'),
    unknown: field => fail(40518, `Unrecognized argument to $dateFromParts: ${field}`),
  });
  requireOneCalendar(named);
  const byWeek = named.has('isoWeekYear');
  const dateFields = byWeek ? weekFields : calendarFields;
  return parser.fold(given(named), scope => {
    const read = (field: string, otherwise: number): number | undefined => {
      const operand = named.get(field);
      return operand === undefined ? otherwise : partValue(field, operand.evaluate(scope));
    };
    const [hour, minute, second, millisecond] = partFields.map(field => read(field, 0));
    if (hour === undefined || minute === undefined || second === undefined || millisecond === undefined) return null;
    const zone = zoneOf(named.get('timezone'), scope);
    if (zone === undefined) return null;
    const [year, month, day] = dateFields.map((field, i) => read(field, i === 0 ? 1970 : 1));
    if (year === undefined || month === undefined || day === undefined) return null;
    requireYear(dateFields[0], byWeek ? 31095 : 40523, year);
    const clock = { hour, minute, second, millisecond };
    if (!byWeek) return dateOf(instantOfParts({ year, month, day, ...clock }, zone));
    const local = dayOfIsoWeek(year, month, day) * msPerDay;
    return dateOf(instantOf(local + hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond, zone));
  });
};

const isoFlag = (argument: Expression | undefined, scope: Scope): boolean | undefined => {
  const value = argument === undefined ? false : argument.evaluate(scope);
  if (isNullish(value)) return undefined;
  if (typeof value !== 'boolean') throw fail(40521, `iso8601 must evaluate to a bool, found ${typeName(value)}`);
  return value;
};

const isoParts = ({ year, month, day }: DateParts): readonly (readonly [string, Value])[] => {
  const number = dayNumber(year, month, day);
  const week = isoWeek(number);
  return [
    ['isoWeekYear', week.year],
    ['isoWeek', week.week],
    ['isoDayOfWeek', isoDayOfWeek(number)],
  ];
};

export const dateToParts: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['date', 'timezone', 'iso8601'],
    notObject: () => fail(40524, '$dateToParts only supports an object as its argument'),
    unknown: field => fail(40520, `Unrecognized argument to $dateToParts: ${field}`),
  });
  const date = required(named, 'date', 40522, name);
  return parser.fold(given(named), scope => {
    const value = date.evaluate(scope);
    const zone = zoneOf(named.get('timezone'), scope);
    if (zone === undefined) return null;
    const iso = isoFlag(named.get('iso8601'), scope);
    if (iso === undefined || isNullish(value)) return null;
    const parts = localParts(toMillis(value), zone);
    const { year, month, day, hour, minute, second, millisecond } = parts;
    return Doc.of([
      ...(iso
        ? isoParts(parts)
        : ([
            ['year', year],
            ['month', month],
            ['day', day],
          ] as const)),
      ['hour', hour],
      ['minute', minute],
      ['second', second],
      ['millisecond', millisecond],
    ]);
  });
};
